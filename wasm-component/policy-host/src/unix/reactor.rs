//! One thread that owns a supervisor and all its connections.
//!
//! Nothing is shared, so nothing is locked, and no worker can hold up another: a connection that does not take its
//! replies is not read. What takes its time, an approver, runs elsewhere and reports with a [`Command`].

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::clock::Clock;
use super::directory::SocketFile;
use super::error::ServerError;
use crate::error::Failure;
use crate::protocol::{Answer, Ask, AskId, ConnectionId, Output, Supervisor, WorkerRecord};

/// What a supervisor's program does with what comes out. Runs on the reactor's thread and returns soon; a panic in it
/// ends there.
pub(super) trait Handler: Send + 'static {
    fn ask(&mut self, ask: Ask, reply: Reply);
    fn withdrawn(&mut self, ask: AskId);
    fn registered(&mut self, worker: &WorkerRecord);
    fn unregistered(&mut self, worker: &WorkerRecord);
    fn failed(&mut self, error: &ServerError);
    /// The reply to this ask has arrived.
    fn answered(&mut self, _ask: AskId) {}
}

/// What the reactor is told from elsewhere.
pub(super) enum Command {
    Answer(AskId, Answer),
    Workers(Box<dyn FnOnce(Vec<WorkerRecord>) + Send>),
    Shutdown,
}

/// The way to tell it.
#[derive(Clone)]
pub(super) struct Remote {
    commands: Sender<Command>,
    wake: Arc<UnixStream>,
}

impl Remote {
    /// Does nothing when the reactor has ended.
    pub(super) fn send(&self, command: Command) {
        if self.commands.send(command).is_ok() {
            // When there is no room for one more byte it is awake already.
            let _ = (&*self.wake).write(&[0]);
        }
    }
}

/// Carries the answer to one ask back. Dropped without a word, by a panic for instance, it denies.
pub(super) struct Reply {
    ask: AskId,
    remote: Option<Remote>,
}

impl Reply {
    pub(super) fn answer(mut self, answer: Answer) {
        self.send(answer);
    }

    fn send(&mut self, answer: Answer) {
        if let Some(remote) = self.remote.take() {
            remote.send(Command::Answer(self.ask, answer));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.send(Answer::Deny);
    }
}

pub(super) struct Reactor<H> {
    supervisor: Supervisor,
    clock: Clock,
    handler: H,
    listening: Option<Listening>,
    connections: BTreeMap<ConnectionId, Connection>,
    commands: Receiver<Command>,
    /// For the replies to asks.
    remote: Remote,
    woken: UnixStream,
    /// When to stop writing after a shutdown.
    closing: Option<Instant>,
    buffer: Box<[u8]>,
}

struct Listening {
    listener: UnixListener,
    _file: SocketFile,
    /// After an error, such as too many open files, it rests.
    rests_until: Option<Instant>,
}

struct Connection {
    stream: UnixStream,
    unsent: Vec<u8>,
    /// The supervisor has forgotten it; what is unsent may be written until then.
    ends: Option<Instant>,
}

/// Bytes read from one connection before the others have their turn. Each may be a line, and each line has a reply.
const READ: usize = 4 << 10;

/// A connection with more than this unsent is not read.
const UNSENT: usize = 64 << 10;

/// Connections taken in before those that are there have their turn.
const ACCEPTS: usize = 64;

/// How long what is unsent may take once a connection has ended.
const LINGER: Duration = Duration::from_secs(1);

/// How long the listener rests after an error.
const REST: Duration = Duration::from_millis(100);

impl<H: Handler> Reactor<H> {
    pub(super) fn new(
        supervisor: Supervisor,
        handler: H,
        listener: UnixListener,
        file: SocketFile,
    ) -> io::Result<(Self, Remote)> {
        listener.set_nonblocking(true)?;
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let (sender, commands) = mpsc::channel();
        let remote = Remote { commands: sender, wake: Arc::new(wake) };
        let reactor = Self {
            supervisor,
            clock: Clock::start(),
            handler,
            listening: Some(Listening { listener, _file: file, rests_until: None }),
            connections: BTreeMap::new(),
            commands,
            remote: remote.clone(),
            woken,
            closing: None,
            buffer: vec![0; READ].into(),
        };
        Ok((reactor, remote))
    }

    /// Until it is told to shut down, or fails. Then every connection ends: whoever waits is denied.
    pub(super) fn run(mut self) {
        let end = loop {
            match self.turn() {
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error),
            }
        };
        // Before anybody is told.
        self.connections.clear();
        self.listening = None;
        if let Some(error) = end {
            guarded(|| self.handler.failed(&error));
        }
    }

    /// Everything that can be done now, then waits. False when all is done.
    fn turn(&mut self) -> Result<bool, ServerError> {
        while let Ok(command) = self.commands.try_recv() {
            self.command(command)?;
        }
        let now = self.clock.now();
        let next = self.supervisor.next_deadline()?;
        if next.is_some_and(|next| next <= now) {
            self.supervisor.expire(now)?;
        }
        self.outputs()?;
        self.write()?;
        if self.closing.is_some_and(|end| self.connections.is_empty() || end <= Instant::now()) {
            return Ok(false);
        }
        let next = self.supervisor.next_deadline()?;
        let ready = self.wait(next)?;
        if ready.woken {
            // More than one wake may have come.
            while matches!(self.woken.read(&mut self.buffer), Ok(count) if count > 0) {}
        }
        if ready.listener {
            self.accept()?;
        }
        for connection in ready.connections {
            self.read(connection)?;
            // At once: the replies to all connections together could be more than the guest's memory holds.
            self.outputs()?;
        }
        Ok(true)
    }

