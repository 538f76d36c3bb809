//! A public name that no rule names more closely than the one in question.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::key::HostKey;
use super::{SweptRule, by_last_label, is_public};

/// Longest public hostname.
const MAX_PUBLIC_BYTES: usize = 253;

/// The names of the rules, in their order.
pub(super) struct Names<'r> {
    exact: Vec<&'r str>,
    bases: Vec<&'r str>,
}

impl<'r> Names<'r> {
    /// Of rules in the order of a sweep.
    pub(super) fn new(rules: &'r [SweptRule]) -> Self {
        let mut names = Self { exact: Vec::new(), bases: Vec::new() };
        for rule in rules {
            match &rule.key.host {
                HostKey::Exactly(host) if !rule.key.is_ip() => names.exact.push(host),
                HostKey::Below(base) => names.bases.push(base),
                _ => {}
            }
        }
        names
    }

    fn is_free(&self, name: &str) -> bool {
        self.exact.binary_search_by(|other| by_last_label(other, name)).is_err() && is_public(name)
    }

    fn is_base(&self, name: &str) -> bool {
        self.bases.binary_search_by(|other| by_last_label(other, name)).is_ok()
    }
}

/// A name that no rule matches, except `*`.
pub(super) fn fresh_name(names: &Names<'_>) -> Option<String> {
    let known = ["example.com", "example.org", "example.net"].into_iter().find(|name| names.is_free(name));
    known.map(String::from).or_else(|| fresh_name_below(names, "example"))
}

/// A name below `base` that no rule matches, except wildcards over `base` and shorter ones. `None` when
/// there is none.
pub(super) fn fresh_name_below(names: &Names<'_>, base: &str) -> Option<String> {
    // The shortest one: when this is too long or no public name, all are.
    if !is_public(&format!("a.{base}")) {
        return None;
    }
    let pretty = format!("sub.{base}");
    if names.is_free(&pretty) { Some(pretty) } else { search(names, base) }
}

/// Tries every name below `base`, the short ones first. Each that fails is named by a rule of its own,
/// so this takes no more steps than there are rules.
fn search(names: &Names<'_>, base: &str) -> Option<String> {
    let room = MAX_PUBLIC_BYTES.saturating_sub(base.len()).saturating_sub(1);
    let below = || (1..=room.min(63)).flat_map(Labels::new).map(|label| format!("{label}.{base}"));
    // Numbers come out as addresses here and there; those are no rule's, but one in 18 at most.
    if let Some(name) = below().find(|name| names.is_free(name)) {
        return Some(name);
    }
    // Only a few characters are left in front of the base, and every single label is taken.
    let deeper = below().filter(|name| name.len().saturating_add(2) <= MAX_PUBLIC_BYTES && !names.is_base(name));
    let mut deeper = deeper.filter_map(|name| search(names, &name));
    deeper.next()
}

/// All labels of a length that DNS allows, letters first.
struct Labels {
    next: Option<Vec<u8>>,
}

impl Labels {
    fn new(len: usize) -> Self {
        Self { next: Some(alloc::vec![b'a'; len]) }
    }
}

impl Iterator for Labels {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let label = self.next.take()?;
        let mut following = label.clone();
        let last = following.len().saturating_sub(1);
        // Like an odometer, the last character fastest.
        for (at, byte) in following.iter_mut().enumerate().rev() {
            let (next, carry) = match *byte {
                b'a'..=b'y' | b'0'..=b'8' => (byte.saturating_add(1), false),
                b'z' => (b'0', false),
                b'9' if at > 0 && at < last => (b'-', false),
                _ => (b'a', true),
            };
            *byte = next;
            if !carry {
                self.next = Some(following);
                break;
            }
        }
        String::from_utf8(label).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_all_of_a_length() {
        for (len, count) in [(1, 36), (2, 36 * 36), (3, 36 * 37 * 36)] {
            let mut labels: Vec<String> = Labels::new(len).collect();
            assert!(labels.iter().all(|label| is_public(&format!("{label}.example"))));
            labels.sort();
            labels.dedup();
            assert_eq!(labels.len(), count);
        }
    }

    #[test]
    fn where_every_label_is_taken_deeper_names_are_found() {
        // Three characters are left in front of it.
        let base = format!("{}example", "a.".repeat(121));
        let mut labels: Vec<String> = (1..=3).flat_map(Labels::new).collect();
        labels.sort_by(|a, b| a.bytes().rev().cmp(b.bytes().rev()));
        let taken: Vec<String> = labels.iter().map(|label| format!("{label}.{base}")).collect();
        // What lies below another base is not this one's.
        let other = format!("a.{base}");
        let names = Names { exact: taken.iter().map(String::as_str).collect(), bases: Vec::from([other.as_str()]) };
        assert_eq!(fresh_name_below(&names, &base), Some(format!("a.b.{base}")));
    }
}
