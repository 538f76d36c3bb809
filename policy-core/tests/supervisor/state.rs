//! Supervisors before and after something that must change nothing. The fuzz targets use it too.

use policy_core::Supervisor;

/// Everything a supervisor holds, as text, but how many lines it refused on each connection.
pub(crate) fn state(supervisor: &Supervisor) -> String {
    let text = format!("{supervisor:?}");
    let mut parts = text.split("refused: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}
