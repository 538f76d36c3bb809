//! The protocol between workers and their supervisor, without I/O (spec page `supervisor`).
//!
//! [`Supervisor`] is the outer side, [`Worker`] the inner. Both take bytes and the time as arguments and say what is to
//! be done; sockets, clocks and random ids are the host's.
//!
//! SPEC SUPERVISOR-20: true of the whole module.

mod accept;
mod asks;
mod capability;
mod limits;
mod line;
mod numbered;
mod output;
mod reply;
mod request;
mod roster;
mod seen;
mod worker;

use alloc::borrow::Cow;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use self::asks::{Asks, PendingAsk};
use self::line::{LineBuffer, Split};
use self::numbered::Numbered;
use self::reply::{BARE_DENY, answer_line};
use self::roster::Roster;
use self::seen::SeenIds;
use crate::policy::NetworkPolicy;

pub use self::capability::{Capability, InvalidCapability};
pub use self::limits::{
    MAX_FRAME_BYTES, MAX_POLICY_BYTES, PolicyTooLarge, REPLY_TIMEOUT_MS, SupervisorLimits, SupervisorOptions,
};
pub use self::output::{Ask, AskId, ConnectionId, Output};
pub use self::reply::Answer;
pub use self::roster::{WorkerRecord, WorkerState};
pub use self::worker::{ExchangeId, InvalidWorker, Outcome, OutgoingRequest, RequestRefused, Worker, WorkerStage};

/// Answers the requests of workers: from the policy, or by asking an approver.
///
/// ```text
/// ┌──────────────────────────── the contract ────────────────────────────┐
/// │ inputs   open, receive or receive_line, close, answer, expire,       │
/// │          shutdown                                                    │
/// │ outputs  after every input call `poll` until it gives `None`, and do │
/// │          what it says, in that order                                 │
/// │ time     `now` is in milliseconds of one clock that does not go back;│
/// │          call `expire` when `next_deadline` has come                 │
/// │ streams  a connection ends when you call `close`, or when `Close`    │
/// │          comes out; what is in an unfinished line then is nothing    │
/// │ pressure read no more from a connection that does not take its       │
/// │          replies; nothing here holds a worker back                   │
/// │ wrong    an input that names nothing known (a connection that ended, │
/// │          an ask that was answered or withdrawn) changes nothing      │
/// └──────────────────────────────────────────────────────────────────────┘
/// ```
///
/// A connection may carry any number of requests, one line each; it stays open after a reply. Requests do not wait for
/// one another: one that must be asked about is answered when the approver has spoken, and the lines behind it are
/// answered at once, so replies can come in another order than requests and are told apart by their ids. A bare deny has
/// no id, so a worker that wants to know which request it is for sends one at a time on each connection.
///
/// Every request is answered exactly once, except on a connection that was closed.
///
/// ```
/// use policy_core::{Answer, Capability, NetworkPolicy, Output, Supervisor, SupervisorOptions};
///
/// let capability = Capability::parse(&"ab".repeat(32))?;
/// let policy = NetworkPolicy::from_lists(["ok.example"], ["no.example"])?;
/// let mut supervisor = Supervisor::new(policy, capability, SupervisorOptions::default())?;
///
/// let request = |id: &str, rest: &str| {
///     let capability = "ab".repeat(32);
///     format!(r#"{{"version":1,"capability":"{capability}","id":"{id}","workerId":"w","cwd":"/",{rest}}}"#) + "\n"
/// };
/// let connection = supervisor.open();
/// supervisor.receive(connection, request("1", r#""type":"register""#).as_bytes(), 0);
/// while supervisor.poll().is_some() {}
///
/// let network = r#""type":"network","hostname":"Ask.Example.","port":443"#;
/// supervisor.receive(connection, request("2", network).as_bytes(), 10);
/// let Some(Output::Ask(ask)) = supervisor.poll() else { panic!() };
/// assert_eq!((ask.hostname.as_str(), ask.port), ("ask.example", 443));
///
/// supervisor.answer(ask.ask, Answer::from_word("allow"), 2_000);
/// let Some(Output::Reply { line, .. }) = supervisor.poll() else { panic!() };
/// assert_eq!(line, r#"{"id":"2","action":"allow"}"#);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Supervisor {
    policy: NetworkPolicy,
    network_json: String,
    capability: Capability,
    options: SupervisorOptions,
    connections: Numbered<ConnectionId, Connection>,
    last_connection: u64,
    shut_down: bool,
    roster: Roster,
    seen: SeenIds,
    asks: Asks,
    outputs: VecDeque<Output>,
}

#[derive(Debug, Default)]
struct Connection {
    lines: LineBuffer,
    pending_asks: usize,
    /// Lines that got a bare deny.
    refused: usize,
}

/// The host's side.
impl Supervisor {
    /// A supervisor without workers.
    ///
    /// # Errors
    /// [`PolicyTooLarge`] when the policy's canonical JSON is over [`MAX_POLICY_BYTES`].
    pub fn new(
        policy: NetworkPolicy,
        capability: Capability,
        options: SupervisorOptions,
    ) -> Result<Self, PolicyTooLarge> {
        let network_json = policy.to_json();
        if network_json.len() > MAX_POLICY_BYTES {
            return Err(PolicyTooLarge { bytes: network_json.len(), limit: MAX_POLICY_BYTES });
        }
        Ok(Self {
            policy,
            network_json,
            capability,
            options,
            connections: Numbered::default(),
            last_connection: 0,
            shut_down: false,
            roster: Roster::default(),
            seen: SeenIds::default(),
            asks: Asks::default(),
            outputs: VecDeque::new(),
        })
    }

