//! The request ids that were used up.

use alloc::collections::BTreeSet;

use sha2::{Digest, Sha256};

/// SPEC SUPERVISOR-10, SUPERVISOR-27: every id ever accepted, in 16 bytes each however long it is.
///
/// Kept is the first half of its SHA-256. Two ids with one half are not to be found; if they were, the second would be
/// refused, never the first accepted again. A tree, so that no choice of ids makes a look-up slow.
#[derive(Debug, Default)]
pub(super) struct SeenIds {
    digests: BTreeSet<u128>,
}

impl SeenIds {
    pub(super) fn contains(&self, id: &str) -> bool {
        self.digests.contains(&digest(id))
    }

    pub(super) fn insert(&mut self, id: &str) {
        self.digests.insert(digest(id));
    }

    pub(super) fn len(&self) -> usize {
        self.digests.len()
    }
}

fn digest(id: &str) -> u128 {
    let hash: [u8; 32] = Sha256::digest(id.as_bytes()).into();
    hash.first_chunk().copied().map_or(0, u128::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn an_id_is_told_from_every_other() {
        let mut seen = SeenIds::default();
        for number in 0..10_000_u32 {
            assert!(!seen.contains(&number.to_string()));
            seen.insert(&number.to_string());
            assert!(seen.contains(&number.to_string()));
        }
        assert_eq!(seen.len(), 10_000);
        ["", "a", "A", "a ", "é", "e\u{301}"].iter().for_each(|id| {
            assert!(!seen.contains(id), "{id}");
            seen.insert(id);
        });
        assert_eq!(seen.len(), 10_006);
    }
}
