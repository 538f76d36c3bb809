//! The worker's side.

use std::fmt;

use wasmtime::component::ResourceAny;
use wasmtime::{Error as WasmtimeError, Store};

use super::capability::Capability;
use super::machine::Machine;
use super::types::{ExchangeId, Outcome, OutgoingRequest, WorkerStage};
use crate::bindings::exports::pi_sandbox::policy::network::GuestNetworkPolicy as Network;
use crate::bindings::exports::pi_sandbox::policy::supervisor::{self as wit, GuestWorker};
use crate::decision::{Action, Decision};
use crate::engine::PolicyEngine;
use crate::error::{Error, Failure};
use crate::limits::{CHUNK, Meter};
use crate::text::cut_host;

/// Registers with a supervisor, asks it about connections, and leaves. Does no I/O: `unix::WorkerClient` puts a
/// socket and a clock around it.
///
/// [`register`](Self::register), [`network`](Self::network) and [`unregister`](Self::unregister) give a line; write it
/// and a newline to a connection that no other exchange uses, and hand in what comes back. Every exchange has exactly
/// one outcome. After every input call [`poll`](Self::poll); call [`expire`](Self::expire) when
/// [`next_deadline`](Self::next_deadline) has come. `now` is in milliseconds of one clock that does not go back, and a
/// `request_id` is drawn at random.
///
/// # Errors
/// Any method fails when the engine cannot answer. That is the end of this worker, since what it knew was in the
/// instance that failed: every later call gives the same [`Failure`], and every decision is deny.
///
/// ```
/// # #[cfg(feature = "bundled")] {
/// use policy_host::{Action, Answer, Capability, PolicyEngine, Worker};
///
/// let engine = PolicyEngine::new()?;
/// let mut worker = Worker::new(&engine, &Capability::new("ab".repeat(32)), "w", "/repo")?;
/// assert_eq!(worker.check("ok.example", 443), Action::Deny);
///
/// let request = worker.register("id-1", 0)?;
/// let reply = r#"{"id":"id-1","action":"allow","network":{"allowedDomains":["ok.example"],"deniedDomains":[]}}"#;
/// worker.receive(request.exchange, reply.as_bytes(), 5)?;
/// worker.receive(request.exchange, b"\n", 6)?;
/// assert_eq!(worker.poll()?[0].answer, Answer::Allow);
/// assert_eq!(worker.check("ok.example", 443), Action::Allow);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Worker {
    machine: Machine,
    /// The policy of the stage in which it was last asked.
    policy: Option<(wit::WorkerStage, ResourceAny)>,
}

impl Worker {
    /// A worker that has not registered.
    ///
    /// Fails with [`Error::Refused`], too: when the capability is not 64 hex digits, or when a supervisor would refuse
    /// every request of this worker.
    pub fn new(engine: &PolicyEngine, capability: &Capability, id: &str, cwd: &str) -> Result<Self, Error> {
        let made = Machine::make(engine, |(world, store)| {
            world.pi_sandbox_policy_supervisor().worker().call_create(store, capability.reveal(), id, cwd)
        })?;
        made.map(|machine| Self { machine, policy: None }).map_err(|refusal| Error::Refused(refusal.message))
    }

    /// Asks to join. [`Error::Refused`] unless the worker is new.
    pub fn register(&mut self, request_id: &str, now: u64) -> Result<OutgoingRequest, Error> {
        self.request(|workers, store, this| workers.call_register(store, this, request_id, now))
    }

    /// Asks about one connection. [`Error::Refused`] unless the worker is active; whatever the reason, the connection
    /// that it was for must not be made either.
    pub fn network(&mut self, request_id: &str, hostname: &str, port: u16, now: u64) -> Result<OutgoingRequest, Error> {
        self.request(|workers, store, this| workers.call_network(store, this, request_id, hostname, port, now))
    }

    /// Says that the worker leaves. What it waits for is denied. [`Error::Refused`] unless the worker is active.
    pub fn unregister(&mut self, request_id: &str, now: u64) -> Result<OutgoingRequest, Error> {
        self.request(|workers, store, this| workers.call_unregister(store, this, request_id, now))
    }