    /// A worker has connected. At the limit, and after a shutdown, the connection is denied and ended at once.
    pub fn open(&mut self) -> ConnectionId {
        self.last_connection = self.last_connection.saturating_add(1);
        let connection = ConnectionId::from(self.last_connection);
        if self.shut_down || self.connections.len() >= self.options.limits.connections {
            self.reply(connection, Cow::Borrowed(BARE_DENY));
            self.outputs.push_back(Output::Close { connection });
        } else {
            self.connections.insert(connection, Connection::default());
        }
        connection
    }

    /// Bytes have come, cut anywhere.
    pub fn receive(&mut self, connection: ConnectionId, bytes: &[u8], now: u64) {
        let Some(state) = self.connections.get_mut(connection) else { return };
        let mut lines = mem::take(&mut state.lines);
        let mut rest = bytes;
        loop {
            match lines.split(rest) {
                Split::Line { line, rest: behind } => {
                    self.frame(connection, &line, now);
                    if self.connections.get_mut(connection).is_none() {
                        return;
                    }
                    rest = behind;
                }
                Split::Unfinished => break,
                // SPEC SUPERVISOR-2
                Split::TooLong => return self.end(connection, true),
            }
        }
        if let Some(state) = self.connections.get_mut(connection) {
            state.lines = lines;
        }
    }

    /// A whole frame has come, from a host that cuts lines itself. One newline at its end is not counted. Not to be
    /// mixed with [`receive`](Self::receive) on one connection.
    pub fn receive_line(&mut self, connection: ConnectionId, line: &str, now: u64) {
        if self.connections.get_mut(connection).is_none() {
            return;
        }
        let line = line.strip_suffix('\n').unwrap_or(line);
        if line.len() > MAX_FRAME_BYTES {
            return self.end(connection, true);
        }
        self.frame(connection, line.as_bytes(), now);
    }

    /// The connection has ended. What its requests wait for is denied (SPEC SUPERVISOR-18); workers stay as they
    /// are (SPEC SUPERVISOR-28).
    pub fn close(&mut self, connection: ConnectionId) {
        let asks = self.take_asks_of(connection);
        self.connections.remove(connection);
        self.deny_asks(asks);
    }

    /// The approver has spoken.
    pub fn answer(&mut self, ask: AskId, answer: Answer, now: u64) {
        let Some(pending) = self.asks.remove(ask) else { return };
        // SPEC SUPERVISOR-26: whether or not the host called `expire` in time.
        let answer = if now < pending.deadline { answer } else { Answer::Deny };
        self.resolve(&pending, answer);
    }

    /// Denies every ask whose time is over.
    pub fn expire(&mut self, now: u64) {
        while let Some(due) = self.asks.remove_due(now) {
            self.deny_asks([due]);
        }
    }

    /// When [`expire`](Self::expire) has something to do next.
    pub fn next_deadline(&self) -> Option<u64> {
        self.asks.next_deadline().filter(|&deadline| deadline != u64::MAX)
    }

    /// Denies every ask, ends every connection and refuses new ones.
    pub fn shutdown(&mut self) {
        self.shut_down = true;
        for connection in self.connections.keys_where(|_| true) {
            self.end(connection, false);
        }
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Every worker that ever registered, in that order.
    pub fn workers(&self) -> impl ExactSizeIterator<Item = &WorkerRecord> + Clone {
        self.roster.records()
    }

    /// The policy that workers are given.
    pub const fn policy(&self) -> &NetworkPolicy {
        &self.policy
    }
}

/// Replies and endings.
impl Supervisor {
    /// Answers a request that has left the pending ones; a connection that has ended gets nothing.
    fn resolve(&mut self, ask: &PendingAsk, answer: Answer) {
        self.roster.ask_ends(ask.worker);
        if let Some(state) = self.connections.get_mut(ask.connection) {
            state.pending_asks = state.pending_asks.saturating_sub(1);
            self.reply(ask.connection, Cow::Owned(answer_line(&ask.request_id, answer)));
        }
    }

    /// Denies what the approver has not answered, and tells the host that it need not.
    fn deny_asks(&mut self, asks: impl IntoIterator<Item = (AskId, PendingAsk)>) {
        for (ask, pending) in asks {
            self.resolve(&pending, Answer::Deny);
            self.outputs.push_back(Output::Withdrawn { ask });
        }
    }

    fn take_asks_of(&mut self, connection: ConnectionId) -> Vec<(AskId, PendingAsk)> {
        match self.connections.get_mut(connection) {
            Some(state) if state.pending_asks > 0 => self.asks.remove_where(|ask| ask.connection == connection),
            _ => Vec::new(),
        }
    }

    /// Ends a connection from this side: what waits on it is denied, and so, if there is one, is the line it ends for.
    fn end(&mut self, connection: ConnectionId, deny_line: bool) {
        let asks = self.take_asks_of(connection);
        self.deny_asks(asks);
        if deny_line {
            self.reply(connection, Cow::Borrowed(BARE_DENY));
        }
        self.connections.remove(connection);
        self.outputs.push_back(Output::Close { connection });
    }

    fn reply(&mut self, connection: ConnectionId, line: Cow<'static, str>) {
        self.outputs.push_back(Output::Reply { connection, line });
    }
}
