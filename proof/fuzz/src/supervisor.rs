//! What must hold for a supervisor, whatever arrives, in whatever pieces and order.

use std::collections::{BTreeMap, BTreeSet};

use policy_core::{
    Action, Answer, AskId, CanonicalHost, Capability, ConnectionId, MAX_FRAME_BYTES, NetworkPolicy, Output, Supervisor,
    SupervisorLimits, SupervisorOptions, normalize_public_hostname,
};
use serde_json::Value;

use super::state::state;

const CAPABILITY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const BARE_DENY: &str = r#"{"action":"deny"}"#;
const NETWORK: &str =
    r#"{"allowedDomains":["ok.example","*.ok.example:443"],"deniedDomains":["no.example","no.ok.example"]}"#;

/// A script, a line each: `o` opens a connection; `rN TEXT` brings a line on connection N, `pN TEXT` a piece of one, `lN TEXT`
/// a whole frame; `cN` ends a connection; `aN` and `dN` answer ask N with allow and deny; `tN` lets N seconds pass; `s` shuts
/// down. N is one digit, `$CAP` the capability. A first line `x` is for a supervisor without recheck.
pub fn supervisor(data: &[u8]) {
    let whole = Run::of(data, false);
    // However the bytes are cut, the outputs are the same.
    let bytes = Run::of(data, true);
    assert_eq!(whole.outputs, bytes.outputs);
}

struct Run {
    supervisor: Supervisor,
    recheck: bool,
    now: u64,
    connections: Vec<ConnectionId>,
    /// What has arrived of an unfinished line, by connection.
    pieces: BTreeMap<ConnectionId, Vec<u8>>,
    asks: Vec<AskId>,
    /// Hostname and port of every network request that was sent, by its id.
    sent: BTreeMap<String, BTreeSet<(String, u16)>>,
    /// Ids of the unregistrations that were sent.
    leaving: BTreeSet<String>,
    /// Ids that were answered.
    answered: BTreeSet<String>,
    exited: BTreeSet<String>,
    outputs: Vec<Output>,
    one_by_one: bool,
}

impl Run {
    fn of(data: &[u8], one_by_one: bool) -> Self {
        let recheck = !data.starts_with(b"x\n");
        // Small, so that they are met.
        let limits = SupervisorLimits {
            connections: 6,
            workers: 4,
            request_ids: 24,
            pending_asks: 5,
            pending_asks_per_worker: 3,
        };
        let options = SupervisorOptions { recheck, ask_timeout_ms: 30_000, limits };
        let policy = NetworkPolicy::from_transport(NETWORK);
        let mut run = Self {
            supervisor: Supervisor::new(policy, Capability::parse(CAPABILITY).unwrap(), options).unwrap(),
            recheck,
            now: 0,
            connections: Vec::new(),
            pieces: BTreeMap::new(),
            asks: Vec::new(),
            sent: BTreeMap::new(),
            leaving: BTreeSet::new(),
            answered: BTreeSet::new(),
            exited: BTreeSet::new(),
            outputs: Vec::new(),
            one_by_one,
        };
        for line in data.split(|byte| *byte == b'\n').take(64) {
            run.step(line);
        }
        run
    }

    fn step(&mut self, line: &[u8]) {
        let (command, rest) = line.split_first().map_or((b' ', line), |(command, rest)| (*command, rest));
        let number = rest.first().copied().unwrap_or_default().wrapping_sub(b'0');
        let text = rest.get(2..).unwrap_or_default();
        let connection = self.connections.get(usize::from(number)).copied();
        match (command, connection) {
            (b'o', _) if self.connections.len() < 10 => {
                let connection = self.supervisor.open();
                self.connections.push(connection);
                self.drain(None);
            }
            (b'r', Some(connection)) => self.bytes(connection, &[&with_capability(text)[..], b"\n"].concat()),
            (b'p', Some(connection)) => self.bytes(connection, &with_capability(text)),
            (b'l', Some(connection)) => self.frame(connection, &with_capability(text)),
            (b'c', Some(connection)) => {
                self.pieces.remove(&connection);
                self.supervisor.close(connection);
                self.drain(None);
            }
            (b'a' | b'd', _) => {
                let Some(ask) = self.asks.get(usize::from(number)).copied() else { return };
                let answer = if command == b'a' { Answer::Allow } else { Answer::Deny };
                self.supervisor.answer(ask, answer, self.now);
                self.drain(Some(answer));
            }
            (b't', _) if number < 10 => {
                self.now += u64::from(number) * 1000;
                self.supervisor.expire(self.now);
                assert!(self.supervisor.next_deadline().is_none_or(|deadline| deadline > self.now));
                self.drain(None);
            }
            (b's', _) => {
                self.supervisor.shutdown();
                self.drain(None);
            }
            _ => {}
        }
    }

