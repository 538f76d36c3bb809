//! What a change of the policy does (spec page `compare`).
//!
//! SPEC COMPARE-1, COMPARE-2, COMPARE-3, COMPARE-5, COMPARE-6, COMPARE-7: true of the whole module.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;
use serde::ser::Serializer;

use crate::decision::Action;
use crate::order::{ordered, rearranged};
use crate::pattern::List;
use crate::policy::NetworkPolicy;
use crate::region::{Judge, Point, RuleKey, SETS, SweptRule, in_order, sweep};

/// How two policies differ, with proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Of the new policy to the old one.
    pub relation: Relation,
    /// Destinations to which the new policy gives less access.
    pub narrower: Vec<Witness>,
    /// Destinations to which the new policy gives more access.
    pub wider: Vec<Witness>,
}

/// How much access one policy gives, seen from another, over every host and every port from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The same everywhere.
    Equal,
    /// Less somewhere, nowhere more.
    Narrower,
    /// More somewhere, nowhere less.
    Wider,
    /// More somewhere and less elsewhere.
    Incomparable,
}

impl Relation {
    /// `equal`, `narrower`, `wider` or `incomparable`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Incomparable => "incomparable",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Relation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A destination that two policies decide differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Witness {
    /// A host, as one can ask for it.
    pub host: String,
    /// A port.
    pub port: u16,
    /// What the old policy says.
    pub old: Action,
    /// What the new policy says.
    pub new: Action,
}

/// Compares two policies, exactly: every destination that they decide differently has a witness of its kind.
pub fn compare(old: &NetworkPolicy, new: &NetworkPolicy) -> Comparison {
    let mut rules = Vec::new();
    // In the order in which witnesses are listed.
    collect(&mut rules, new, List::Denied, NEW_DENIED);
    collect(&mut rules, old, List::Allowed, OLD_ALLOWED);
    collect(&mut rules, new, List::Allowed, NEW_ALLOWED);
    collect(&mut rules, old, List::Denied, OLD_DENIED);
    let mut rules = in_order(rules);
    rules.dedup_by(|a, b| a.set == b.set && a.key == b.key);
    ask(&mut rules);
    let mut found = Found { witnesses: Vec::new() };
    sweep(&rules, false, &mut found);
    found.comparison()
}

impl NetworkPolicy {
    /// Whether this policy gives no destination more access than `other`: what a supervisor can ask of
    /// a worker's policy.
    pub fn is_no_wider_than(&self, other: &Self) -> bool {
        compare(other, self).wider.is_empty()
    }
}

// The sets of rules.
const OLD_DENIED: usize = 0;
const OLD_ALLOWED: usize = 1;
const NEW_DENIED: usize = 2;
const NEW_ALLOWED: usize = 3;

// The questions: where does the new policy give more access than before, and where less? Apart for
// allow and for review on the side that gives more.
const WIDER_ALLOW: u8 = 0;
const WIDER_REVIEW: u8 = 1;
const NARROWER_ALLOW: u8 = 2;
const NARROWER_REVIEW: u8 = 3;

fn collect(rules: &mut Vec<SweptRule>, policy: &NetworkPolicy, list: List, set: usize) {
    for text in policy.list(list) {
        if let Some(key) = RuleKey::of(text, list) {
            let id = u32::try_from(rules.len()).unwrap_or(u32::MAX);
            rules.push(SweptRule { key, set, id, asks: 0 });
        }
    }
}

/// SPEC COMPARE-4: only rules that one policy has and the other has not can make a difference, and each
/// only in one direction.
fn ask(rules: &mut [SweptRule]) {
    for group in rules.chunk_by_mut(|a, b| a.key == b.key) {
        let mut has = [false; SETS];
        for rule in group.iter() {
            if let Some(has) = has.get_mut(rule.set) {
                *has = true;
            }
        }
        let [old_denied, old_allowed, new_denied, new_allowed] = has;
        for rule in group {
            rule.asks = match rule.set {
                OLD_DENIED if !new_denied => 1 << WIDER_ALLOW | 1 << WIDER_REVIEW,
                OLD_ALLOWED if !new_allowed => 1 << NARROWER_ALLOW,
                NEW_DENIED if !old_denied => 1 << NARROWER_ALLOW | 1 << NARROWER_REVIEW,
                NEW_ALLOWED if !old_allowed => 1 << WIDER_ALLOW,
                _ => 0,
            };
        }
    }
}

struct Found {
    /// With the rule and the question.
    witnesses: Vec<(u32, u8, Witness)>,
}

impl Judge for Found {
    fn judge(&self, point: &Point<'_>, counts: &[u32; SETS]) -> Option<u8> {
        let (old, new) = actions(point, counts);
        match (old.max(new), new > old) {
            _ if old == new => None,
            (Action::Allow, true) => Some(WIDER_ALLOW),
            (_, true) => Some(WIDER_REVIEW),
            (Action::Allow, false) => Some(NARROWER_ALLOW),
            (_, false) => Some(NARROWER_REVIEW),
        }
    }

    fn answer(&mut self, id: u32, question: u8, point: &Point<'_>, port: u16, counts: &[u32; SETS]) {
        let (old, new) = actions(point, counts);
        self.witnesses.push((id, question, Witness { host: point.host.into(), port, old, new }));
    }
}

/// The two decisions, from the rules that match. SPEC DECISION-2, DECISION-3, DECISION-4, DECISION-5
fn actions(point: &Point<'_>, counts: &[u32; SETS]) -> (Action, Action) {
    let [old_denied, old_allowed, new_denied, new_allowed] = counts.map(|count| count > 0);
    let action = |denied, allowed| match (denied, allowed, point.public) {
        (true, _, _) | (false, false, false) => Action::Deny,
        (false, true, _) => Action::Allow,
        (false, false, true) => Action::Review,
    };
    (action(old_denied, old_allowed), action(new_denied, new_allowed))
}

impl Found {
    fn comparison(self) -> Comparison {
        let at = |number: usize| self.witnesses.get(number).map(|(id, question, _)| (*id, *question));
        let order = ordered(self.witnesses.len(), &|a, b| at(a).cmp(&at(b)));
        let (mut narrower, mut wider): (Vec<Witness>, Vec<Witness>) = (Vec::new(), Vec::new());
        for (_, _, witness) in rearranged(self.witnesses, &order) {
            if witness.new > witness.old { wider.push(witness) } else { narrower.push(witness) }
        }
        let relation = match (narrower.is_empty(), wider.is_empty()) {
            (true, true) => Relation::Equal,
            (false, true) => Relation::Narrower,
            (true, false) => Relation::Wider,
            (false, false) => Relation::Incomparable,
        };
        Comparison { relation, narrower: once(narrower), wider: once(wider) }
    }
}

/// One destination may answer for several rules; it is listed where it comes first.
fn once(witnesses: Vec<Witness>) -> Vec<Witness> {
    let at = |number: usize| witnesses.get(number).map(|witness| (witness.host.as_str(), witness.port));
    let mut repeated = alloc::vec![false; witnesses.len()];
    for pair in ordered(witnesses.len(), &|a, b| at(a).cmp(&at(b))).windows(2) {
        if let [first, later] = pair
            && at(*first) == at(*later)
            && let Some(repeated) = repeated.get_mut(*later)
        {
            *repeated = true;
        }
    }
    let mut repeated = repeated.into_iter();
    witnesses.into_iter().filter(|_| repeated.next() != Some(true)).collect()
}
