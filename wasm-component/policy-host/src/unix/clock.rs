//! The clock of one side of the protocol.

use std::time::{Duration, Instant};

/// Milliseconds since it was made; it does not go back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
    /// How many times as fast as the world it runs: 1, but in tests.
    speed: u32,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self::with_speed(1)
    }

    pub(super) fn with_speed(speed: u32) -> Self {
        Self { start: Instant::now(), speed }
    }

    pub(super) fn now(self) -> u64 {
        let passed = self.start.elapsed().saturating_mul(self.speed);
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }

    /// How long until then; not nothing, so that a timeout made of it is one.
    pub(super) fn until(self, then: u64) -> Duration {
        let left = Duration::from_millis(then.saturating_sub(self.now()));
        left.checked_div(self.speed).unwrap_or(left).max(Duration::from_millis(1))
    }
}
