//! Items under numbers that only grow.

use alloc::vec::Vec;

/// A map for keys that are given out in ascending order: a sorted list that new items are put behind. Small in a module
/// for the web, where a tree would be compiled anew for every type of item.
#[derive(Debug)]
pub(super) struct Numbered<K, T> {
    /// Ascending; an item that was removed leaves its key until half of them are such.
    items: Vec<(K, Option<T>)>,
    len: usize,
}

impl<K, T> Default for Numbered<K, T> {
    fn default() -> Self {
        Self { items: Vec::new(), len: 0 }
    }
}

impl<K: Copy + Ord, T> Numbered<K, T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// For a key that is greater than every key before it.
    pub(super) fn insert(&mut self, key: K, item: T) {
        self.items.push((key, Some(item)));
        self.len = self.len.saturating_add(1);
    }

    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut T> {
        self.slot(key)?.as_mut()
    }

    pub(super) fn remove(&mut self, key: K) -> Option<T> {
        let item = self.slot(key)?.take()?;
        self.len = self.len.saturating_sub(1);
        while let Some((_, None)) = self.items.last() {
            self.items.pop();
        }
        if self.items.len() > self.len.saturating_mul(2) {
            self.items.retain(|(_, item)| item.is_some());
        }
        Some(item)
    }

    /// In ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        self.items.iter().filter_map(|(key, item)| Some((*key, item.as_ref()?)))
    }

    /// The keys of the items that `condition` holds for, in ascending order.
    pub(super) fn keys_where(&self, condition: impl Fn(&T) -> bool) -> Vec<K> {
        self.iter().filter(|(_, item)| condition(item)).map(|(key, _)| key).collect()
    }

    fn slot(&mut self, key: K) -> Option<&mut Option<T>> {
        let at = self.items.binary_search_by(|(other, _)| other.cmp(&key)).ok()?;
        self.items.get_mut(at).map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0_u8..4, 0_u64..40), 0..120)) {
            let (mut ours, mut tree) = (Numbered::default(), BTreeMap::new());
            let mut last = 0_u64;
            for (step, key) in steps {
                match step {
                    0 | 1 => {
                        last += 1;
                        ours.insert(last, last * 10);
                        tree.insert(last, last * 10);
                    }
                    2 => prop_assert_eq!(ours.remove(key), tree.remove(&key)),
                    _ => prop_assert_eq!(ours.get_mut(key), tree.get_mut(&key)),
                }
                prop_assert_eq!(ours.len(), tree.len());
                prop_assert!(ours.items.len() <= 2 * tree.len());
                prop_assert!(ours.keys_where(|item| item % 20 == 0).iter().eq(tree.keys().filter(|key| **key % 2 == 0)));
                prop_assert!(ours.iter().map(|(key, item)| (key, *item)).eq(tree.iter().map(|(key, item)| (*key, *item))));
            }
        }
    }

    #[test]
    fn what_is_removed_takes_no_room_for_long() {
        for last in [8, 9] {
            let mut numbered = Numbered::default();
            (0..=last).for_each(|key| numbered.insert(key, key));
            for key in 0..last {
                assert_eq!(numbered.remove(key), Some(key));
                assert!(numbered.items.len() <= 2 * numbered.len(), "{key} of {last}");
            }
        }
    }
}
