//! The workers that a supervisor knows.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

/// One worker as its supervisor sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerRecord {
    /// The `workerId` it registered with.
    pub id: String,
    /// The directory it registered with.
    pub cwd: String,
    /// Whether it may ask.
    pub state: WorkerState,
    /// Its `network` requests that were accepted, whatever their answers.
    pub requests: u64,
    /// When it registered, by the host's clock.
    #[serde(skip)]
    pub registered_at: u64,
    /// When it unregistered.
    #[serde(skip)]
    pub exited_at: Option<u64>,
}

/// Whether a worker may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkerState {
    /// Registered.
    Active,
    /// Unregistered, for good.
    Exited,
}

impl WorkerState {
    /// `active` or `exited`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Exited => "exited",
        }
    }
}

/// Every worker that ever registered, in that order.
#[derive(Debug, Default)]
pub(super) struct Roster {
    entries: Vec<Entry>,
    /// By id. A list is enough for as many as a supervisor admits.
    by_id: Vec<Place>,
    active: usize,
}

#[derive(Debug)]
struct Entry {
    record: WorkerRecord,
    pending_asks: usize,
}

/// The place of one worker in its roster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Roster {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many may still unregister.
    pub(super) fn active(&self) -> usize {
        self.active
    }

    pub(super) fn records(&self) -> impl ExactSizeIterator<Item = &WorkerRecord> + Clone {
        self.entries.iter().map(|entry| &entry.record)
    }

    /// Registered at some time, exited or not.
    pub(super) fn knows(&self, worker_id: &str) -> bool {
        self.search(worker_id).is_ok()
    }

    /// SPEC SUPERVISOR-12, SUPERVISOR-17: the active worker of that id and directory.
    pub(super) fn find_active(&self, worker_id: &str, cwd: &str) -> Option<Place> {
        let place = *self.by_id.get(self.search(worker_id).ok()?)?;
        let Entry { record, .. } = self.entries.get(place.0)?;
        (record.state == WorkerState::Active && record.cwd == cwd).then_some(place)
    }

    /// For an id that is not known.
    pub(super) fn register(&mut self, worker_id: &str, cwd: &str, now: u64) -> WorkerRecord {
        let place = Place(self.entries.len());
        let record = WorkerRecord {
            id: worker_id.into(),
            cwd: cwd.into(),
            state: WorkerState::Active,
            requests: 0,
            registered_at: now,
            exited_at: None,
        };
        if let Err(at) = self.search(worker_id) {
            self.by_id.insert(at, place);
        }
        self.entries.push(Entry { record: record.clone(), pending_asks: 0 });
        self.active = self.active.saturating_add(1);
        record
    }

    /// Where the id stands in `by_id`, or would.
    fn search(&self, worker_id: &str) -> Result<usize, usize> {
        let id = |place: &Place| self.entries.get(place.0).map(|entry| entry.record.id.as_str());
        self.by_id.binary_search_by(|place| id(place).cmp(&Some(worker_id)))
    }

    /// For an active worker.
    pub(super) fn exit(&mut self, place: Place, now: u64) -> Option<WorkerRecord> {
        let Entry { record, .. } = self.entries.get_mut(place.0)?;
        record.state = WorkerState::Exited;
        record.exited_at = Some(now);
        self.active = self.active.saturating_sub(1);
        Some(record.clone())
    }

    pub(super) fn count_request(&mut self, place: Place) {
        if let Some(entry) = self.entries.get_mut(place.0) {
            entry.record.requests = entry.record.requests.saturating_add(1);
        }
    }

    pub(super) fn pending_asks(&self, place: Place) -> usize {
        self.entries.get(place.0).map_or(0, |entry| entry.pending_asks)
    }

    pub(super) fn ask_begins(&mut self, place: Place) {
        if let Some(entry) = self.entries.get_mut(place.0) {
            entry.pending_asks = entry.pending_asks.saturating_add(1);
        }
    }

    pub(super) fn ask_ends(&mut self, place: Place) {
        if let Some(entry) = self.entries.get_mut(place.0) {
            entry.pending_asks = entry.pending_asks.saturating_sub(1);
        }
    }
}