    fn bytes(&mut self, connection: ConnectionId, bytes: &[u8]) {
        let line = self.pieces.entry(connection).or_default();
        line.extend_from_slice(bytes);
        let mut lines: Vec<Vec<u8>> = line.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        *line = lines.pop().unwrap_or_default();
        lines.iter().for_each(|line| self.note(line));
        if self.one_by_one {
            for byte in bytes {
                self.supervisor.receive(connection, &[*byte], self.now);
            }
        } else {
            self.supervisor.receive(connection, bytes, self.now);
        }
        self.drain(None);
    }

    fn frame(&mut self, connection: ConnectionId, frame: &[u8]) {
        let Ok(text) = core::str::from_utf8(frame) else { return };
        self.note(frame);
        let before = state(&self.supervisor);
        let known = self.outputs.len();
        self.supervisor.receive_line(connection, text, self.now);
        self.drain(None);
        // PROPERTY-19
        if let [Output::Reply { line, .. }] = &self.outputs[known..]
            && line == BARE_DENY
        {
            assert_eq!(state(&self.supervisor), before);
        }
    }

    /// Remembers what a frame asks for, read by another reader.
    fn note(&mut self, frame: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(frame) else { return };
        let text = |name| value.get(name).and_then(Value::as_str).map(String::from);
        let port = value.get("port").and_then(Value::as_f64).unwrap_or_default();
        match (text("id"), text("type").as_deref(), text("hostname")) {
            (Some(id), Some("network"), Some(hostname)) => {
                // 0 is no port: no request for it is answered with allow.
                let port = if (1.0..=65535.0).contains(&port) && port.fract() == 0.0 { port as u16 } else { 0 };
                self.sent.entry(id).or_default().insert((hostname, port));
            }
            (Some(id), Some("unregister"), _) => drop(self.leaving.insert(id)),
            _ => {}
        }
    }

    fn drain(&mut self, said: Option<Answer>) {
        while let Some(output) = self.supervisor.poll() {
            match &output {
                Output::Reply { line, .. } => self.reply(line, said),
                Output::Ask(ask) => {
                    assert!(ask.port > 0);
                    if self.recheck {
                        // PROPERTY-14
                        assert_eq!(normalize_public_hostname(&ask.hostname).as_deref(), Some(&ask.hostname[..]));
                        assert_eq!(self.supervisor.policy().check(&ask.hostname, ask.port), Action::Review);
                        assert!(CanonicalHost::parse(&ask.hostname).is_ok_and(|host| host.as_str() == ask.hostname));
                    }
                    self.asks.push(ask.ask);
                }
                Output::Unregistered { worker, .. } => assert!(self.exited.insert(worker.id.clone())),
                Output::Registered { worker, .. } => assert!(!self.exited.contains(&worker.id)),
                Output::Close { connection } => drop(self.pieces.remove(connection)),
                Output::Withdrawn { .. } => {}
            }
            self.outputs.push(output);
        }
        let workers: BTreeSet<&str> = self.supervisor.workers().map(|worker| worker.id.as_str()).collect();
        assert_eq!(workers.len(), self.supervisor.workers().len(), "a worker is known once");
        assert!(workers.len() <= 4);
    }

    fn reply(&mut self, line: &str, said: Option<Answer>) {
        assert!(line.len() <= MAX_FRAME_BYTES && !line.contains('\n'));
        if line == BARE_DENY {
            return;
        }
        let reply: Value = serde_json::from_str(line).unwrap();
        let id = reply["id"].as_str().unwrap().to_owned();
        // SUPERVISOR-10, SUPERVISOR-13
        assert!(self.answered.insert(id.clone()), "an id is answered once");
        if reply["action"] == "deny" {
            return;
        }
        assert_eq!(reply["action"], "allow");
        if reply.get("network").is_some() {
            assert!(line.ends_with(&format!("\"network\":{NETWORK}}}")));
            return;
        }
        // PROPERTY-20, PROPERTY-21: for one of the requests that were sent with this id.
        let policy = self.supervisor.policy();
        let allowed = |&(ref host, port): &(String, u16)| match policy.check(host, port) {
            _ if port == 0 => false,
            Action::Allow if self.recheck => true,
            Action::Deny if self.recheck => false,
            _ => said == Some(Answer::Allow),
        };
        let network = self.sent.get(&id).into_iter().flatten().any(allowed);
        assert!(network || self.leaving.contains(&id), "{line}");
    }
}

fn with_capability(text: &[u8]) -> Vec<u8> {
    let mut filled = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(b"$CAP") {
            filled.extend_from_slice(CAPABILITY.as_bytes());
            rest = behind;
        } else {
            filled.push(*first);
            rest = behind;
        }
    }
    filled
}
