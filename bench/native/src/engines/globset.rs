//! globset: many globs, matched at once.

use anyhow::Result;
use bench_lab::Workload;
use globset::{Glob, GlobSet, GlobSetBuilder};
use policy_core::Action;

use super::{Decide, lower, without_port};

pub(super) const HOW: &str =
    "one `GlobSet` per list, each entry a glob as it stands (`*.x` also matches what `*` does), host lower-cased";

pub(super) fn load(workload: &Workload) -> Result<Decide> {
    let (denied, allowed) = (set(&workload.denied)?, set(&workload.allowed)?);
    Ok(Box::new(move |query| {
        let host = lower(&query.host);
        Ok(if denied.is_match(&host) {
            Action::Deny
        } else if allowed.is_match(&host) {
            Action::Allow
        } else {
            Action::Review
        })
    }))
}

fn set(entries: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for entry in entries {
        set.add(Glob::new(without_port(entry))?);
    }
    Ok(set.build()?)
}
