//! The destinations that a set of rules cannot tell apart, one of each (for the pages `lint` and
//! `compare`).
//!
//! A decision depends on nothing but which rules match and whether the host is a public name. So
//! the hosts fall into finitely many *regions* on which every rule matches all or nothing:
//!
//! - each host that a rule names exactly, by itself;
//! - for each base of a wildcard, the names below it that no rule names more closely: those that are
//!   public names, and those that are not;
//! - all that no rule but `*` matches. What is not public there is denied whatever the rules say.
//!
//! The ports fall into *classes* likewise: those that no rule in question names, and of the others
//! those that are named by equally many rules of each set.
//!
//! Regions may be empty, and that is found out exactly: names have at most 253 characters (255 when
//! they need not be public), so below a very long base there are few, and other rules can name
//! them all. `.base` is the one host below a base that can never be named more closely.
//!
//! [`sweep`] visits one host of each region, with the rules that match it kept by port. It sorts
//! the rules so that what is below a base follows it, and so takes n log n time for n rules.

mod fresh;
mod key;
mod ports;

use alloc::format;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use fresh::{Names, fresh_name, fresh_name_below};
pub(crate) use key::{HostKey, RuleKey};
use ports::Ports;

use crate::host::CanonicalHost;
use crate::order::{ordered, rearranged};
use crate::public::is_public_host;

/// Rules are told apart by the set they belong to, such as the denied list of the old policy.
pub(crate) const SETS: usize = 4;

/// One rule of a sweep.
pub(crate) struct SweptRule {
    pub(crate) key: RuleKey,
    pub(crate) set: usize,
    /// What the caller knows it by.
    pub(crate) id: u32,
    /// The questions it asks, as bits: see [`sweep`].
    pub(crate) asks: u8,
}

/// One host of a region.
pub(crate) struct Point<'a> {
    /// Its canonical form, which is also a way to write it.
    pub(crate) host: &'a str,
    /// Whether it is a public hostname.
    pub(crate) public: bool,
}

/// What a sweep asks its caller.
pub(crate) trait Judge {
    /// Which question is answered at this host where so many rules of each set match.
    fn judge(&self, point: &Point<'_>, counts: &[u32; SETS]) -> Option<u8>;

    /// A rule that asked this question, and matches this host and port, has its answer here.
    fn answer(&mut self, id: u32, question: u8, point: &Point<'_>, port: u16, counts: &[u32; SETS]);
}

/// Visits every region and class of ports that has a destination. Each rule gets at most one answer to
/// each question it asks. `rules` must be [`in_order`] and free of repetitions within a set.
pub(crate) fn sweep(rules: &[SweptRule], with_port_0: bool, judge: &mut dyn Judge) {
    let mut ports = Ports::new(rules, with_port_0);
    let names = Names::new(rules);
    let mut at = rules.partition_point(|rule| rule.key.host == HostKey::Any);
    ports.enter(0..at);
    if let Some(host) = fresh_name(&names) {
        ports.visit(&Point { host: &host, public: true }, judge);
    }
    // The bases above the rule in question, outermost first, and the numbers of the rules over each.
    let mut scopes: Vec<(&RuleKey, Range<usize>)> = Vec::new();
    while let Some(first) = rules.get(at).map(|rule| &rule.key) {
        while let Some((_, scope)) = scopes.pop_if(|(base, _)| !first.is_below(base)) {
            ports.leave(scope);
        }
        let rest = rules.get(at..).unwrap_or_default();
        let group = at..at.saturating_add(rest.partition_point(|rule| rule.key.host == first.host));
        at = group.end;
        ports.enter(group.clone());
        let text = first.host.text();
        match first.host {
            HostKey::Below(_) => {
                scopes.push((first, group));
                if let Some(host) = fresh_name_below(&names, text) {
                    ports.visit(&Point { host: &host, public: true }, judge);
                }
                ports.visit(&Point { host: &format!(".{text}"), public: false }, judge);
            }
            // `order` puts the host itself before what is below it.
            HostKey::Exactly(_) | HostKey::Any => {
                ports.visit(&Point { host: text, public: is_public(text) }, judge);
                ports.leave(group);
            }
        }
    }
}

/// The rules in the order of a sweep; of a set's equal ones the first stands first.
pub(crate) fn in_order(rules: Vec<SweptRule>) -> Vec<SweptRule> {
    let compare = |a: usize, b: usize| match (rules.get(a), rules.get(b)) {
        (Some(a), Some(b)) => order(&a.key, &b.key).then(a.set.cmp(&b.set)),
        _ => Ordering::Equal,
    };
    let order = ordered(rules.len(), &compare);
    rearranged(rules, &order)
}

/// The order of a sweep: `*`, then names by their labels from the last one on, so that what is below a
/// name follows it, then IP literals.
pub(crate) fn order(a: &RuleKey, b: &RuleKey) -> Ordering {
    let kind = |key: &RuleKey| match key.host {
        HostKey::Any => 0,
        HostKey::Exactly(_) if key.is_ip() => 2_u8,
        _ => 1,
    };
    let below = |key: &RuleKey| matches!(key.host, HostKey::Below(_));
    kind(a)
        .cmp(&kind(b))
        .then_with(|| by_last_label(a.host.text(), b.host.text()))
        .then_with(|| below(a).cmp(&below(b)))
        .then_with(|| a.port.cmp(&b.port))
}

/// By the characters from the last one on, a dot before every other.
fn by_last_label(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    // Names of one list often end alike: eight characters at a time.
    while let (Some((before_a, end_a)), Some((before_b, end_b))) =
        (a.split_last_chunk::<8>(), b.split_last_chunk::<8>())
        && end_a == end_b
    {
        (a, b) = (before_a, before_b);
    }
    let rank = |byte: &u8| if *byte == b'.' { 0 } else { *byte };
    a.iter().rev().map(rank).cmp(b.iter().rev().map(rank))
}

/// Whether a text is a public hostname in canonical form.
fn is_public(text: &str) -> bool {
    CanonicalHost::parse(text).is_ok_and(|host| host.as_str() == text && is_public_host(&host))
}
