//! What goes into the two state machines and what comes out, as plain types.

use std::fmt;

use crate::bindings::exports::pi_sandbox::policy::supervisor as wit;

/// How a supervisor behaves where the program may choose; [`PolicyEngine::supervisor_options`] has the defaults.
///
/// [`PolicyEngine::supervisor_options`]: crate::PolicyEngine::supervisor_options
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupervisorOptions {
    /// Whether the policy answers first and only a review goes to the approver.
    pub recheck: bool,
    /// Milliseconds that the approver has for one ask; [`u64::MAX`] is no limit.
    pub ask_timeout_ms: u64,
    /// How much the supervisor remembers.
    pub limits: SupervisorLimits,
}

/// How much state a supervisor keeps. What does not fit is denied; nothing is forgotten to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupervisorLimits {
    /// Connections open at once.
    pub connections: u32,
    /// Workers ever registered, the exited ones included.
    pub workers: u32,
    /// Request ids ever used up.
    pub request_ids: u32,
    /// Asks that wait for the approver, of all workers together.
    pub pending_asks: u32,
    /// Asks of one worker that wait, so that one worker cannot take every place.
    pub pending_asks_per_worker: u32,
}

/// One thing for the program around a supervisor to do, or to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Write the line and a newline to the connection.
    Reply {
        /// Where to.
        connection: ConnectionId,
        /// JSON without its newline.
        line: String,
    },
    /// Write what is to be written and end the connection. The supervisor has forgotten it already.
    Close {
        /// Which.
        connection: ConnectionId,
    },
    /// Ask the approver, and hand what it says to [`Supervisor::answer`](super::Supervisor::answer).
    Ask(Ask),
    /// Nobody waits for the answer to this ask any more: it was denied. A dialog about it can go.
    Withdrawn {
        /// Which.
        ask: AskId,
    },
    /// A worker has registered.
    Registered(WorkerRecord),
    /// A worker has unregistered.
    Unregistered(WorkerRecord),
}

/// One connection that a worker wants to make and nobody has decided about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Names this ask; never used again.
    pub ask: AskId,
    /// Where the request came from.
    pub connection: ConnectionId,
    /// With recheck the canonical host, without it the text as it was sent.
    pub hostname: String,
    /// From 1.
    pub port: u16,
    /// The worker's directory.
    pub cwd: String,
    /// The worker.
    pub worker_id: String,
}

/// What an approver says to one ask, and what a worker is told about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The one connection may be made; the worker is in, or out.
    Allow,
    /// It may not.
    Deny,
}

/// One worker as its supervisor sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRecord {
    /// The id it registered with.
    pub id: String,
    /// The directory it registered with.
    pub cwd: String,
    /// Whether it may ask.
    pub state: WorkerState,
    /// Its `network` requests that were accepted, whatever their answers.
    pub requests: u64,
    /// When it registered, by the program's clock.
    pub registered_at: u64,
    /// When it unregistered.
    pub exited_at: Option<u64>,
}

/// Whether a worker may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkerState {
    /// Registered.
    Active,
    /// Unregistered, for good.
    Exited,
}

/// How far a worker has come. It never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingRequest {
    /// Names the exchange in the calls that follow.
    pub exchange: ExchangeId,
    /// JSON without its newline.
    pub line: String,
}

/// What one exchange came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Which.
    pub exchange: ExchangeId,
    /// For a registration, allow means that the worker is active and has the policy it was sent.
    pub answer: Answer,
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self(number)
            }
        }

        impl From<$name> for u64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )+};
}

ids! {
    /// One connection of a supervisor; never used again.
    ConnectionId
    /// One ask of a supervisor; never used again.
    AskId
    /// One request of a worker and its reply; never used again.
    ExchangeId
}

impl Answer {
    /// From an approver's word; every word but `allow` is deny.
    pub fn from_word(word: &str) -> Self {
        if word == Self::Allow.name() { Self::Allow } else { Self::Deny }
    }

    /// `allow` or `deny`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
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

impl From<wit::SupervisorOptions> for SupervisorOptions {
    fn from(options: wit::SupervisorOptions) -> Self {
        let wit::SupervisorOptions { recheck, ask_timeout, limits } = options;
        let wit::SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker } = limits;
        let limits = SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker };
        Self { recheck, ask_timeout_ms: ask_timeout, limits }
    }
}

impl From<SupervisorOptions> for wit::SupervisorOptions {
    fn from(options: SupervisorOptions) -> Self {
        let SupervisorOptions { recheck, ask_timeout_ms, limits } = options;
        let SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker } = limits;
        let limits = wit::SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker };
        Self { recheck, ask_timeout: ask_timeout_ms, limits }
    }
}

impl From<wit::Output> for Output {
    fn from(output: wit::Output) -> Self {
        match output {
            wit::Output::Reply(wit::Reply { connection, line }) => Self::Reply { connection: connection.into(), line },
            wit::Output::Close(connection) => Self::Close { connection: connection.into() },
            wit::Output::Ask(wit::Ask { ask, connection, hostname, port, cwd, worker_id }) => {
                Self::Ask(Ask { ask: ask.into(), connection: connection.into(), hostname, port, cwd, worker_id })
            }
            wit::Output::Withdrawn(ask) => Self::Withdrawn { ask: ask.into() },
            wit::Output::Registered(worker) => Self::Registered(worker.into()),
            wit::Output::Unregistered(worker) => Self::Unregistered(worker.into()),
        }
    }
}

impl From<wit::WorkerRecord> for WorkerRecord {
    fn from(worker: wit::WorkerRecord) -> Self {
        let wit::WorkerRecord { id, cwd, state, requests, registered_at, exited_at } = worker;
        let state = match state {
            wit::WorkerState::Active => WorkerState::Active,
            wit::WorkerState::Exited => WorkerState::Exited,
        };
        Self { id, cwd, state, requests, registered_at, exited_at }
    }
}

impl From<wit::Answer> for Answer {
    fn from(answer: wit::Answer) -> Self {
        match answer {
            wit::Answer::Allow => Self::Allow,
            wit::Answer::Deny => Self::Deny,
        }
    }
}

impl From<Answer> for wit::Answer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Allow => Self::Allow,
            Answer::Deny => Self::Deny,
        }
    }
}

impl From<wit::WorkerStage> for WorkerStage {
    fn from(stage: wit::WorkerStage) -> Self {
        match stage {
            wit::WorkerStage::New => Self::New,
            wit::WorkerStage::Registering => Self::Registering,
            wit::WorkerStage::Active => Self::Active,
            wit::WorkerStage::Leaving => Self::Leaving,
            wit::WorkerStage::Stopped => Self::Stopped,
        }
    }
}

impl From<wit::OutgoingRequest> for OutgoingRequest {
    fn from(request: wit::OutgoingRequest) -> Self {
        let wit::OutgoingRequest { exchange, line } = request;
        Self { exchange: exchange.into(), line }
    }
}

impl From<wit::Outcome> for Outcome {
    fn from(outcome: wit::Outcome) -> Self {
        let wit::Outcome { exchange, answer } = outcome;
        Self { exchange: exchange.into(), answer: answer.into() }
    }
}
