//! A supervisor that listens, for async programs.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, spawn_blocking};

use crate::protocol::{Answer, Ask, AskId, Supervisor, WorkerRecord};
use crate::unix::error::ServerError;
use crate::unix::reactor::{Command, Handler, Reply};
use crate::unix::server::Server;

/// Says whether the connections may be made that a policy leaves open, and is told of workers that come and go.
///
/// An async function that takes an [`Ask`] is one.
pub trait Approver: Send + Sync + 'static {
    /// Whether the one connection may be made. It is a task of its own, which is aborted when nobody waits for the
    /// answer any more; a panic is deny.
    fn approve(&self, ask: Ask) -> impl Future<Output = Answer> + Send;

    /// A worker has registered. Called on the supervisor's thread; to be done quickly, as what follows.
    fn registered(&self, _worker: &WorkerRecord) {}

    /// A worker has unregistered.
    fn unregistered(&self, _worker: &WorkerRecord) {}

    /// The supervisor has ended though nobody closed it.
    fn failed(&self, _error: &ServerError) {}
}

impl<F, A> Approver for F
where
    F: Fn(Ask) -> A + Send + Sync + 'static,
    A: Future<Output = Answer> + Send,
{
    fn approve(&self, ask: Ask) -> impl Future<Output = Answer> + Send {
        self(ask)
    }
}

/// A supervisor that listens at a Unix socket, on a thread of its own beside the runtime; approvals are tasks on it.
///
/// Should the engine fail, every connection ends, which is deny for whoever waits, and nothing listens any more;
/// [`Approver::failed`] is told.
#[derive(Debug)]
pub struct SupervisorServer {
    server: Server,
}

impl SupervisorServer {
    /// Listens at a path in a directory that only this user can enter, such as a
    /// [`PrivateDirectory`](crate::unix::PrivateDirectory). To be called on a tokio runtime.
    ///
    /// # Errors
    /// Something is at the path already, other users can enter its directory, the system has no thread, or there is
    /// no runtime.
    pub fn bind(path: impl AsRef<Path>, supervisor: Supervisor, approver: impl Approver) -> io::Result<Self> {
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        let tasks = Tasks { approver: Arc::new(approver), runtime, running: BTreeMap::new() };
        Server::start(path.as_ref(), supervisor, tasks).map(|server| Self { server })
    }

    /// Where it listens, to be handed to workers.
    pub fn path(&self) -> &Path {
        &self.server.path
    }

    /// Every worker that ever registered, in that order.
    ///
    /// # Errors
    /// [`ServerError::Ended`] when it has failed.
    pub async fn workers(&self) -> Result<Vec<WorkerRecord>, ServerError> {
        let (tell, told) = oneshot::channel();
        self.server.remote.send(Command::Workers(Box::new(move |workers| {
            // Nobody may wait any more.
            let _ = tell.send(workers);
        })));
        told.await.map_err(|_| ServerError::Ended)
    }

    /// Denies what waits, ends every connection and stops listening. Takes a second at most. Dropping does the same
    /// without waiting for it.
    pub async fn close(mut self) {
        self.server.shut_down();
        if let Some(thread) = self.server.thread.take() {
            // What it runs of others is guarded.
            let _ = spawn_blocking(move || thread.join()).await;
        }
    }
}

impl Drop for SupervisorServer {
    fn drop(&mut self) {
        self.server.shut_down();
    }
}

struct Tasks<A> {
    approver: Arc<A>,
    runtime: Handle,
    running: BTreeMap<AskId, AbortHandle>,
}

impl<A: Approver> Handler for Tasks<A> {
    fn ask(&mut self, ask: Ask, reply: Reply) {
        let (id, approver) = (ask.ask, Arc::clone(&self.approver));
        let task = self.runtime.spawn(async move { reply.answer(approver.approve(ask).await) });
        self.running.insert(id, task.abort_handle());
    }

    fn answered(&mut self, ask: AskId) {
        self.running.remove(&ask);
    }

    fn withdrawn(&mut self, ask: AskId) {
        if let Some(task) = self.running.remove(&ask) {
            task.abort();
        }
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

/// Nobody waits for an answer when the supervisor has ended.
impl<A> Drop for Tasks<A> {
    fn drop(&mut self) {
        self.running.values().for_each(AbortHandle::abort);
    }
}
