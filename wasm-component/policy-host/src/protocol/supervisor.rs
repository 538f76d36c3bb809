//! The supervisor's side.

use std::fmt;

use wasmtime::component::ResourceAny;
use wasmtime::{Error as WasmtimeError, Store};

use super::capability::Capability;
use super::machine::Machine;
use super::types::{Answer, AskId, ConnectionId, Output, SupervisorOptions, WorkerRecord};
use crate::bindings::exports::pi_sandbox::policy::supervisor::GuestSupervisor;
use crate::engine::PolicyEngine;
use crate::error::{Error, Failure};
use crate::limits::{CHUNK, Meter};
use crate::policy::Policy;

/// Answers the requests of workers: from the policy, or by asking an approver. Does no I/O:
/// `unix::SupervisorServer` puts sockets, a clock and an approver around it.
///
/// After every input call [`poll`](Self::poll) and do what it says, in that order; call [`expire`](Self::expire) when
/// [`next_deadline`](Self::next_deadline) has come. `now` is in milliseconds of one clock that does not go back. An
/// input that names nothing known (a connection that ended, an ask that was answered) changes nothing. Read no more
/// from a connection that does not take its replies.
///
/// # Errors
/// Any method fails when the engine cannot answer. That is the end of this supervisor, since what it knew was in the
/// instance that failed: every later call gives the same [`Failure`]. End every connection then; whoever waits is
/// denied.
///
/// ```
/// # #[cfg(feature = "bundled")] {
/// use policy_host::{Answer, Capability, Output, Policy, PolicyEngine, Supervisor};
///
/// let engine = PolicyEngine::new()?;
/// let policy = Policy::from_lists(&engine, &["ok.example"], &["no.example"])?;
/// let capability = Capability::random()?;
/// let mut supervisor = Supervisor::new(&engine, &policy, &capability, engine.supervisor_options()?)?;
///
/// let request = |id: &str, rest: &str| {
///     let capability = capability.reveal();
///     format!(r#"{{"version":1,"capability":"{capability}","id":"{id}","workerId":"w","cwd":"/",{rest}}}"#) + "\n"
/// };
/// let connection = supervisor.open()?;
/// supervisor.receive(connection, request("1", r#""type":"register""#).as_bytes(), 0)?;
/// supervisor.poll()?;
///
/// let network = r#""type":"network","hostname":"Ask.Example.","port":443"#;
/// supervisor.receive(connection, request("2", network).as_bytes(), 10)?;
/// let [Output::Ask(ask)] = &supervisor.poll()?[..] else { panic!() };
/// assert_eq!((ask.hostname.as_str(), ask.port), ("ask.example", 443));
///
/// supervisor.answer(ask.ask, Answer::Allow, 2_000)?;
/// let [Output::Reply { line, .. }] = &supervisor.poll()?[..] else { panic!() };
/// assert_eq!(line, r#"{"id":"2","action":"allow"}"#);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Supervisor {
    machine: Machine,
}

impl Supervisor {
    /// A supervisor without workers, which gives them this policy.
    ///
    /// Fails with [`Error::Refused`], too: when the capability is not 64 hex digits, or when no reply has room for
    /// the policy.
    pub fn new(
        engine: &PolicyEngine,
        policy: &Policy,
        capability: &Capability,
        options: SupervisorOptions,
    ) -> Result<Self, Error> {
        let made = Machine::make(engine, |(world, store)| {
            let policy = policy.load_into(world, &mut *store)?;
            let supervisors = world.pi_sandbox_policy_supervisor().supervisor();
            supervisors.call_create(store, policy, capability.reveal(), options.into())
        })?;
        made.map(|machine| Self { machine }).map_err(|refusal| Error::Refused(refusal.message))
    }

    /// A worker has connected. At the limit, and after a shutdown, the connection is denied and ended at once.
    pub fn open(&mut self) -> Result<ConnectionId, Failure> {
        self.call(|supervisors, store, this| supervisors.call_open(store, this)).map(ConnectionId::from)
    }

    /// Bytes have come, cut anywhere.
    pub fn receive(&mut self, connection: ConnectionId, bytes: &[u8], now: u64) -> Result<(), Failure> {
        bytes.chunks(CHUNK).try_for_each(|chunk| {
            self.call(|supervisors, store, this| supervisors.call_receive(store, this, connection.into(), chunk, now))
        })
    }

    /// A whole frame has come, from a program that cuts lines itself. One newline at its end is not counted. Not to
    /// be mixed with [`receive`](Self::receive) on one connection.
    pub fn receive_line(&mut self, connection: ConnectionId, line: &str, now: u64) -> Result<(), Failure> {
        self.call(|supervisors, store, this| supervisors.call_receive_line(store, this, connection.into(), line, now))
    }

    /// The connection has ended. What its requests wait for is denied; workers stay as they are.
    pub fn close(&mut self, connection: ConnectionId) -> Result<(), Failure> {
        self.call(|supervisors, store, this| supervisors.call_close(store, this, connection.into()))
    }

    /// The approver has spoken.
    pub fn answer(&mut self, ask: AskId, answer: Answer, now: u64) -> Result<(), Failure> {
        self.call(|supervisors, store, this| supervisors.call_answer(store, this, ask.into(), answer.into(), now))
    }

    /// Denies every ask whose time is over.
    pub fn expire(&mut self, now: u64) -> Result<(), Failure> {
        self.call(|supervisors, store, this| supervisors.call_expire(store, this, now))
    }

    /// When [`expire`](Self::expire) has something to do next.
    pub fn next_deadline(&mut self) -> Result<Option<u64>, Failure> {
        self.call(|supervisors, store, this| supervisors.call_next_deadline(store, this))
    }

    /// Denies every ask, ends every connection and refuses new ones.
    pub fn shutdown(&mut self) -> Result<(), Failure> {
        self.call(|supervisors, store, this| supervisors.call_shutdown(store, this))
    }

    /// Everything there is to do since the last time, in order.
    pub fn poll(&mut self) -> Result<Vec<Output>, Failure> {
        let outputs = self.call(|supervisors, store, this| supervisors.call_poll(store, this))?;
        Ok(outputs.into_iter().map(Output::from).collect())
    }

    /// Every worker that ever registered, in that order.
    pub fn workers(&mut self) -> Result<Vec<WorkerRecord>, Failure> {
        let workers = self.call(|supervisors, store, this| supervisors.call_workers(store, this))?;
        Ok(workers.into_iter().map(WorkerRecord::from).collect())
    }

    fn call<T>(
        &mut self,
        call: impl FnOnce(GuestSupervisor<'_>, &mut Store<Meter>, ResourceAny) -> Result<T, WasmtimeError>,
    ) -> Result<T, Failure> {
        self.machine.call(|(world, store), this| call(world.pi_sandbox_policy_supervisor().supervisor(), store, this))
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor").field("failure", &self.machine.failure()).finish_non_exhaustive()
    }
}
