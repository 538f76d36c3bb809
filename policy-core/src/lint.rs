//! Advice about a configuration without errors (spec page `lint`). It changes no decision.
//!
//! SPEC LINT-1, LINT-13, LINT-14, LINT-15: true of the whole module.

mod advice;
mod effect;
mod entries;
mod services;
mod suffix;
mod word;

use alloc::vec::Vec;

use entries::Entries;

use crate::config::table;
use crate::diagnostic::{Diagnostic, Source, Spot, report};
use crate::order::ordered;
use crate::policy::NetworkPolicy;
use crate::supervisor::MAX_POLICY_BYTES;

/// What a lint is about.
enum Lint {
    /// The key whose value is ignored.
    DuplicateKey(Spot),
    /// The entry, and the earlier one that it repeats.
    DuplicatePattern(u32, u32),
    Dead(u32),
    /// The same rule as an earlier entry in another spelling.
    SameRule(u32, u32),
    /// It makes no difference.
    Idle(u32),
    Apex(u32),
    /// The entry, and the hosts that it allows.
    MultiTenant(u32, services::Services),
    PublicSuffix(u32),
    PrivateAddress(u32),
    /// The entry that allows the first host, and the host that belongs to it.
    Companion(u32, &'static services::Companion),
    TooLarge(Spot, usize),
}

/// All lints of a valid configuration, in the order of its text.
pub(crate) fn lint(text: &str, source: &Source<'_>, policy: &NetworkPolicy) -> (Vec<Diagnostic>, usize) {
    let entries = Entries::new(source);
    let mut lints = Vec::new();
    duplicate_keys(source, &mut lints);
    let effects = effect::effects(&entries);
    effects.lints(&entries, &mut lints);
    advice::advice(&entries, &effects, policy, &mut lints);
    too_large(source, policy, &mut lints);
    let starts: Vec<usize> = lints.iter().map(|lint| lint.start(source, &entries)).collect();
    report(text, &starts, None, &|number| lints.get(number).map(|lint| lint.word(source, &entries, &effects)))
}

/// SPEC LINT-2
fn duplicate_keys(source: &Source<'_>, lints: &mut Vec<Lint>) {
    for object in source.objects() {
        let keys: Vec<Spot> = source.members(object).map(|(key, _)| key).collect();
        if keys.len() > 1 {
            let text = |number: usize| keys.get(number).map(|&key| source.text(key));
            let order = ordered(keys.len(), &|a, b| text(a).cmp(&text(b)));
            // Of equal keys, which keep their order, the last one counts.
            for pair in order.windows(2) {
                if let [ignored, later] = *pair
                    && text(ignored) == text(later)
                {
                    lints.extend(keys.get(ignored).map(|&key| Lint::DuplicateKey(key)));
                }
            }
        }
    }
}

/// SPEC LINT-12
fn too_large(source: &Source<'_>, policy: &NetworkPolicy, lints: &mut Vec<Lint>) {
    let len = policy.to_json().len();
    if len > MAX_POLICY_BYTES
        && let Some((key, _)) = source.member(Source::ROOT, table::NETWORK.name)
    {
        lints.push(Lint::TooLarge(key, len));
    }
}
