//! The hot calls of the core, for guests that are compiled for size.
//!
//! A compiler's optimisation level is a crate's. What the core marks `inline` on the way to a decision is compiled here,
//! at the level that the profile `wasm` gives this crate, and everything else of the core once, small.

#![no_std]
#![forbid(unsafe_code)]

use policy_core::{Decision, HostRoom, NetworkPolicy, Verdict};

/// [`NetworkPolicy::verdict`].
#[inline(never)]
pub fn verdict(policy: &NetworkPolicy, host: &[u8], port: u16, room: &mut HostRoom) -> Verdict {
    policy.verdict(host, port, room)
}

/// Whether the texts are the same.
#[inline(never)]
pub fn is_same(one: &[u8], other: &[u8]) -> bool {
    // Eight at a time: the `memcmp` of these guests goes byte by byte.
    let (eights, rest) = one.as_chunks::<8>();
    let (other_eights, other_rest) = other.as_chunks::<8>();
    one.len() == other.len()
        && eights.iter().zip(other_eights).all(|(one, other)| u64::from_le_bytes(*one) == u64::from_le_bytes(*other))
        && rest.iter().zip(other_rest).all(|(one, other)| one == other)
}

/// [`NetworkPolicy::decide`].
#[inline(never)]
pub fn decide<'p>(policy: &'p NetworkPolicy, host: &str, port: u16) -> Decision<'p> {
    policy.decide(host, port)
}
