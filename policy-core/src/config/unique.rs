//! First occurrences of a list's texts (CONFIG-25).

use alloc::vec::Vec;
use core::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use sha2::{Digest, Sha256};

/// The texts that no earlier one equals, each with the index it came with.
pub(crate) fn unique<'a>(texts: impl IntoIterator<Item = (usize, &'a str)>) -> Vec<(usize, &'a str)> {
    let mut texts: Vec<(usize, &str)> = texts.into_iter().collect();
    let hasher = FixedState::with_seed(seed(&texts));
    let mut seen: HashTable<&str> = HashTable::with_capacity(texts.len());
    texts.retain(|&(_, text)| {
        let hash = hasher.hash_one(text);
        let is_new = seen.find(hash, |&other| other == text).is_none();
        if is_new {
            // Never grows: made for all of them.
            seen.insert_unique(hash, text, |_| hash);
        }
        is_new
    });
    texts
}

/// From the texts themselves, so that nobody can prepare texts that collide.
fn seed(texts: &[(usize, &str)]) -> u64 {
    let mut sha = Sha256::new();
    for (_, text) in texts {
        sha.update(text.as_bytes());
    }
    let digest: [u8; 32] = sha.finalize().into();
    digest.first_chunk().copied().map_or(0, u64::from_le_bytes)
}
