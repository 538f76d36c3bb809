//! Why a destination is allowed, denied or asked about (spec page `explain`).
//!
//! The decision is the one of [`NetworkPolicy::decide`]; everything else here is worked out around it
//! and never changes it.
//!
//! SPEC EXPLAIN-7, EXPLAIN-8: true of the whole module.

mod miss;
mod step;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

pub use miss::Miss;
pub use step::Step;

use crate::decision::{Decision, Denial, Rule};
use crate::diagnostic::say;
use crate::host::CanonicalHost;
use crate::pattern::List;
use crate::policy::NetworkPolicy;
use crate::region::RuleKey;

/// Most matches and most misses that an explanation lists; a person reads no more.
const MAX_LISTED: usize = 20;

/// A decision and all that led to it. Serialises in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation<'p> {
    /// The answer of [`NetworkPolicy::decide`].
    pub decision: Decision<'p>,
    /// The answer in a sentence.
    pub summary: String,
    /// How the host as asked became the host that was judged.
    pub steps: Vec<Step>,
    /// Every entry that matches, the denied list first, each list in its order.
    pub matches: Vec<Match<'p>>,
    /// How many more match.
    pub matches_omitted: usize,
    /// When no entry decided: entries that nearly match, and what would.
    pub misses: Vec<Miss<'p>>,
    /// How many more there are.
    pub misses_omitted: usize,
}

/// An entry that matches the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Match<'p> {
    /// The entry.
    #[serde(flatten)]
    pub rule: Rule<'p>,
    /// Whether it is the one that decided.
    pub decides: bool,
}

impl NetworkPolicy {
    /// Explains the decision for one destination, to a person.
    pub fn explain(&self, host: &str, port: u16) -> Explanation<'_> {
        // SPEC EXPLAIN-1
        let decision = self.decide(host, port);
        let steps = step::steps(host);
        let mut matches = Capped::default();
        let mut misses = Capped::default();
        if let Some(canonical) = decision.host() {
            // SPEC EXPLAIN-4
            for rule in self.rules(List::Denied).chain(self.rules(List::Allowed)) {
                if matches_rule(rule, canonical, port) {
                    matches.push(Match { rule, decides: decision.rule() == Some(rule) });
                }
            }
            // SPEC EXPLAIN-5
            if decision.rule().is_none() {
                for rule in self.rules(List::Allowed).chain(self.rules(List::Denied)) {
                    misses.extend(miss::miss(rule, canonical, port));
                }
            }
        }
        let summary = summary(&decision, host);
        let (matches, matches_omitted) = (matches.items, matches.omitted);
        let (misses, misses_omitted) = (misses.items, misses.omitted);
        Explanation { decision, summary, steps, matches, matches_omitted, misses, misses_omitted }
    }

    fn rules(&self, list: List) -> impl Iterator<Item = Rule<'_>> {
        self.list(list).enumerate().map(move |(index, pattern)| Rule { list, index, pattern })
    }
}

fn matches_rule(rule: Rule<'_>, host: &CanonicalHost, port: u16) -> bool {
    RuleKey::of(rule.pattern, rule.list).is_some_and(|key| key.matches(host, port))
}

/// A list that counts what it has no room for.
struct Capped<T> {
    items: Vec<T>,
    omitted: usize,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { items: Vec::new(), omitted: 0 }
    }
}

impl<T> Capped<T> {
    fn push(&mut self, item: T) {
        if self.items.len() < MAX_LISTED {
            self.items.push(item);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    fn extend(&mut self, item: Option<T>) {
        if let Some(item) = item {
            self.push(item);
        }
    }
}

/// SPEC EXPLAIN-2
fn summary(decision: &Decision<'_>, asked: &str) -> String {
    let host = decision.host().map_or("", CanonicalHost::as_str);
    let rule = decision.rule();
    let (list, index) = rule.map_or(("", 0), |rule| (rule.list.name(), rule.index));
    let pattern = rule.map_or("", |rule| rule.pattern);
    let index = index.to_string();
    let (template, port) = match decision {
        Decision::Deny { reason: Denial::MalformedHost, .. } if asked.is_empty() => {
            return "an empty host is denied".into();
        }
        Decision::Deny { reason: Denial::MalformedHost, .. } => {
            return say("@ is denied: #", &[asked, step::malformed(asked)]);
        }
        Decision::Deny { reason: Denial::NotPublic { host }, port } => {
            let template = "@ at port # is denied: no entry matches, and #";
            return say(template, &[host.as_str(), &port.to_string(), not_public(host)]);
        }
        Decision::Deny { reason: Denial::Rule { .. }, port } => ("@ at port # is denied by @ at #[#]", port),
        Decision::Allow { port, .. } => ("@ at port # is allowed by @ at #[#]", port),
        Decision::Review { port, .. } => ("@ at port # goes to review: no entry matches", port),
    };
    say(template, &[host, &port.to_string(), pattern, list, &index])
}

/// Why a canonical host is no public hostname.
fn not_public(host: &CanonicalHost) -> &'static str {
    let name = host.as_str();
    let label = |wrong: fn(&str) -> bool| name.split('.').any(wrong);
    if host.ip().is_some() {
        "nobody is asked about an address"
    } else if name.is_empty() || label(str::is_empty) {
        "the name has an empty part"
    } else if !name.contains('.') {
        "a name without a dot is not public"
    } else if name.contains('_') {
        "a name with `_` is not public"
    } else if label(|label| label.starts_with('-') || label.ends_with('-')) {
        "the name has a `-` beside a dot or at an end"
    } else {
        "the name is too long"
    }
}
