//! Progress and errors on stderr, results on stdout, all plain text.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A step that is over sooner is told in one line, when it ends.
const SILENCE: Duration = Duration::from_secs(2);
/// How often a long step says that it is still at work.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// One piece of work in progress. Dropping it without [`Step::done`] ends it without a word: an error follows.
pub(crate) struct Step {
    label: String,
    started: Instant,
    progress: Option<Sender<String>>,
    ticker: Option<JoinHandle<()>>,
}

impl Step {
    pub(crate) fn start(area: &str, what: &str) -> Self {
        let label = label(area, what);
        let started = Instant::now();
        let (progress, received) = mpsc::channel::<String>();
        let ticker = {
            let label = label.clone();
            thread::spawn(move || {
                let mut note = String::new();
                let mut next = started + SILENCE;
                loop {
                    match received.recv_timeout(next.saturating_duration_since(Instant::now())) {
                        Ok(text) => note = format!(" {text},"),
                        Err(RecvTimeoutError::Disconnected) => return,
                        Err(RecvTimeoutError::Timeout) => {
                            let elapsed = started.elapsed();
                            if elapsed < HEARTBEAT {
                                line(&format!("{label} …"));
                            } else {
                                line(&format!("{label} …{note} {:.0} s so far", elapsed.as_secs_f64()));
                            }
                            next = Instant::now() + HEARTBEAT;
                        }
                    }
                }
            })
        };
        Self { label, started, progress: Some(progress), ticker: Some(ticker) }
    }

    /// What the next heartbeat should mention.
    pub(crate) fn progress(&self, text: String) {
        if let Some(progress) = &self.progress {
            // The ticker only ends with this step: there is always a receiver.
            let _ = progress.send(text);
        }
    }

    /// Ends the step and tells how long it took.
    pub(crate) fn done(mut self, note: &str) {
        self.stop();
        let note = if note.is_empty() { String::new() } else { format!(": {note}") };
        line(&format!("{}{note} … {}", self.label, seconds(self.started.elapsed())));
    }

    fn stop(&mut self) {
        self.progress = None;
        if let Some(ticker) = self.ticker.take() {
            // A panicked ticker has nothing more to print.
            let _ = ticker.join();
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A line that is no step.
pub(crate) fn note(area: &str, text: &str) {
    line(&label(area, text));
}

/// A line of its own on stderr. A closed stderr is no reason to stop.
pub(crate) fn line(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The last line of a run that failed.
pub(crate) fn error(error: &anyhow::Error) {
    line(&format!("error: {error:#}"));
}

/// Writes a result to stdout.
pub(crate) fn print(text: &str) -> Result<()> {
    io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}

/// `0.4 s`, `83.1 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn label(area: &str, what: &str) -> String {
    format!("{area:<6} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_one_decimal() {
        assert_eq!(seconds(Duration::from_millis(1_250)), "1.2 s");
        assert_eq!(seconds(Duration::from_secs(83)), "83.0 s");
    }

    #[test]
    fn areas_are_a_column() {
        assert_eq!(label("npm", "glue"), "npm    glue");
    }

    #[test]
    fn a_step_ends_with_or_without_a_word() {
        Step::start("test", "done").done("fine");
        let step = Step::start("test", "dropped");
        step.progress("half way".to_owned());
        drop(step);
    }
}
