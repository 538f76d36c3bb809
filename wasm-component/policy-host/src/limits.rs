//! What one instance may use.

use std::fmt;
use std::time::Duration;

use wasmtime::{Error, ResourceLimiter, Result};

/// Longest decision, by default. One takes less than a microsecond, so whatever takes this long is stuck.
pub(crate) const CALL_DEADLINE: Duration = Duration::from_secs(1);

/// Longest reading of a configuration or policy, by default. A million entries take about a second on a slow
/// machine.
pub(crate) const LOAD_DEADLINE: Duration = Duration::from_secs(10);

/// Memory of one instance, by default: enough to read a policy of a million entries from its text.
pub(crate) const MEMORY_LIMIT: usize = 256 << 20;

/// Largest memory of an instance that is kept for other use, since memory never shrinks. A fresh one has about
/// one mebibyte, of which few pages are really there.
pub(crate) const KEPT_MEMORY: usize = 8 << 20;

/// Entries of a table. The component's one table holds its function pointers, some hundreds.
const TABLE_LIMIT: usize = 20_000;

/// Longest host handed over, in bytes. No host has more than 255, so what is cut off here could not have changed
/// the answer, and nobody fills an instance's memory with one long text.
pub(crate) const HOST_CUT: usize = 256;

/// Destinations handed over in one call: a batch's memory and time stay small, and the cost of the call itself
/// is already spread thin.
pub(crate) const BATCH: usize = 1024;

/// Bytes of a stream handed over in one call; frames are a quarter of it at most.
pub(crate) const CHUNK: usize = 64 << 10;

/// Deadlines, counted in steps of the ticker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deadlines {
    pub(crate) period: Duration,
    pub(crate) call: Steps,
    pub(crate) load: Steps,
}

/// How many times the clock may move on during a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Steps(pub(crate) u64);

impl Deadlines {
    /// The ticker moves eight times within the shorter deadline, at least once a quarter of a second and at most
    /// once a millisecond.
    pub(crate) fn new(call: Duration, load: Duration) -> Self {
        let period = (call.min(load) / 8).clamp(Duration::from_millis(1), Duration::from_millis(250));
        Self { period, call: Steps::within(call, period), load: Steps::within(load, period) }
    }
}

impl Steps {
    /// One step more than fit, because the first comes at once when the call starts just before it.
    fn within(deadline: Duration, period: Duration) -> Self {
        let steps = deadline.as_nanos().div_ceil(period.as_nanos().max(1)).saturating_add(1);
        // Wasmtime adds the steps to those that passed, so that the largest number must stay far away.
        Self(u64::try_from(steps).unwrap_or(u64::MAX).min(u64::MAX >> 1))
    }
}

/// Counts the memory of one instance, and traps the instance rather than let it go on without.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) memory: usize,
    limit: usize,
}

impl Meter {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { memory: 0, limit }
    }
}

/// Why an instance cannot have more memory.
#[derive(Debug)]
pub(crate) enum NoMemory {
    Limit { wanted: usize, limit: usize },
    System(Error),
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit { wanted, limit } => write!(f, "{wanted} bytes needed, {limit} allowed"),
            Self::System(error) => write!(f, "{error:#}"),
        }
    }
}

impl std::error::Error for NoMemory {}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        let wanted = self.memory.saturating_sub(current).saturating_add(desired);
        if wanted > self.limit {
            return Err(Error::new(NoMemory::Limit { wanted, limit: self.limit }));
        }
        self.memory = wanted;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: Error) -> Result<()> {
        Err(Error::new(NoMemory::System(error)))
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        Ok(desired <= TABLE_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gets_its_time_and_at_most_two_steps_more() {
        for (call, load) in [(1000, 10_000), (10_000, 1000), (1, 1), (5, 60_000), (3_600_000, 3_600_000)] {
            let (call, load) = (Duration::from_millis(call), Duration::from_millis(load));
            let deadlines = Deadlines::new(call, load);
            for (wanted, Steps(steps)) in [(call, deadlines.call), (load, deadlines.load)] {
                // The first step may come at once.
                let least = deadlines.period * u32::try_from(steps - 1).unwrap();
                assert!(least >= wanted && least < wanted + deadlines.period, "{wanted:?} {deadlines:?}");
            }
        }
    }

    #[test]
    fn no_deadline_overflows() {
        let Deadlines { call: Steps(call), .. } = Deadlines::new(Duration::MAX, Duration::MAX);
        assert!(call > 1 << 60 && call < u64::MAX / 2 + 1);
    }

    #[test]
    fn memory_is_counted_over_all_memories() {
        let mut meter = Meter::new(300);
        assert!(meter.memory_growing(0, 100, None).unwrap());
        assert!(meter.memory_growing(0, 100, None).unwrap());
        assert!(meter.memory_growing(100, 200, None).unwrap());
        assert_eq!(meter.memory, 300);
        assert!(meter.memory_growing(100, 101, None).unwrap_err().is::<NoMemory>());
    }
}