    fn command(&mut self, command: Command) -> Result<(), Failure> {
        match command {
            Command::Answer(ask, answer) => {
                self.supervisor.answer(ask, answer, self.clock.now())?;
                guarded(|| self.handler.answered(ask));
            }
            Command::Workers(tell) => tell(self.supervisor.workers()?),
            Command::Shutdown => {
                self.supervisor.shutdown()?;
                self.listening = None;
                self.closing = Some(Instant::now() + LINGER);
            }
        }
        Ok(())
    }

    fn outputs(&mut self) -> Result<(), Failure> {
        for output in self.supervisor.poll()? {
            match output {
                Output::Reply { connection, line } => {
                    if let Some(connection) = self.connections.get_mut(&connection) {
                        connection.unsent.extend_from_slice(line.as_bytes());
                        connection.unsent.push(b'\n');
                    }
                }
                Output::Close { connection } => self.end(connection),
                Output::Ask(ask) => {
                    let reply = Reply { ask: ask.ask, remote: Some(self.remote.clone()) };
                    guarded(|| self.handler.ask(ask, reply));
                }
                Output::Withdrawn { ask } => guarded(|| self.handler.withdrawn(ask)),
                Output::Registered(worker) => guarded(|| self.handler.registered(&worker)),
                Output::Unregistered(worker) => guarded(|| self.handler.unregistered(&worker)),
            }
        }
        Ok(())
    }

    /// Writes what the connections take, and lets those go that are done.
    fn write(&mut self) -> Result<(), Failure> {
        let now = Instant::now();
        let mut broken = Vec::new();
        self.connections.retain(|&id, connection| {
            if connection.write().is_err() {
                if connection.ends.is_none() {
                    broken.push(id);
                }
                return false;
            }
            connection.ends.is_none_or(|end| !connection.unsent.is_empty() && now < end)
        });
        for id in &broken {
            self.supervisor.close(*id)?;
        }
        if broken.is_empty() { Ok(()) } else { self.outputs() }
    }

    fn wait(&self, next_deadline: Option<u64>) -> Result<Ready, ServerError> {
        let now = Instant::now();
        let resting = self.listening.as_ref().and_then(|listening| listening.rests_until).filter(|&until| until > now);
        let listener = self.listening.as_ref().filter(|_| resting.is_none());
        let timeout = self
            .connections
            .values()
            .filter_map(|connection| connection.ends)
            .chain(resting)
            .chain(self.closing)
            .map(|end| end.saturating_duration_since(now))
            .chain(next_deadline.map(|next| self.clock.until(next)))
            .min()
            .map(|left| left.max(Duration::from_millis(1)));
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        fds.extend(listener.map(|listening| PollFd::new(&listening.listener, PollFlags::IN)));
        fds.extend(self.connections.values().map(|one| PollFd::new(&one.stream, one.interest())));
        let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(ServerError::System(error.into())),
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let woken = ready.next().unwrap_or_default();
        let listener = listener.is_some() && ready.next().unwrap_or_default();
        let readable = |fd: &PollFd<'_>| fd.revents().intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR);
        let connections = self
            .connections
            .keys()
            .rev()
            .zip(fds.iter().rev())
            .filter(|(_, fd)| readable(fd))
            .map(|(&connection, _)| connection)
            .collect();
        Ok(Ready { woken, listener, connections })
    }

    fn accept(&mut self) -> Result<(), Failure> {
        for _ in 0..ACCEPTS {
            let Some(listening) = &mut self.listening else { break };
            listening.rests_until = None;
            let stream = match listening.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => continue,
                Err(_) => {
                    listening.rests_until = Some(Instant::now() + REST);
                    break;
                }
            };
            if stream.set_nonblocking(true).is_ok() {
                let connection = self.supervisor.open()?;
                self.connections.insert(connection, Connection { stream, unsent: Vec::new(), ends: None });
            }
        }
        Ok(())
    }

    fn read(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
        if connection.ends.is_some() {
            // Its other side has gone as well, so nobody takes what is unsent.
            self.connections.remove(&id);
            return Ok(());
        }
        match connection.stream.read(&mut self.buffer) {
            Ok(0) => {
                self.end(id);
                self.supervisor.close(id)
            }
            Ok(count) => self.supervisor.receive(id, self.buffer.get(..count).unwrap_or_default(), self.clock.now()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(_) => {
                self.connections.remove(&id);
                self.supervisor.close(id)
            }
        }
    }

    fn end(&mut self, connection: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.ends.get_or_insert(Instant::now() + LINGER);
        }
    }
}

/// What can be done without waiting.
struct Ready {
    woken: bool,
    listener: bool,
    connections: Vec<ConnectionId>,
}

impl Connection {
    fn interest(&self) -> PollFlags {
        let mut interest = PollFlags::empty();
        if self.ends.is_none() && self.unsent.len() <= UNSENT {
            interest |= PollFlags::IN;
        }
        if !self.unsent.is_empty() {
            interest |= PollFlags::OUT;
        }
        interest
    }

    fn write(&mut self) -> io::Result<()> {
        let mut sent = 0;
        let result = loop {
            match self.unsent.get(sent..) {
                None | Some([]) => break Ok(()),
                Some(rest) => match self.stream.write(rest) {
                    Ok(0) => break Err(ErrorKind::WriteZero.into()),
                    Ok(count) => sent = sent.saturating_add(count),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break Ok(()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => break Err(error),
                },
            }
        };
        self.unsent.drain(..sent.min(self.unsent.len()));
        result
    }
}

/// A panic of the program's own code goes no further; its message has been printed.
fn guarded(call: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(call));
}
