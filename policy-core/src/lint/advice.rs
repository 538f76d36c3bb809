//! Advice about entries that do make a difference.

use alloc::vec::Vec;

use super::Lint;
use super::effect::Effects;
use super::entries::{Entries, Entry};
use super::services::{COMPANIONS, Services};
use super::suffix::Suffixes;
use crate::decision::{Action, Decision};
use crate::pattern::List;
use crate::policy::NetworkPolicy;
use crate::public::is_public_address;
use crate::region::{HostKey, RuleKey};

/// The name of the machine itself.
const LOCALHOST: &str = "localhost";

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
            } else if !is_suffix && leaves_apex_out(&key, base, effects, policy) {
                lints.push(Lint::Apex(number));
            }
        }
        if entry.list == List::Allowed {
            lints.extend(is_private(&key).then_some(Lint::PrivateAddress(number)));
            let services = upload_services(&key, policy);
            lints.extend((!services.is_empty()).then_some(Lint::MultiTenant(number, services)));
        }
    }
    companions(entries, policy, lints);
}

fn ends_in_number(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(crate::host::is_number)
}

/// SPEC LINT-7: no entry matches the base wherever the wildcard matches what is below it, and none names it.
fn leaves_apex_out(key: &RuleKey, base: &str, effects: &Effects, policy: &NetworkPolicy) -> bool {
    // No entry can name port 0: what matches there matches every port.
    let port = key.port.unwrap_or(0);
    policy.decide(base, port).rule().is_none() && !effects.names(base)
}

/// SPEC LINT-10: an address that is not public, or a name that is one of the machine itself (RFC 6761, 6.3).
fn is_private(key: &RuleKey) -> bool {
    let text = key.host.text();
    if key.is_ip() { !is_public_address(text) } else { text == LOCALHOST || text.ends_with(".localhost") }
}

/// SPEC LINT-8: the services that the entry allows and no denied entry takes out again.
fn upload_services(key: &RuleKey, policy: &NetworkPolicy) -> Services {
    let port = key.port.unwrap_or(HTTPS);
    let reaches = |host: &&str| match &key.host {
        HostKey::Below(base) => host.strip_suffix(base.as_str()).is_some_and(|rest| rest.ends_with('.')),
        own => own.text() == *host,
    };
    let is_allowed = |host: &&str| policy.check(host, port) == Action::Allow;
    Services::those(|host| reaches(&host) && is_allowed(&host))
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
