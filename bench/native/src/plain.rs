//! What one would write without this project: a hash look-up for the host and each of its parent domains.

use std::collections::HashMap;

use bench_lab::Workload;
use foldhash::fast::FixedState;
use policy_core::Action;
use serde::Deserialize;

/// The plain loop, the least that can honestly be called the same job: the host in lower case without its trailing
/// dot, the denied list before the allowed one. What it leaves out, and the core does: it checks no host, knows no
/// address in another spelling, no port, no index of the entry that matched, and asks about hosts that are not
/// public.
pub struct Plain {
    denied: Entries,
    allowed: Entries,
}

/// One list; foldhash is the fastest of the hash functions in wide use.
type Entries = HashMap<Box<str>, Entry, FixedState>;

/// What stands under a name: the name itself, everything below it, or both.
#[derive(Clone, Copy, Default)]
struct Entry {
    exact: bool,
    wildcard: bool,
}

#[derive(Deserialize)]
struct Lists {
    #[serde(rename = "allowedDomains")]
    allowed: Vec<String>,
    #[serde(rename = "deniedDomains")]
    denied: Vec<String>,
}

impl Plain {
    pub fn new(workload: &Workload) -> Self {
        Self { denied: entries(&workload.denied), allowed: entries(&workload.allowed) }
    }

    /// From the text that [`policy_core::NetworkPolicy::from_transport`] reads.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        let lists: Lists = serde_json::from_str(text)?;
        Ok(Self { denied: entries(&lists.denied), allowed: entries(&lists.allowed) })
    }

    /// Lower-cased into a buffer on the stack.
    pub fn check(&self, host: &str) -> Action {
        let mut buffer = [0_u8; 256];
        let Some(lower) = buffer.get_mut(..host.len()) else { return Action::Deny };
        lower.copy_from_slice(host.as_bytes());
        lower.make_ascii_lowercase();
        let lower = std::str::from_utf8(lower).unwrap_or_default();
        self.decide(lower.strip_suffix('.').unwrap_or(lower))
    }

    /// Lower-cased into a new string, as most would write it.
    pub fn check_allocating(&self, host: &str) -> Action {
        let lower = host.to_ascii_lowercase();
        self.decide(lower.strip_suffix('.').unwrap_or(&lower))
    }

    fn decide(&self, host: &str) -> Action {
        if matches(&self.denied, host) {
            Action::Deny
        } else if matches(&self.allowed, host) {
            Action::Allow
        } else {
            Action::Review
        }
    }
}

fn entries(list: &[String]) -> Entries {
    let mut entries = Entries::with_capacity_and_hasher(list.len(), FixedState::default());
    for text in list {
        let host = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match host.strip_prefix("*.") {
            Some(base) => entries.entry(base.into()).or_default().wildcard = true,
            None => entries.entry(host.into()).or_default().exact = true,
        }
    }
    entries
}

fn matches(entries: &Entries, host: &str) -> bool {
    if entries.get(host).is_some_and(|entry| entry.exact) {
        return true;
    }
    let mut rest = host;
    while let Some((_, parent)) = rest.split_once('.') {
        if entries.get(parent).is_some_and(|entry| entry.wildcard) {
            return true;
        }
        rest = parent;
    }
    false
}
