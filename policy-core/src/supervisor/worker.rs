//! The worker's side of the protocol.
//!
//! SPEC SUPERVISOR-24: true of the whole module.

use alloc::collections::VecDeque;
use alloc::string::String;
use core::fmt;

use serde::Serialize;

use super::MAX_FRAME_BYTES;
use super::capability::Capability;
use super::limits::REPLY_TIMEOUT_MS;
use super::line::{LineBuffer, Split};
use super::numbered::Numbered;
use super::reply::{Answer, with_allowed};
use super::request::{Kind, Request, is_cwd, is_hostname, is_id, is_worker_id};
use crate::policy::NetworkPolicy;
use crate::transport;

/// Registers with a supervisor, asks it about connections, and leaves.
///
/// ```text
/// ┌──────────────────────────── the contract ────────────────────────────┐
/// │ requests  register, network, unregister give a line; write it and a  │
/// │           newline to a connection that no other exchange uses        │
/// │ inputs    receive what comes back; `end` when the connection ended   │
/// │           or was never made; `expire` when `next_deadline` has come  │
/// │ outcomes  after every input call `poll` until it gives `None`; every │
/// │           exchange has exactly one outcome, allow or deny            │
/// │ time      `now` is in milliseconds of one clock that does not go back│
/// │ wrong     a request in the wrong stage is refused, an input for an   │
/// │           exchange that is over is ignored; neither changes anything │
/// └──────────────────────────────────────────────────────────────────────┘
/// ```
///
/// The first line that comes back on the connection is the reply. It allows only if it names the request's own id, so
/// what is left over from an earlier exchange cannot allow a later one. A connection can be used again for the next
/// exchange.
///
/// ```
/// use policy_core::{Action, Answer, Capability, Worker};
///
/// let mut worker = Worker::new(Capability::parse(&"ab".repeat(32))?, "w", "/repo")?;
/// let request = worker.register("id-1", 0)?;
/// let reply = r#"{"id":"id-1","action":"allow","network":{"allowedDomains":["ok.example"],"deniedDomains":[]}}"#;
/// worker.receive(request.exchange, reply.as_bytes(), 5);
/// assert_eq!(worker.poll(), None); // The line has not ended yet.
/// worker.receive(request.exchange, b"\n", 6);
/// assert_eq!(worker.poll().map(|outcome| outcome.answer), Some(Answer::Allow));
/// assert_eq!(worker.policy().check("ok.example", 443), Action::Allow);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Worker {
    capability: Capability,
    id: String,
    cwd: String,
    stage: WorkerStage,
    policy: NetworkPolicy,
    exchanges: Numbered<ExchangeId, Exchange>,
    last_exchange: u64,
    outcomes: VecDeque<Outcome>,
}

/// How far a worker has come. It never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkerStage {
    /// Has not asked to register.
    New,
    /// Waits for the reply to its registration.
    Registering,
    /// Has a policy and may ask.
    Active,
    /// Waits for the reply to its unregistration; may not ask.
    Leaving,
    /// Was refused, or has left. Nothing can be sent any more.
    Stopped,
}

/// One line to send. Its `Debug` does not show the line, which holds the capability.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct OutgoingRequest {
    /// Names the exchange in the calls that follow.
    pub exchange: ExchangeId,
    /// JSON without its newline.
    pub line: String,
}

/// What one exchange came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Which.
    pub exchange: ExchangeId,
    /// For a registration, allow means that the worker is active and has the policy it was sent.
    pub answer: Answer,
}

/// One request of a worker and its reply; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ExchangeId(u64);

/// The `workerId` or the `cwd` breaks its rule (SUPERVISOR-6, SUPERVISOR-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidWorker {
    /// The `workerId`.
    Id,
    /// The `cwd`.
    Cwd,
}

/// Why a request was not made. Whatever the reason, the connection it was for must not be made either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestRefused {
    /// The worker's stage has no such request.
    Stage(WorkerStage),
    /// The id breaks its rule (SUPERVISOR-5).
    Id,
    /// The hostname or the port breaks its rule (SUPERVISOR-12).
    Destination,
    /// The line would be over [`MAX_FRAME_BYTES`].
    TooLong,
    /// Too many exchanges wait for their replies.
    TooManyPending,
}