    /// Bytes have come back, cut anywhere.
    pub fn receive(&mut self, exchange: ExchangeId, bytes: &[u8], now: u64) -> Result<(), Failure> {
        bytes.chunks(CHUNK).try_for_each(|chunk| {
            self.call(|workers, store, this| workers.call_receive(store, this, exchange.into(), chunk, now))
        })
    }

    /// No more will come back: the connection has ended, or could not be made.
    pub fn end(&mut self, exchange: ExchangeId) -> Result<(), Failure> {
        self.call(|workers, store, this| workers.call_end(store, this, exchange.into()))
    }

    /// Denies every exchange whose time is over.
    pub fn expire(&mut self, now: u64) -> Result<(), Failure> {
        self.call(|workers, store, this| workers.call_expire(store, this, now))
    }

    /// When [`expire`](Self::expire) has something to do next.
    pub fn next_deadline(&mut self) -> Result<Option<u64>, Failure> {
        self.call(|workers, store, this| workers.call_next_deadline(store, this))
    }

    /// The outcomes since the last time.
    pub fn poll(&mut self) -> Result<Vec<Outcome>, Failure> {
        let outcomes = self.call(|workers, store, this| workers.call_poll(store, this))?;
        Ok(outcomes.into_iter().map(Outcome::from).collect())
    }

    /// How far it has come.
    pub fn stage(&mut self) -> Result<WorkerStage, Failure> {
        self.call(|workers, store, this| workers.call_stage(store, this)).map(WorkerStage::from)
    }

    /// Whether a connection to `host` at `port` may be made, by the policy that the supervisor sent. Deny while the
    /// worker is not active, and when the engine cannot answer.
    pub fn decide(&mut self, host: &str, port: u16) -> Decision {
        let host = cut_host(host);
        match self.ask(|network, store, policy| network.call_decide(store, policy, host, port)) {
            Ok(decision) => decision.into(),
            Err(failure) => Decision::unavailable(failure, port),
        }
    }

    /// The action of [`decide`](Self::decide) alone, for less.
    pub fn check(&mut self, host: &str, port: u16) -> Action {
        let host = cut_host(host);
        match self.ask(|network, store, policy| network.call_check(store, policy, host, port)) {
            Ok(action) => action.into(),
            Err(_) => Action::Deny,
        }
    }

    /// The fingerprint of the policy that the supervisor sent; while the worker is not active, of the one that denies
    /// everything.
    pub fn fingerprint(&mut self) -> Result<String, Failure> {
        self.ask(|network, store, policy| network.call_fingerprint(store, policy))
    }

    fn call<T>(
        &mut self,
        call: impl FnOnce(GuestWorker<'_>, &mut Store<Meter>, ResourceAny) -> Result<T, WasmtimeError>,
    ) -> Result<T, Failure> {
        self.machine.call(|(world, store), this| call(world.pi_sandbox_policy_supervisor().worker(), store, this))
    }

    fn request(
        &mut self,
        call: impl FnOnce(
            GuestWorker<'_>,
            &mut Store<Meter>,
            ResourceAny,
        ) -> Result<Result<wit::OutgoingRequest, wit::Refusal>, WasmtimeError>,
    ) -> Result<OutgoingRequest, Error> {
        self.call(call)?.map(OutgoingRequest::from).map_err(|refusal| Error::Refused(refusal.message))
    }

    /// Asks the policy, which changes with the stage only.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(Network<'_>, &mut Store<Meter>, ResourceAny) -> Result<T, WasmtimeError>,
    ) -> Result<T, Failure> {
        let Self { machine, policy: held } = self;
        machine.call(|(world, store), this| {
            let workers = world.pi_sandbox_policy_supervisor().worker();
            let stage = workers.call_stage(&mut *store, this)?;
            let policy = match *held {
                Some((then, policy)) if then == stage => policy,
                old => {
                    if let Some((_, old)) = old {
                        old.resource_drop(&mut *store)?;
                    }
                    let policy = workers.call_policy(&mut *store, this)?;
                    *held = Some((stage, policy));
                    policy
                }
            };
            question(world.pi_sandbox_policy_network().network_policy(), store, policy)
        })
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("failure", &self.machine.failure()).finish_non_exhaustive()
    }
}
