//! A worker, for programs that use threads.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::clock::Clock;
use super::error::ClientError;
use super::session::{Exchange, Progress, Session, no_reply, too_late};
use crate::decision::{Action, Decision};
use crate::engine::PolicyEngine;
use crate::error::{Error, Failure};
use crate::protocol::{Answer, Capability, OutgoingRequest, Worker};

/// A worker that a supervisor has taken in. Any number of threads may use it.
///
/// Each request has a connection of its own and 30 seconds. Dropping the worker does not unregister it.
pub struct WorkerClient {
    socket: PathBuf,
    session: Session,
}

impl WorkerClient {
    /// Asks the supervisor at a socket to take a worker in. `cwd` is an absolute path.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no worker: nothing may connect.
    pub fn register(
        engine: &PolicyEngine,
        socket: impl AsRef<Path>,
        capability: &Capability,
        id: &str,
        cwd: &str,
    ) -> Result<Self, ClientError> {
        let worker = Worker::new(engine, capability, id, cwd)?;
        Self::register_with(worker, socket.as_ref(), Clock::start())
    }

    fn register_with(worker: Worker, socket: &Path, clock: Clock) -> Result<Self, ClientError> {
        let client = Self { socket: socket.to_owned(), session: Session::new(worker, clock) };
        match client.exchange(Worker::register)? {
            Answer::Allow => Ok(client),
            Answer::Deny => Err(ClientError::Denied),
        }
    }

    /// Whether a connection may be made, by the policy that the supervisor sent; on review, [`ask`](Self::ask).
    pub fn decide(&self, host: &str, port: u16) -> Decision {
        self.session.decide(host, port)
    }

    /// The action of [`decide`](Self::decide) alone, for less.
    pub fn check(&self, host: &str, port: u16) -> Action {
        self.session.check(host, port)
    }

    /// The fingerprint of the policy that the supervisor sent; after [`unregister`](Self::unregister), of the one that
    /// denies everything.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn fingerprint(&self) -> Result<String, Failure> {
        self.session.fingerprint()
    }

    /// Asks the supervisor about one connection, and waits for its answer.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no answer: the connection must not be made.
    pub fn ask(&self, host: &str, port: u16) -> Result<Answer, ClientError> {
        self.exchange(|worker, request_id, now| worker.network(request_id, host, port, now))
    }

    /// Leaves. Whatever waits is denied, and from here on everything is.
    ///
    /// # Errors
    /// [`ClientError`] when the supervisor did not hear of it. The worker has left all the same.
    pub fn unregister(&self) -> Result<Answer, ClientError> {
        self.exchange(Worker::unregister)
    }

    fn exchange(
        &self,
        request: impl FnOnce(&mut Worker, &str, u64) -> Result<OutgoingRequest, Error>,
    ) -> Result<Answer, ClientError> {
        let exchange = self.session.begin(request)?;
        let mut stream: Option<UnixStream> = None;
        let mut buffer = [0; 4096];
        loop {
            let left = match exchange.progress()? {
                Progress::Settled { answer, in_time: true } => return Ok(answer),
                Progress::Settled { in_time: false, .. } => return Err(too_late().into()),
                Progress::Wait(left) => left,
            };
            let stream = match &mut stream {
                Some(stream) => stream,
                empty => empty.insert(self.send(&exchange, left).map_err(|error| match is_no_end(&error) {
                    true => too_late(),
                    false => error,
                })?),
            };
            stream.set_read_timeout(Some(left))?;
            match stream.read(&mut buffer) {
                Ok(0) => return Err(no_reply().into()),
                Ok(count) => exchange.received(buffer.get(..count).unwrap_or_default())?,
                Err(error) if is_no_end(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Connects and sends the request. The system gives up when the time is over, also on a queue that is full.
    fn send(&self, exchange: &Exchange<'_>, left: Duration) -> io::Result<UnixStream> {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        set_socket_timeout(&socket, Timeout::Send, Some(left))?;
        connect(&socket, &SocketAddrUnix::new(&self.socket)?)?;
        let mut stream = UnixStream::from(socket);
        stream.write_all(exchange.line.as_bytes())?;
        Ok(stream)
    }
}

/// Whether the deadline is to be looked at, and then read on.
fn is_no_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

impl fmt::Debug for WorkerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerClient").field("socket", &self.socket).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "bundled", bundled_component))]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::unix::PrivateDirectory;

    #[test]
    fn a_supervisor_that_says_nothing_for_30_seconds_has_not_answered() {
        let engine = PolicyEngine::new().unwrap();
        let directory = PrivateDirectory::new().unwrap();
        let path = directory.path().join("s");
        // Nobody accepts: connections wait in the queue until it is full.
        let _listener = UnixListener::bind(&path).unwrap();
        let mut waiting = Vec::new();
        for id in 0..2 {
            let worker = Worker::new(&engine, &Capability::new("ab".repeat(32)), &id.to_string(), "/").unwrap();
            // 30 seconds pass in 60 milliseconds.
            let registered = WorkerClient::register_with(worker, &path, Clock::with_speed(500));
            let Err(ClientError::Io(error)) = registered else { panic!("{registered:?}") };
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            if id == 0 {
                waiting.extend((0..10_000).map_while(|_| connect_now(&path)));
            }
        }
        assert!(!waiting.is_empty());
    }

    /// A connection in the queue, if there is room.
    fn connect_now(path: &Path) -> Option<UnixStream> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
        connect(&socket, &SocketAddrUnix::new(path).ok()?).ok()?;
        Some(UnixStream::from(socket))
    }
}
