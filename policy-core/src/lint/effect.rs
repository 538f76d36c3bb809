//! Entries that make no difference (SPEC LINT-3, LINT-4, LINT-5, LINT-6), found exactly: the theory is on the page `lint`.

use alloc::vec::Vec;

use super::Lint;
use super::entries::{ALLOWED, DENIED, Entries, Entry};
use crate::order::ordered;
use crate::pattern::{DomainPattern, List, PatternHost};
use crate::region::{HostKey, Judge, Point, RuleKey, SETS, SweptRule, order, sweep};

// The questions that rules ask in a sweep: where does this rule decide alone?
pub(super) const DENIED_MATTERS: u8 = 0;
pub(super) const ALLOWED_MATTERS: u8 = 1;

/// What each entry does.
pub(super) struct Effects {
    /// In the order of a sweep, each once.
    rules: Vec<SweptRule>,
    /// By number of entry.
    roles: Vec<Role>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Without it some destination has another action.
    Matters,
    /// Without it nothing changes.
    Idle,
    /// It is the same rule as an earlier entry.
    Repeats(u32),
    /// It matches no destination.
    Nothing,
}

/// Finds what each entry does.
pub(super) fn effects(entries: &Entries<'_>) -> Effects {
    let mut roles = alloc::vec![Role::Nothing; entries.len()];
    let mut set = |number: u32, role| {
        if let Some(slot) = usize::try_from(number).ok().and_then(|number| roles.get_mut(number)) {
            *slot = role;
        }
    };
    let mut rules = entries.rules();
    for group in rules.chunk_by(|a, b| a.set == b.set && a.key == b.key) {
        if let Some((first, repeated)) = group.split_first() {
            set(first.id, Role::Idle);
            repeated.iter().for_each(|rule| set(rule.id, Role::Repeats(first.id)));
        }
    }
    rules.dedup_by(|a, b| a.set == b.set && a.key == b.key);
    let mut matters = Matters { numbers: Vec::new() };
    sweep(&rules, true, &mut matters);
    matters.numbers.into_iter().for_each(|number| set(number, Role::Matters));
    Effects { rules, roles }
}

struct Matters {
    numbers: Vec<u32>,
}

impl Judge for Matters {
    /// A rule matters where it is the only one of its list that matches, and the others do not decide
    /// the same.
    fn judge(&self, point: &Point<'_>, counts: &[u32; SETS]) -> Option<u8> {
        let [denied, allowed, ..] = *counts;
        match (denied, allowed) {
            (1, 0) if !point.public => None,
            (1, _) => Some(DENIED_MATTERS),
            (0, 1) => Some(ALLOWED_MATTERS),
            _ => None,
        }
    }

    fn answer(&mut self, id: u32, _: u8, _: &Point<'_>, _: u16, _: &[u32; SETS]) {
        self.numbers.push(id);
    }
}

impl Effects {
    fn role(&self, number: u32) -> Role {
        usize::try_from(number).ok().and_then(|number| self.roles.get(number)).copied().unwrap_or(Role::Nothing)
    }

    pub(super) fn matters(&self, number: u32) -> bool {
        self.role(number) == Role::Matters
    }

    /// One lint at most for each entry. A repetition is told as such whatever else it is; then a text that
    /// does not say what it seems to; then why it makes no difference.
    pub(super) fn lints(&self, entries: &Entries<'_>, lints: &mut Vec<Lint>) {
        let mut nothing: Vec<u32> = Vec::new();
        for (number, entry) in entries.numbered() {
            let role = self.role(number);
            let same_text =
                |other: u32| entries.get(other).is_some_and(|other| other.text().eq_ignore_ascii_case(entry.text()));
            match role {
                // SPEC LINT-3
                Role::Repeats(first) if same_text(first) => lints.push(Lint::DuplicatePattern(number, first)),
                Role::Nothing => nothing.push(number),
                // SPEC LINT-6
                _ if is_dead(entry) => lints.push(Lint::Dead(number)),
                Role::Repeats(first) => lints.push(Lint::SameRule(number, first)),
                Role::Idle => lints.push(Lint::Idle(number)),
                Role::Matters => {}
            }
        }
        repeated_or_dead(entries, &nothing, lints);
    }

