//! A worker, for async programs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use crate::decision::{Action, Decision};
use crate::engine::PolicyEngine;
use crate::error::{Error, Failure};
use crate::protocol::{Answer, Capability, OutgoingRequest, Worker};
use crate::unix::clock::Clock;
use crate::unix::error::ClientError;
use crate::unix::session::{Exchange, Progress, Session, no_reply, too_late};

/// A worker that a supervisor has taken in. Any number of tasks may use it.
///
/// Each request has a connection of its own and 30 seconds; a future that is dropped gives its request up. Dropping
/// the worker does not unregister it.
pub struct WorkerClient {
    socket: PathBuf,
    session: Session,
}

impl WorkerClient {
    /// Asks the supervisor at a socket to take a worker in. `cwd` is an absolute path.
    ///
    /// # Errors
    /// [`ClientError`] says why there is no worker: nothing may connect.
    pub async fn register(
        engine: &PolicyEngine,
        socket: impl AsRef<Path>,
        capability: &Capability,
        id: &str,
        cwd: &str,
    ) -> Result<Self, ClientError> {
        let worker = Worker::new(engine, capability, id, cwd)?;
        let client = Self { socket: socket.as_ref().to_owned(), session: Session::new(worker, Clock::start()) };
        match client.exchange(Worker::register).await? {
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
    pub async fn ask(&self, host: &str, port: u16) -> Result<Answer, ClientError> {
        self.exchange(|worker, request_id, now| worker.network(request_id, host, port, now)).await
    }

    /// Leaves. Whatever waits is denied, and from here on everything is.
    ///
    /// # Errors
    /// [`ClientError`] when the supervisor did not hear of it. The worker has left all the same.
    pub async fn unregister(&self) -> Result<Answer, ClientError> {
        self.exchange(Worker::unregister).await
    }

    async fn exchange(
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
            // What is not done in time is left; the next turn finds out what that means.
            match &mut stream {
                Some(stream) => match timeout(left, stream.read(&mut buffer)).await {
                    Ok(Ok(0)) => return Err(no_reply().into()),
                    Ok(Ok(count)) => exchange.received(buffer.get(..count).unwrap_or_default())?,
                    Ok(Err(error)) => return Err(error.into()),
                    Err(_) => {}
                },
                empty => match timeout(left, self.send(&exchange)).await {
                    Ok(sent) => *empty = Some(sent?),
                    Err(_) => return Err(too_late().into()),
                },
            }
        }
    }

    async fn send(&self, exchange: &Exchange<'_>) -> io::Result<UnixStream> {
        let mut stream = loop {
            match UnixStream::connect(&self.socket).await {
                // The supervisor's queue is full; there is nothing to wait for but time.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => sleep(FULL_QUEUE).await,
                connected => break connected?,
            }
        };
        stream.write_all(exchange.line.as_bytes()).await?;
        Ok(stream)
    }
}

/// Until a full queue is tried again.
const FULL_QUEUE: Duration = Duration::from_millis(10);

impl fmt::Debug for WorkerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerClient").field("socket", &self.socket).finish_non_exhaustive()
    }
}
