//! The protocol over real sockets, and all that can go wrong there.
//!
//! Nothing here waits for a time to pass but where the time is the subject; a hang is found by the limit that every
//! socket of a test has.

mod client;
mod example;
mod server;
#[cfg(feature = "tokio")]
mod tokio;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use policy_host::{Capability, Policy, PolicyEngine, Supervisor, SupervisorOptions};

/// No test takes so long; whoever waits longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

fn capability() -> Capability {
    Capability::new("0123456789abcdef".repeat(4))
}

/// Allows `ok.example`, denies `no.example`, asks about the rest.
fn supervisor(engine: &PolicyEngine, change: impl FnOnce(&mut SupervisorOptions)) -> Supervisor {
    let policy = Policy::from_lists(engine, &["ok.example"], &["no.example"]).unwrap();
    let mut options = engine.supervisor_options().unwrap();
    change(&mut options);
    Supervisor::new(engine, &policy, &capability(), options).unwrap()
}

/// A request as a worker writes it; `rest` comes last and so overrides what stands before it.
fn request(id: &str, worker: &str, rest: &str) -> String {
    let capability = capability();
    let secret = capability.reveal();
    format!(r#"{{"version":1,"capability":"{secret}","id":"{id}","workerId":"{worker}","cwd":"/{worker}",{rest}}}"#)
        + "\n"
}

const REGISTER: &str = r#""type":"register""#;
const UNREGISTER: &str = r#""type":"unregister""#;

fn network(host: &str) -> String {
    format!(r#""type":"network","hostname":"{host}","port":443"#)
}

/// One end of a connection, spoken by hand.
struct Raw(BufReader<UnixStream>);

impl Raw {
    fn connect(path: &Path) -> Self {
        Self::new(UnixStream::connect(path).unwrap())
    }

    fn new(stream: UnixStream) -> Self {
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        Self(BufReader::new(stream))
    }

    /// As far as the other side takes it: one that has heard enough may have ended.
    fn send(&mut self, text: &str) {
        let _ = self.0.get_mut().write_all(text.as_bytes());
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    fn ask(&mut self, text: &str) -> String {
        self.send(text);
        self.line()
    }

    /// All that comes until the other side ends.
    fn rest(&mut self) -> String {
        let mut rest = String::new();
        // An end with something of ours unread is one, too.
        let _ = self.0.read_to_string(&mut rest);
        rest
    }
}

const DENY: &str = r#"{"action":"deny"}"#;

fn allowed(id: &str) -> String {
    format!(r#"{{"id":"{id}","action":"allow"}}"#)
}

fn denied(id: &str) -> String {
    format!(r#"{{"id":"{id}","action":"deny"}}"#)
}
