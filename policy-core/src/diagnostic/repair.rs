//! The entry that was probably meant.

use alloc::string::String;

use super::punycode::ascii_label;
use super::quote::hides;
use crate::json::pair_at;
use crate::pattern::{DomainPattern, List, Profile};

/// The text itself, when a configuration may list it.
pub(crate) fn accepted(text: &str, list: List) -> Option<String> {
    DomainPattern::parse(text, list, Profile::Config).is_ok().then(|| text.into())
}

/// The same host in a spelling that the grammar accepts; nothing when there is none.
pub(super) fn repaired(text: &str, list: List) -> Option<String> {
    let inner = without_url(text);
    let (host, port) = inner.split_at_checked(inner.find(':').unwrap_or(inner.len()))?;
    // `[1.2.3.4]` is no IPv6 address, which were found before.
    let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let mut repaired = String::new();
    // U+3002, U+FF0E and U+FF61 separate labels like a dot.
    let is_dot = |c: char| matches!(c, '.' | '\u{3002}' | '\u{FF0E}' | '\u{FF61}');
    for label in host.trim_end_matches(|c| is_dot(c) || hides(c)).split(is_dot) {
        if !repaired.is_empty() {
            repaired.push('.');
        }
        repaired.push_str(&ascii_label(label)?);
    }
    repaired.push_str(port);
    if repaired == text { None } else { accepted(&repaired, list) }
}

/// The entry without scheme, user name and path.
pub(super) fn without_url(text: &str) -> &str {
    let start = pair_at(text, b"//").map_or(0, |at| at.saturating_add(2));
    let text = text.get(start..).unwrap_or_default();
    let text = text.split(['/', '?', '#', '\\']).next().unwrap_or(text);
    text.rsplit('@').next().unwrap_or(text)
}
