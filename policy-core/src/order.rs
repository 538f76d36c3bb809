//! One sort for all lists. Each call of a generic one would be compiled anew for its type, and a
//! module for the web carries all of them.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The numbers below `count` in the order of the items that they stand for; equal items keep
/// theirs. A merge sort: n log n comparisons at most.
pub(crate) fn ordered(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut from: Vec<usize> = (0..count).collect();
    let mut to: Vec<usize> = Vec::with_capacity(count);
    let mut width = 1_usize;
    while width < count {
        to.clear();
        for pair in from.chunks(width.saturating_mul(2)) {
            let (left, right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            merge(left, right, compare, &mut to);
        }
        core::mem::swap(&mut from, &mut to);
        width = width.saturating_mul(2);
    }
    from
}

fn merge(left: &[usize], right: &[usize], compare: &dyn Fn(usize, usize) -> Ordering, to: &mut Vec<usize>) {
    let (mut left, mut right) = (left.iter(), right.iter());
    while let (Some(&a), Some(&b)) = (left.as_slice().first(), right.as_slice().first()) {
        let next = if compare(a, b).is_gt() { right.next() } else { left.next() };
        to.extend(next);
    }
    to.extend(left);
    to.extend(right);
}

/// The items in this order; a number that does not occur drops its item.
pub(crate) fn rearranged<T>(items: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.iter().filter_map(|&number| items.get_mut(number)?.take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_like_the_standard_library(items in prop::collection::vec(0_u8..20, 0..70)) {
            let order = ordered(items.len(), &|a, b| items.get(a).cmp(&items.get(b)));
            let mut expected: Vec<usize> = (0..items.len()).collect();
            expected.sort_by_key(|&number| items.get(number));
            prop_assert_eq!(&order, &expected);
            prop_assert!(rearranged(items, &order).is_sorted());
        }
    }
}