    /// Why an entry makes no difference: whether it is denied (SPEC LINT-4) rather than redundant (SPEC LINT-5), and an entry
    /// that alone sees to it, if there is one.
    pub(super) fn why_idle(&self, number: u32, entry: &Entry<'_>) -> (bool, Option<u32>) {
        let cover = |set| entry.key().and_then(|key| self.cover(&key, set, number));
        match (entry.list, cover(DENIED)) {
            (List::Allowed, None) => (false, cover(ALLOWED)),
            (list, covering) => (list == List::Allowed, covering),
        }
    }

    /// The broadest rule of a set, other than this one, that matches all that `key` matches.
    fn cover(&self, key: &RuleKey, set: usize, own: u32) -> Option<u32> {
        let host = key.least_matched()?;
        let mut hosts: Vec<HostKey> = alloc::vec![HostKey::Exactly(host.as_str().into())];
        let text = |suffix: &[u8]| core::str::from_utf8(suffix).map(|text| HostKey::Below(text.into())).ok();
        hosts.extend(host.suffixes().filter_map(text));
        hosts.push(HostKey::Any);
        let ports = [None, key.port];
        let ports = ports.get(..if key.port.is_some() { 2 } else { 1 }).unwrap_or_default();
        let mut keys = hosts
            .into_iter()
            .rev()
            .flat_map(|host| ports.iter().map(move |&port| RuleKey { host: host.clone(), port }));
        keys.find_map(|key| self.find(&key, set).filter(|&found| found != own))
    }

    fn find(&self, key: &RuleKey, set: usize) -> Option<u32> {
        let found = self.rules.binary_search_by(|rule| order(&rule.key, key).then(rule.set.cmp(&set))).ok()?;
        self.rules.get(found).map(|rule| rule.id)
    }

    /// Whether a rule of either list names this host, at whatever port.
    pub(super) fn names(&self, host: &str) -> bool {
        let key = RuleKey { host: HostKey::Exactly(host.into()), port: None };
        let first = self.rules.partition_point(|rule| order(&rule.key, &key).is_lt());
        self.rules.get(first).is_some_and(|rule| rule.key.host == key.host)
    }
}

/// Entries that match nothing: the later ones of equal text are repetitions.
fn repeated_or_dead(entries: &Entries<'_>, nothing: &[u32], lints: &mut Vec<Lint>) {
    let text = |number: u32| entries.get(number).map(|entry| (entry.list, entry.text().to_ascii_lowercase()));
    let item = |at: usize| nothing.get(at).and_then(|&number| text(number));
    let mut first = None;
    for at in ordered(nothing.len(), &|a, b| item(a).cmp(&item(b))) {
        let Some(&number) = nothing.get(at) else { continue };
        match first {
            Some(first) if text(first) == text(number) => lints.push(Lint::DuplicatePattern(number, first)),
            _ => {
                first = Some(number);
                lints.push(Lint::Dead(number));
            }
        }
    }
}

/// SPEC LINT-6: an address in an odd spelling, a name or a wildcard that ends in a number.
fn is_dead(entry: &Entry<'_>) -> bool {
    let name = match DomainPattern::read(entry.text()).host() {
        PatternHost::Name(name) | PatternHost::Wildcard(name) => name,
        PatternHost::Any | PatternHost::Literal(_) => return false,
    };
    let is_literal = crate::ip::parse_ip(name.as_bytes()).is_some() && !entry.text().starts_with('*');
    !is_literal && name.rsplit('.').next().is_some_and(|label| crate::host::is_number(&label.to_ascii_lowercase()))
}
