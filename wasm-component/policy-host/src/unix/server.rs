//! A supervisor that listens, for programs that use threads.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use super::approvals::{Approver, Threads};
use super::directory::SocketFile;
use super::error::ServerError;
use super::reactor::{Command, Handler, Reactor, Remote};
use crate::protocol::{Supervisor, WorkerRecord};

/// A supervisor that listens at a Unix socket, on a thread of its own. It is closed when this is dropped.
///
/// Should the engine fail, every connection ends, which is deny for whoever waits, and nothing listens any more;
/// [`Approver::failed`] is told.
#[derive(Debug)]
pub struct SupervisorServer {
    server: Server,
}

impl SupervisorServer {
    /// Listens at a path in a directory that only this user can enter, such as a
    /// [`PrivateDirectory`](super::PrivateDirectory).
    ///
    /// # Errors
    /// Something is at the path already, other users can enter its directory, or the system has no thread.
    pub fn bind(path: impl AsRef<Path>, supervisor: Supervisor, approver: impl Approver) -> io::Result<Self> {
        Server::start(path.as_ref(), supervisor, Threads::new(approver)).map(|server| Self { server })
    }

    /// Where it listens, to be handed to workers.
    pub fn path(&self) -> &Path {
        &self.server.path
    }

    /// Every worker that ever registered, in that order.
    ///
    /// # Errors
    /// [`ServerError::Ended`] when it has failed.
    pub fn workers(&self) -> Result<Vec<WorkerRecord>, ServerError> {
        let (tell, told) = mpsc::channel();
        self.server.remote.send(Command::Workers(Box::new(move |workers| {
            // Nobody may wait any more.
            let _ = tell.send(workers);
        })));
        told.recv().map_err(|_| ServerError::Ended)
    }

    /// Denies what waits, ends every connection and stops listening. Takes a second at most. Approvers that have not
    /// answered are not waited for.
    pub fn close(self) {}
}

impl Drop for SupervisorServer {
    fn drop(&mut self) {
        self.server.shut_down();
        if let Some(thread) = self.server.thread.take() {
            // What it runs of others is guarded.
            let _ = thread.join();
        }
    }
}

/// The reactor's thread and the way to talk to it.
pub(super) struct Server {
    pub(super) path: PathBuf,
    pub(super) remote: Remote,
    pub(super) thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start(path: &Path, supervisor: Supervisor, handler: impl Handler) -> io::Result<Self> {
        let (listener, file) = SocketFile::listen(path)?;
        let path = file.path().to_owned();
        let (reactor, remote) = Reactor::new(supervisor, handler, listener, file)?;
        let thread = thread::Builder::new().name("policy-supervisor".into()).spawn(move || reactor.run())?;
        Ok(Self { path, remote, thread: Some(thread) })
    }

    pub(super) fn shut_down(&self) {
        self.remote.send(Command::Shutdown);
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("path", &self.path).finish_non_exhaustive()
    }
}
