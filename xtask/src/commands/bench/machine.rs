//! What the figures were measured on.

use std::env::consts;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::repo::Repo;
use crate::run;

/// Names and values, for the head of the report.
pub(crate) fn describe(repo: &Repo) -> Map<String, Value> {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let processor = processor().unwrap_or_else(|| "unknown".to_owned());
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=12"]).current_dir(repo.root());
    let facts = [
        ("date", today()),
        ("sources", run::output(&mut git).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())),
        ("processor", format!("{processor}, {cores} cores")),
        ("system", format!("{} {}", consts::OS, consts::ARCH)),
        ("compiler", version("rustc")),
        ("load before", load()),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// How busy the machine is with other things.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

fn version(program: &str) -> String {
    let output = run::output(Command::new(program).arg("--version"));
    output.map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// The date so many days after 1970-01-01.
fn date(mut days: u64) -> String {
    let mut year = 1970;
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let mut month = 1;
    for length in [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

const fn length(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(364), "1970-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_017), "2000-03-01");
        assert_eq!(date(20_513), "2026-03-01");
    }
}