#[derive(Debug)]
struct Exchange {
    purpose: Purpose,
    request_id: String,
    lines: LineBuffer,
    /// From here on the outcome is deny.
    deadline: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Register,
    Network,
    Unregister,
}

impl Worker {
    /// A worker that has not registered.
    ///
    /// # Errors
    /// [`InvalidWorker`] when a supervisor would refuse every request of it.
    pub fn new(capability: Capability, id: &str, cwd: &str) -> Result<Self, InvalidWorker> {
        if !is_worker_id(id) {
            return Err(InvalidWorker::Id);
        }
        if !is_cwd(cwd) {
            return Err(InvalidWorker::Cwd);
        }
        Ok(Self {
            capability,
            id: id.into(),
            cwd: cwd.into(),
            stage: WorkerStage::New,
            policy: NetworkPolicy::deny_all(),
            exchanges: Numbered::default(),
            last_exchange: 0,
            outcomes: VecDeque::new(),
        })
    }

    /// Asks to join. `request_id` is drawn at random by the host, as for every request.
    ///
    /// # Errors
    /// [`RequestRefused`] unless the worker is new.
    pub fn register(&mut self, request_id: &str, now: u64) -> Result<OutgoingRequest, RequestRefused> {
        self.request(WorkerStage::New, request_id, Kind::Register, now)
    }

    /// Asks about one connection.
    ///
    /// # Errors
    /// [`RequestRefused`] unless the worker is active and the destination obeys SUPERVISOR-12.
    pub fn network(
        &mut self,
        request_id: &str,
        hostname: &str,
        port: u16,
        now: u64,
    ) -> Result<OutgoingRequest, RequestRefused> {
        self.request(WorkerStage::Active, request_id, Kind::Network { hostname, port }, now)
    }

    /// Says that the worker leaves. Its policy is the deny-all policy from here on, and what it waits for is denied.
    ///
    /// # Errors
    /// [`RequestRefused`] unless the worker is active.
    pub fn unregister(&mut self, request_id: &str, now: u64) -> Result<OutgoingRequest, RequestRefused> {
        self.request(WorkerStage::Active, request_id, Kind::Unregister, now)
    }

    /// Bytes have come back, cut anywhere.
    pub fn receive(&mut self, exchange: ExchangeId, bytes: &[u8], now: u64) {
        let Some(state) = self.exchanges.get_mut(exchange) else { return };
        // SPEC SUPERVISOR-22
        if now >= state.deadline {
            return self.settle(exchange, None);
        }
        match state.lines.split(bytes) {
            Split::Line { line, .. } => self.settle(exchange, Some(&line)),
            Split::Unfinished => {}
            Split::TooLong => self.settle(exchange, None),
        }
    }

    /// No more will come back: the connection has ended, or could not be made.
    pub fn end(&mut self, exchange: ExchangeId) {
        self.settle(exchange, None);
    }

    /// Denies every exchange whose time is over.
    pub fn expire(&mut self, now: u64) {
        let due = self.exchanges.keys_where(|state| now >= state.deadline);
        due.into_iter().for_each(|exchange| self.settle(exchange, None));
    }

    /// When [`expire`](Self::expire) has something to do next.
    pub fn next_deadline(&self) -> Option<u64> {
        self.exchanges.iter().map(|(_, state)| state.deadline).min()
    }

    /// The next outcome.
    pub fn poll(&mut self) -> Option<Outcome> {
        self.outcomes.pop_front()
    }

    /// How far it has come.
    pub const fn stage(&self) -> WorkerStage {
        self.stage
    }

    /// What the supervisor sent, while the worker is active; in every other stage the deny-all policy.
    pub const fn policy(&self) -> &NetworkPolicy {
        &self.policy
    }

