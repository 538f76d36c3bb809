//! Advice about entries that do make a difference.

use alloc::vec::Vec;

use super::Lint;
use super::effect::Effects;
use super::entries::{ALLOWED, DENIED, Entries, Entry};
use super::services::{COMPANIONS, UPLOAD_SERVICES};
use super::suffix::Suffixes;
use crate::decision::{Action, Decision};
use crate::host::CanonicalHost;
use crate::pattern::List;
use crate::policy::NetworkPolicy;
use crate::public::is_public_address;
use crate::region::{HostKey, RuleKey};

/// The port of nearly all that is fetched.
const HTTPS: u16 = 443;

pub(super) fn advice(entries: &Entries<'_>, effects: &Effects, policy: &NetworkPolicy, lints: &mut Vec<Lint>) {
    let suffixes = Suffixes::new();
    for (number, entry) in entries.numbered().filter(|&(number, _)| effects.matters(number)) {
        let Some(key) = entry.key() else { continue };
        if let HostKey::Below(base) = &key.host {
            // A name that ends in a number exists nowhere, and neither does what is below it.
            if ends_in_number(base) {
                continue;
            }
            let is_suffix = suffixes.contains(base);
            if is_suffix && entry.list == List::Allowed {
                lints.push(Lint::PublicSuffix(number));
            } else if !is_suffix && leaves_apex_out(entry, &key, base, effects) {
                lints.push(Lint::Apex(number));
            }
        }
        if entry.list == List::Allowed {
            let is_private = key.is_ip() && !is_public_address(key.host.text());
            lints.extend(is_private.then_some(Lint::PrivateAddress(number)));
            let service = upload_service(&key, policy);
            lints.extend(service.map(|service| Lint::MultiTenant(number, service)));
        }
    }
    companions(entries, policy, lints);
}

fn ends_in_number(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(crate::host::is_number)
}

/// SPEC LINT-7
fn leaves_apex_out(entry: &Entry<'_>, key: &RuleKey, base: &str, effects: &Effects) -> bool {
    let Ok(apex) = CanonicalHost::parse(base) else { return false };
    let (own, other) = match entry.list {
        List::Allowed => (ALLOWED, DENIED),
        List::Denied => (DENIED, ALLOWED),
    };
    !effects.matches_host(&apex, key.port, own) && !effects.matches_host(&apex, key.port, other)
}

/// SPEC LINT-8: a service that the entry allows and no denied entry takes out again.
fn upload_service(key: &RuleKey, policy: &NetworkPolicy) -> Option<&'static str> {
    let port = key.port.unwrap_or(HTTPS);
    let is_allowed = |host: &&str| {
        let matches = CanonicalHost::parse(host).is_ok_and(|host| key.matches(&host, port));
        matches && policy.check(host, port) == Action::Allow
    };
    let own = |host: &&str| key.host == HostKey::Exactly((*host).into());
    // The name as listed, or else whatever the wildcard reaches.
    let listed = UPLOAD_SERVICES.iter().copied();
    listed.clone().filter(own).chain(listed).find(is_allowed)
}

/// SPEC LINT-11
fn companions(entries: &Entries<'_>, policy: &NetworkPolicy, lints: &mut Vec<Lint>) {
    for companion in &COMPANIONS {
        let Decision::Allow { rule, .. } = policy.decide(companion.index, HTTPS) else { continue };
        if policy.check(companion.files, HTTPS) == Action::Review {
            // The policy counts without repetitions; the text of the entry is the same.
            let same = |&(_, entry): &(u32, &Entry<'_>)| entry.list == rule.list && entry.text() == rule.pattern;
            let number = entries.numbered().find(same).map(|(number, _)| number);
            lints.extend(number.map(|number| Lint::Companion(number, companion)));
        }
    }
}
