//! The clock of the deadlines.

use std::convert::Infallible;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wasmtime::Engine;

/// A thread that moves the engine's epoch on; it ends with this value.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// Dropped to wake and end the thread.
    stop: Option<Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(crate) fn start(engine: Engine, period: Duration) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name("policy-deadlines".into()).spawn(move || {
            while matches!(stopped.recv_timeout(period), Err(RecvTimeoutError::Timeout)) {
                engine.increment_epoch();
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // Its loop cannot panic.
            let _ = thread.join();
        }
    }
}
