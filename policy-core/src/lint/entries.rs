//! The entries of both lists as they stand in the text.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::config::table;
use crate::diagnostic::{Source, Spot, item_path};
use crate::pattern::List;
use crate::region::{RuleKey, SweptRule, in_order};
use crate::text::trim;

pub(super) struct Entry<'t> {
    pub(super) list: List,
    /// As written (SPEC DIAGNOSTIC-4).
    pub(super) index: usize,
    pub(super) array: Spot,
    pub(super) spot: Spot,
    text: Cow<'t, str>,
}

/// The entries by number: the allowed ones, then the denied ones.
pub(super) struct Entries<'t> {
    all: Vec<Entry<'t>>,
}

// The sets of rules in a sweep.
pub(super) const DENIED: usize = 0;
pub(super) const ALLOWED: usize = 1;

impl<'t> Entries<'t> {
    pub(super) fn new(source: &Source<'t>) -> Self {
        let mut all = Vec::new();
        for list in [List::Allowed, List::Denied] {
            if let Some(array) = source.field(table::NETWORK.name, list.name()) {
                let entry = |(index, spot)| Entry { list, index, array, spot, text: source.text(spot) };
                all.extend(source.items(array).enumerate().map(entry));
            }
        }
        Self { all }
    }

    pub(super) fn get(&self, number: u32) -> Option<&Entry<'t>> {
        self.all.get(usize::try_from(number).ok()?)
    }

    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &Entry<'t>)> {
        (0..).zip(&self.all)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The rules of the entries, in the order of a sweep.
    pub(super) fn rules(&self) -> Vec<SweptRule> {
        let rule = |(id, entry): (u32, &Entry<'_>)| {
            let (set, asks) = match entry.list {
                List::Denied => (DENIED, super::effect::DENIED_MATTERS),
                List::Allowed => (ALLOWED, super::effect::ALLOWED_MATTERS),
            };
            Some(SweptRule { key: entry.key()?, set, id, asks: 1 << asks })
        };
        in_order(self.numbered().filter_map(rule).collect())
    }
}

impl Entry<'_> {
    pub(super) fn text(&self) -> &str {
        trim(&self.text)
    }

    pub(super) fn key(&self) -> Option<RuleKey> {
        RuleKey::of(self.text(), self.list)
    }

    pub(super) fn path(&self) -> String {
        item_path(table::NETWORK.name, self.list.name(), self.index)
    }
}
