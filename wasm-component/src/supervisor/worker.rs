//! The worker's side.

use std::cell::RefCell;
use std::iter;

use policy_core as core;

use super::refusal;
use crate::bindings::exports::pi_sandbox::policy::network::NetworkPolicy;
use crate::bindings::exports::pi_sandbox::policy::supervisor as wit;
use crate::network::handle;

/// What stands behind a `worker` handle. Calls never nest, so the cell is always free.
#[derive(Debug)]
pub struct Worker(RefCell<core::Worker>);

impl wit::GuestWorker for Worker {
    fn create(capability: String, id: String, cwd: String) -> Result<wit::Worker, wit::Refusal> {
        let capability = core::Capability::parse(&capability).map_err(refusal)?;
        let worker = core::Worker::new(capability, &id, &cwd).map_err(refusal)?;
        Ok(wit::Worker::new(Self(RefCell::new(worker))))
    }

    fn register(&self, request_id: String, now: u64) -> Result<wit::OutgoingRequest, wit::Refusal> {
        sent(self.0.borrow_mut().register(&request_id, now))
    }

    fn network(
        &self,
        request_id: String,
        hostname: String,
        port: u16,
        now: u64,
    ) -> Result<wit::OutgoingRequest, wit::Refusal> {
        sent(self.0.borrow_mut().network(&request_id, &hostname, port, now))
    }

    fn unregister(&self, request_id: String, now: u64) -> Result<wit::OutgoingRequest, wit::Refusal> {
        sent(self.0.borrow_mut().unregister(&request_id, now))
    }

    fn receive(&self, exchange: u64, bytes: Vec<u8>, now: u64) {
        self.0.borrow_mut().receive(exchange.into(), &bytes, now);
    }

    fn end(&self, exchange: u64) {
        self.0.borrow_mut().end(exchange.into());
    }

    fn expire(&self, now: u64) {
        self.0.borrow_mut().expire(now);
    }

    fn next_deadline(&self) -> Option<u64> {
        self.0.borrow().next_deadline()
    }

    fn poll(&self) -> Vec<wit::Outcome> {
        let mut worker = self.0.borrow_mut();
        iter::from_fn(|| worker.poll()).map(wit::Outcome::from).collect()
    }

    fn stage(&self) -> wit::WorkerStage {
        self.0.borrow().stage().into()
    }

    fn policy(&self) -> NetworkPolicy {
        handle(self.0.borrow().policy().clone())
    }
}

fn sent(request: Result<core::OutgoingRequest, core::RequestRefused>) -> Result<wit::OutgoingRequest, wit::Refusal> {
    let core::OutgoingRequest { exchange, line } = request.map_err(refusal)?;
    Ok(wit::OutgoingRequest { exchange: exchange.into(), line })
}

impl From<core::Outcome> for wit::Outcome {
    fn from(outcome: core::Outcome) -> Self {
        let core::Outcome { exchange, answer } = outcome;
        Self { exchange: exchange.into(), answer: answer.into() }
    }
}

impl From<core::WorkerStage> for wit::WorkerStage {
    fn from(stage: core::WorkerStage) -> Self {
        match stage {
            core::WorkerStage::New => Self::New,
            core::WorkerStage::Registering => Self::Registering,
            core::WorkerStage::Active => Self::Active,
            core::WorkerStage::Leaving => Self::Leaving,
            core::WorkerStage::Stopped => Self::Stopped,
        }
    }
}