    /// SPEC SUPERVISOR-21
    fn request(
        &mut self,
        stage: WorkerStage,
        id: &str,
        kind: Kind<'_>,
        now: u64,
    ) -> Result<OutgoingRequest, RequestRefused> {
        if self.stage != stage {
            return Err(RequestRefused::Stage(self.stage));
        }
        if !is_id(id) {
            return Err(RequestRefused::Id);
        }
        if let Kind::Network { hostname, port } = kind
            && (port == 0 || !is_hostname(hostname))
        {
            return Err(RequestRefused::Destination);
        }
        let line = Request { id, worker_id: &self.id, cwd: &self.cwd, kind }.write(&self.capability);
        let line = line.filter(|line| line.len() <= MAX_FRAME_BYTES).ok_or(RequestRefused::TooLong)?;
        let purpose = Purpose::of(kind);
        if purpose == Purpose::Network && self.exchanges.len() >= MAX_PENDING_EXCHANGES {
            return Err(RequestRefused::TooManyPending);
        }
        match purpose {
            Purpose::Register => self.stage = WorkerStage::Registering,
            Purpose::Network => {}
            Purpose::Unregister => self.leave(),
        }
        self.last_exchange = self.last_exchange.saturating_add(1);
        let exchange = ExchangeId(self.last_exchange);
        let deadline = now.saturating_add(REPLY_TIMEOUT_MS);
        let state = Exchange { purpose, request_id: id.into(), lines: LineBuffer::default(), deadline };
        self.exchanges.insert(exchange, state);
        Ok(OutgoingRequest { exchange, line })
    }

    fn leave(&mut self) {
        for exchange in self.exchanges.keys_where(|_| true) {
            self.settle(exchange, None);
        }
        self.stage = WorkerStage::Leaving;
        self.policy = NetworkPolicy::deny_all();
    }

    /// Ends an exchange by its reply; `None` is no reply that counts.
    fn settle(&mut self, exchange: ExchangeId, reply: Option<&[u8]>) {
        let Some(state) = self.exchanges.remove(exchange) else { return };
        let allowed = reply.and_then(|line| {
            with_allowed(line, &state.request_id, |network| match state.purpose {
                // SPEC SUPERVISOR-23, TRANSPORT-4: an allowed worker has a policy, if only the deny-all policy.
                Purpose::Register => Some(transport::decode(network).unwrap_or_else(NetworkPolicy::deny_all)),
                Purpose::Network | Purpose::Unregister => None,
            })
        });
        let answer = if allowed.is_some() { Answer::Allow } else { Answer::Deny };
        match (state.purpose, allowed.flatten()) {
            (Purpose::Register, Some(policy)) => {
                self.stage = WorkerStage::Active;
                self.policy = policy;
            }
            (Purpose::Register, None) | (Purpose::Unregister, _) => self.stage = WorkerStage::Stopped,
            (Purpose::Network, _) => {}
        }
        self.outcomes.push_back(Outcome { exchange, answer });
    }
}

impl Purpose {
    const fn of(kind: Kind<'_>) -> Self {
        match kind {
            Kind::Register => Self::Register,
            Kind::Network { .. } => Self::Network,
            Kind::Unregister => Self::Unregister,
        }
    }
}

impl WorkerStage {
    /// `new`, `registering`, `active`, `leaving` or `stopped`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Registering => "registering",
            Self::Active => "active",
            Self::Leaving => "leaving",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Debug for OutgoingRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingRequest").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}

impl fmt::Display for InvalidWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id => "a `workerId` has 1 to 128 UTF-16 units",
            Self::Cwd => "a `cwd` starts with `/` and has at most 4096 UTF-16 units",
        })
    }
}

impl core::error::Error for InvalidWorker {}

impl fmt::Display for RequestRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stage(stage) => write!(f, "no such request while the worker is {}", stage.name()),
            Self::Id => f.write_str("a request id has 1 to 128 UTF-16 units"),
            Self::Destination => f.write_str("a hostname has at most 253 UTF-16 units and a port is 1 to 65535"),
            Self::TooLong => write!(f, "the request takes more than {MAX_FRAME_BYTES} bytes"),
            Self::TooManyPending => write!(f, "{MAX_PENDING_EXCHANGES} requests wait for their replies"),
        }
    }
}

impl core::error::Error for RequestRefused {}

/// For a host that keeps ids as numbers. An id that the worker did not give out names nothing.
impl From<u64> for ExchangeId {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl From<ExchangeId> for u64 {
    fn from(id: ExchangeId) -> Self {
        id.0
    }
}

/// SPEC SUPERVISOR-27: as many as a supervisor keeps by default.
const MAX_PENDING_EXCHANGES: usize = 4_096;
