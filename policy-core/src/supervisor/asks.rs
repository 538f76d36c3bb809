//! The requests that wait for the approver.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::numbered::Numbered;
use super::output::{AskId, ConnectionId};
use super::roster::Place;

/// One waiting request: whom to answer, and until when.
#[derive(Debug)]
pub(super) struct PendingAsk {
    pub(super) connection: ConnectionId,
    pub(super) worker: Place,
    pub(super) request_id: String,
    /// From here on the answer is deny.
    pub(super) deadline: u64,
}

/// All waiting requests, by age.
#[derive(Debug, Default)]
pub(super) struct Asks {
    pending: Numbered<AskId, PendingAsk>,
    /// Deadline and ask in one number, which is the set that `seen` has compiled already.
    deadlines: BTreeSet<u128>,
    last: u64,
}

impl Asks {
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn insert(&mut self, ask: PendingAsk) -> AskId {
        self.last = self.last.saturating_add(1);
        let id = AskId::from(self.last);
        self.deadlines.insert(due(ask.deadline, id));
        self.pending.insert(id, ask);
        id
    }

    pub(super) fn remove(&mut self, id: AskId) -> Option<PendingAsk> {
        let ask = self.pending.remove(id)?;
        self.deadlines.remove(&due(ask.deadline, id));
        Some(ask)
    }

    /// Those that `condition` holds for, oldest first.
    pub(super) fn remove_where(&mut self, condition: impl Fn(&PendingAsk) -> bool) -> Vec<(AskId, PendingAsk)> {
        let ids = self.pending.keys_where(condition);
        ids.into_iter().filter_map(|id| Some((id, self.remove(id)?))).collect()
    }

    /// One whose time is over.
    pub(super) fn remove_due(&mut self, now: u64) -> Option<(AskId, PendingAsk)> {
        let (deadline, id) = self.next()?;
        if deadline > now {
            return None;
        }
        Some((id, self.remove(id)?))
    }

    pub(super) fn next_deadline(&self) -> Option<u64> {
        self.next().map(|(deadline, _)| deadline)
    }

    fn next(&self) -> Option<(u64, AskId)> {
        let due = *self.deadlines.first()?;
        let id = u64::try_from(due & u128::from(u64::MAX)).unwrap_or_default();
        Some((u64::try_from(due >> 64).unwrap_or(u64::MAX), AskId::from(id)))
    }
}

/// Orders by deadline, then by age.
fn due(deadline: u64, id: AskId) -> u128 {
    (u128::from(deadline) << 64) | u128::from(u64::from(id))
}
