//! A worker and its exchanges, several at once.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::Clock;
use super::error::ClientError;
use crate::decision::{Action, Decision};
use crate::error::{Error, Failure};
use crate::protocol::{Answer, ExchangeId, OutgoingRequest, Worker, random_hex};

/// What the threads or tasks of one worker share. It is held for one call at a time, never while somebody waits.
pub(super) struct Session {
    state: Mutex<State>,
    clock: Clock,
}

struct State {
    worker: Worker,
    /// Outcomes that nobody has taken yet.
    settled: BTreeMap<ExchangeId, Answer>,
}

/// How an exchange stands.
pub(super) enum Progress {
    /// It is over. `in_time` is false when it ended because nothing came.
    Settled { answer: Answer, in_time: bool },
    /// Nothing to do until bytes come or this time is over.
    Wait(Duration),
}

/// One exchange, which ends when this is dropped, if not before: nothing waits for it any more.
pub(super) struct Exchange<'s> {
    session: &'s Session,
    id: ExchangeId,
    /// The request, with its newline.
    pub(super) line: String,
}

impl Session {
    pub(super) fn new(worker: Worker, clock: Clock) -> Self {
        Self { state: Mutex::new(State { worker, settled: BTreeMap::new() }), clock }
    }

    pub(super) fn begin(
        &self,
        request: impl FnOnce(&mut Worker, &str, u64) -> Result<OutgoingRequest, Error>,
    ) -> Result<Exchange<'_>, ClientError> {
        let request_id = random_hex::<16>()?;
        let OutgoingRequest { exchange, mut line } = request(&mut self.lock().worker, &request_id, self.clock.now())?;
        line.push('\n');
        Ok(Exchange { session: self, id: exchange, line })
    }

    pub(super) fn decide(&self, host: &str, port: u16) -> Decision {
        self.lock().worker.decide(host, port)
    }

    pub(super) fn check(&self, host: &str, port: u16) -> Action {
        self.lock().worker.check(host, port)
    }

    pub(super) fn fingerprint(&self) -> Result<String, Failure> {
        self.lock().worker.fingerprint()
    }

    /// A worker whose call panicked is at its end, as one whose call failed.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchange<'_> {
    pub(super) fn received(&self, bytes: &[u8]) -> Result<(), Failure> {
        let now = self.session.clock.now();
        self.session.lock().worker.receive(self.id, bytes, now)
    }

    pub(super) fn progress(&self) -> Result<Progress, Failure> {
        let clock = self.session.clock;
        let mut state = self.session.lock();
        if let Some(answer) = state.take(self.id)? {
            return Ok(Progress::Settled { answer, in_time: true });
        }
        let now = clock.now();
        state.worker.expire(now)?;
        if let Some(answer) = state.take(self.id)? {
            return Ok(Progress::Settled { answer, in_time: false });
        }
        // There is a deadline as long as this exchange waits.
        let then = state.worker.next_deadline()?.unwrap_or(now);
        Ok(Progress::Wait(clock.until(then)))
    }
}

impl State {
    fn take(&mut self, exchange: ExchangeId) -> Result<Option<Answer>, Failure> {
        let outcomes = self.worker.poll()?;
        self.settled.extend(outcomes.into_iter().map(|outcome| (outcome.exchange, outcome.answer)));
        Ok(self.settled.remove(&exchange))
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        let mut state = self.session.lock();
        // A worker that failed has no exchanges.
        let _ = state.worker.end(self.id).and_then(|()| state.take(self.id));
    }
}

/// What became of the connection of an exchange that got no reply.
pub(super) fn no_reply() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended without a reply")
}

pub(super) fn too_late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no reply in time")
}
