//! The hot call of the core, for guests that are compiled for size.
//!
//! A compiler's optimisation level is a crate's. What the core marks `inline` on the way to a decision is compiled here,
//! at the level that the profile `wasm` gives this crate, and everything else of the core once, small.

#![no_std]
#![forbid(unsafe_code)]

use policy_core::{HostRoom, NetworkPolicy, Verdict};

/// [`NetworkPolicy::verdict`].
#[inline(never)]
pub fn verdict(policy: &NetworkPolicy, host: &[u8], port: u16, room: &mut HostRoom) -> Verdict {
    policy.verdict(host, port, room)
}
