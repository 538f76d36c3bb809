//! What a supervisor wants done, and the names of the things it talks about.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;

use serde::Serialize;

use super::roster::WorkerRecord;

/// One thing for the host to do, or to know. Serialises as an object with a `type`: `reply`, `close`, `ask`,
/// `withdrawn`, `registered` or `unregistered`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Output {
    /// Write the line and a newline to the connection.
    Reply {
        /// Where to.
        connection: ConnectionId,
        /// JSON without its newline.
        line: Cow<'static, str>,
    },
    /// Write what is to be written and end the connection. The supervisor has forgotten it already.
    Close {
        /// Which.
        connection: ConnectionId,
    },
    /// Ask the approver, and hand what it says to [`Supervisor::answer`](super::Supervisor::answer).
    Ask(Box<Ask>),
    /// Nobody waits for the answer to this ask any more: it was denied. A dialog about it can go.
    Withdrawn {
        /// Which.
        ask: AskId,
    },
    /// A worker has registered.
    Registered {
        /// As it is now.
        worker: Box<WorkerRecord>,
        /// When, by the host's clock.
        at: u64,
    },
    /// A worker has unregistered.
    Unregistered {
        /// As it is now.
        worker: Box<WorkerRecord>,
        /// When, by the host's clock.
        at: u64,
    },
}

/// One connection that a worker wants to make and nobody has decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    /// Names this ask; never used again.
    pub ask: AskId,
    /// Where the request came from.
    pub connection: ConnectionId,
    /// With recheck the canonical host, without it the text as it was sent (SPEC SUPERVISOR-14, SUPERVISOR-15).
    pub hostname: String,
    /// From 1.
    pub port: u16,
    /// The worker's directory.
    pub cwd: String,
    /// The worker.
    pub worker_id: String,
}

/// One connection of a supervisor; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ConnectionId(u64);

/// One ask of a supervisor; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct AskId(u64);

/// For a host that keeps ids as numbers. An id that the supervisor did not give out names nothing.
impl From<u64> for ConnectionId {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl From<ConnectionId> for u64 {
    fn from(id: ConnectionId) -> Self {
        id.0
    }
}

/// For a host that keeps ids as numbers. An id that the supervisor did not give out names nothing.
impl From<u64> for AskId {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl From<AskId> for u64 {
    fn from(id: AskId) -> Self {
        id.0
    }
}
