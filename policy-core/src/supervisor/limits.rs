//! The named limits of the protocol, and where each comes from.

use core::fmt;

/// SPEC SUPERVISOR-2, SUPERVISOR-22: bytes of one line, its newline not counted. From the protocol.
pub const MAX_FRAME_BYTES: usize = 16_384;

/// SPEC SUPERVISOR-19: bytes of a policy's canonical JSON. What [`MAX_FRAME_BYTES`] leaves for it in a registration
/// reply: 16,384 less the 768 that an id takes at most, less the 37 of the rest, rounded down to 15 KiB.
pub const MAX_POLICY_BYTES: usize = 15_360;

/// SPEC SUPERVISOR-22: milliseconds that a worker waits for a reply. From the protocol.
pub const REPLY_TIMEOUT_MS: u64 = 30_000;

/// SPEC SUPERVISOR-27: bare denies of one connection. A worker in order gets none; one that races another for an id, a few.
pub(super) const MAX_REFUSED_LINES: usize = 16;

/// SPEC SUPERVISOR-5: UTF-16 units of a request's id. From the protocol.
pub(super) const MAX_ID_UNITS: usize = 128;

/// SPEC SUPERVISOR-6: UTF-16 units of a `workerId`. From the protocol.
pub(super) const MAX_WORKER_ID_UNITS: usize = 128;

/// SPEC SUPERVISOR-7: UTF-16 units of a `cwd`. From the protocol; the longest path that Linux takes.
pub(super) const MAX_CWD_UNITS: usize = 4096;

/// SPEC SUPERVISOR-12: UTF-16 units of a `hostname`. From the protocol; the longest DNS name without its root dot.
pub(super) const MAX_HOSTNAME_UNITS: usize = 253;

/// How a [`Supervisor`](super::Supervisor) behaves where the host may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupervisorOptions {
    /// SPEC SUPERVISOR-14, SUPERVISOR-15: whether the policy answers first and only a review goes to the approver.
    pub recheck: bool,
    /// SPEC SUPERVISOR-26: milliseconds that the approver has for one ask; [`u64::MAX`] is no limit.
    pub ask_timeout_ms: u64,
    /// How much the supervisor remembers.
    pub limits: SupervisorLimits,
}

impl Default for SupervisorOptions {
    /// Recheck, and as long for an ask as a worker waits for its reply: a later answer would reach nobody.
    fn default() -> Self {
        Self { recheck: true, ask_timeout_ms: REPLY_TIMEOUT_MS, limits: SupervisorLimits::default() }
    }
}

/// SPEC SUPERVISOR-27: how much state a supervisor keeps. What does not fit is denied; nothing is forgotten to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupervisorLimits {
    /// Connections open at once.
    pub connections: usize,
    /// Workers ever registered, the exited ones included.
    pub workers: usize,
    /// Request ids ever used up.
    pub request_ids: usize,
    /// Asks that wait for the approver, of all workers together.
    pub pending_asks: usize,
    /// Asks of one worker that wait, so that one worker cannot take every place.
    pub pending_asks_per_worker: usize,
}

impl Default for SupervisorLimits {
    fn default() -> Self {
        Self {
            // The usual hard limit on the open files of a process; 64 MiB if every one holds an unfinished line.
            connections: 4_096,
            // Five times the 200 workers that are tested at once; at most 13 MiB, nearly all of it `cwd`s.
            workers: 1_024,
            // Ten requests a second for 29 hours; about 30 MiB whatever the lengths of the ids.
            request_ids: 1 << 20,
            // One for each connection.
            pending_asks: 4_096,
            // Several times what a package manager opens at once.
            pending_asks_per_worker: 256,
        }
    }
}

/// SPEC SUPERVISOR-19: no registration reply could carry the policy (D9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyTooLarge {
    /// Bytes of its canonical JSON.
    pub bytes: usize,
    /// How many there may be: [`MAX_POLICY_BYTES`].
    pub limit: usize,
}

impl fmt::Display for PolicyTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy too large: {} bytes, limit {}", self.bytes, self.limit)
    }
}

impl core::error::Error for PolicyTooLarge {}
