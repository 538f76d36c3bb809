//! The interface `supervisor`.

mod worker;

use std::cell::RefCell;
use std::iter;

use policy_core as core;

use crate::bindings::exports::pi_sandbox::policy::network::NetworkPolicy;
use crate::bindings::exports::pi_sandbox::policy::supervisor as wit;
use crate::config::{to_u32, to_usize};
use crate::{Component, Policy};

pub use worker::Worker;

impl wit::Guest for Component {
    type Supervisor = Supervisor;
    type Worker = Worker;

    fn default_options() -> wit::SupervisorOptions {
        core::SupervisorOptions::default().into()
    }
}

/// What stands behind a `supervisor` handle. Calls never nest, so the cell is always free.
#[derive(Debug)]
pub struct Supervisor(RefCell<core::Supervisor>);

impl wit::GuestSupervisor for Supervisor {
    fn create(
        policy: NetworkPolicy,
        capability: String,
        options: wit::SupervisorOptions,
    ) -> Result<wit::Supervisor, wit::Refusal> {
        let Policy { policy, .. } = policy.into_inner();
        let capability = core::Capability::parse(&capability).map_err(refusal)?;
        let supervisor = core::Supervisor::new(policy, capability, options.into()).map_err(refusal)?;
        Ok(wit::Supervisor::new(Self(RefCell::new(supervisor))))
    }

    fn open(&self) -> u64 {
        self.0.borrow_mut().open().into()
    }

    fn receive(&self, connection: u64, bytes: Vec<u8>, now: u64) {
        self.0.borrow_mut().receive(connection.into(), &bytes, now);
    }

    fn receive_line(&self, connection: u64, line: String, now: u64) {
        self.0.borrow_mut().receive_line(connection.into(), &line, now);
    }

    fn close(&self, connection: u64) {
        self.0.borrow_mut().close(connection.into());
    }

    fn answer(&self, ask: u64, answer: wit::Answer, now: u64) {
        self.0.borrow_mut().answer(ask.into(), answer.into(), now);
    }

    fn expire(&self, now: u64) {
        self.0.borrow_mut().expire(now);
    }

    fn next_deadline(&self) -> Option<u64> {
        self.0.borrow().next_deadline()
    }

    fn shutdown(&self) {
        self.0.borrow_mut().shutdown();
    }

    fn poll(&self) -> Vec<wit::Output> {
        let mut supervisor = self.0.borrow_mut();
        iter::from_fn(|| supervisor.poll()).map(wit::Output::from).collect()
    }

    fn workers(&self) -> Vec<wit::WorkerRecord> {
        self.0.borrow().workers().cloned().map(wit::WorkerRecord::from).collect()
    }
}

/// Only the reason crosses: whatever it is, nothing was made.
pub(crate) fn refusal(error: impl std::error::Error) -> wit::Refusal {
    wit::Refusal { message: error.to_string() }
}

impl From<core::SupervisorOptions> for wit::SupervisorOptions {
    fn from(options: core::SupervisorOptions) -> Self {
        let core::SupervisorOptions { recheck, ask_timeout_ms, limits } = options;
        let core::SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker } =
            limits;
        Self {
            recheck,
            ask_timeout: ask_timeout_ms,
            limits: wit::SupervisorLimits {
                connections: to_u32(connections),
                workers: to_u32(workers),
                request_ids: to_u32(request_ids),
                pending_asks: to_u32(pending_asks),
                pending_asks_per_worker: to_u32(pending_asks_per_worker),
            },
        }
    }
}

impl From<wit::SupervisorOptions> for core::SupervisorOptions {
    fn from(options: wit::SupervisorOptions) -> Self {
        let wit::SupervisorOptions { recheck, ask_timeout, limits } = options;
        let wit::SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker } = limits;
        Self {
            recheck,
            ask_timeout_ms: ask_timeout,
            limits: core::SupervisorLimits {
                connections: to_usize(connections),
                workers: to_usize(workers),
                request_ids: to_usize(request_ids),
                pending_asks: to_usize(pending_asks),
                pending_asks_per_worker: to_usize(pending_asks_per_worker),
            },
        }
    }
}

impl From<core::Output> for wit::Output {
    fn from(output: core::Output) -> Self {
        match output {
            core::Output::Reply { connection, line } => {
                Self::Reply(wit::Reply { connection: connection.into(), line: line.into_owned() })
            }
            core::Output::Close { connection } => Self::Close(connection.into()),
            core::Output::Ask(ask) => Self::Ask((*ask).into()),
            core::Output::Withdrawn { ask } => Self::Withdrawn(ask.into()),
            // The time is in the worker's record.
            core::Output::Registered { worker, at: _ } => Self::Registered((*worker).into()),
            core::Output::Unregistered { worker, at: _ } => Self::Unregistered((*worker).into()),
        }
    }
}

impl From<core::Ask> for wit::Ask {
    fn from(ask: core::Ask) -> Self {
        let core::Ask { ask, connection, hostname, port, cwd, worker_id } = ask;
        Self { ask: ask.into(), connection: connection.into(), hostname, port, cwd, worker_id }
    }
}

impl From<core::WorkerRecord> for wit::WorkerRecord {
    fn from(worker: core::WorkerRecord) -> Self {
        let core::WorkerRecord { id, cwd, state, requests, registered_at, exited_at } = worker;
        let state = match state {
            core::WorkerState::Active => wit::WorkerState::Active,
            core::WorkerState::Exited => wit::WorkerState::Exited,
        };
        Self { id, cwd, state, requests, registered_at, exited_at }
    }
}

impl From<core::Answer> for wit::Answer {
    fn from(answer: core::Answer) -> Self {
        match answer {
            core::Answer::Allow => Self::Allow,
            core::Answer::Deny => Self::Deny,
        }
    }
}

impl From<wit::Answer> for core::Answer {
    fn from(answer: wit::Answer) -> Self {
        match answer {
            wit::Answer::Allow => Self::Allow,
            wit::Answer::Deny => Self::Deny,
        }
    }
}
