//! Asking an approver that may take its time, on threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::error::ServerError;
use super::reactor::{Handler, Reply};
use crate::protocol::{Answer, Ask, AskId, WorkerRecord};

/// Says whether the connections may be made that a policy leaves open, and is told of workers that come and go.
///
/// A closure that takes an `&Ask` is one.
pub trait Approver: Send + Sync + 'static {
    /// Whether the one connection may be made. It has a thread of its own and may wait for a person; a panic is deny.
    /// An answer that comes after the supervisor's time for it changes nothing.
    ///
    /// At most 256 asks are with the approver at once, forgotten ones included; more are denied.
    fn approve(&self, ask: &Ask) -> Answer;

    /// Nobody waits for the answer any more: it was denied. To be done quickly, as what follows.
    fn withdrawn(&self, _ask: AskId) {}

    /// A worker has registered.
    fn registered(&self, _worker: &WorkerRecord) {}

    /// A worker has unregistered.
    fn unregistered(&self, _worker: &WorkerRecord) {}

    /// The supervisor has ended though nobody closed it.
    fn failed(&self, _error: &ServerError) {}
}

impl<F: Fn(&Ask) -> Answer + Send + Sync + 'static> Approver for F {
    fn approve(&self, ask: &Ask) -> Answer {
        self(ask)
    }
}

/// Asks with the approver at once: each is a thread.
const MAX_APPROVALS: usize = 256;

pub(super) struct Threads<A> {
    approver: Arc<A>,
    running: Arc<AtomicUsize>,
}

impl<A> Threads<A> {
    pub(super) fn new(approver: A) -> Self {
        Self { approver: Arc::new(approver), running: Arc::default() }
    }
}

impl<A: Approver> Handler for Threads<A> {
    fn ask(&mut self, ask: Ask, reply: Reply) {
        let running = Running::count(&self.running);
        if running.before >= MAX_APPROVALS {
            return;
        }
        let approver = Arc::clone(&self.approver);
        let approve = move || {
            let _running = running;
            reply.answer(approver.approve(&ask));
        };
        // Without a thread the reply is dropped with the closure, which is deny.
        let _ = thread::Builder::new().name("policy-approval".into()).spawn(approve);
    }

    fn withdrawn(&mut self, ask: AskId) {
        self.approver.withdrawn(ask);
    }

    fn registered(&mut self, worker: &WorkerRecord) {
        self.approver.registered(worker);
    }

    fn unregistered(&mut self, worker: &WorkerRecord) {
        self.approver.unregistered(worker);
    }

    fn failed(&mut self, error: &ServerError) {
        self.approver.failed(error);
    }
}

/// One more runs until this is dropped.
struct Running {
    count: Arc<AtomicUsize>,
    before: usize,
}

impl Running {
    fn count(count: &Arc<AtomicUsize>) -> Self {
        Self { count: Arc::clone(count), before: count.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}
