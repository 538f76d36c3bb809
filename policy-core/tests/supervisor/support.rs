//! A small host around the supervisor: frames in, outputs as text.

use crate::state::state;
use policy_core::{Answer, AskId, Capability, ConnectionId, NetworkPolicy, Output, Supervisor, SupervisorOptions};

pub(crate) const CAPABILITY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
pub(crate) const DENY: &str = r#"{"action":"deny"}"#;
pub(crate) const NETWORK: &str = r#"{"allowedDomains":["ok.example"],"deniedDomains":["no.example"]}"#;

pub(crate) fn capability() -> Capability {
    Capability::parse(CAPABILITY).unwrap()
}

pub(crate) fn policy() -> NetworkPolicy {
    NetworkPolicy::from_transport(NETWORK)
}

pub(crate) fn frame(kind: &str, id: &str, worker: &str, rest: &str) -> String {
    format!(
        r#"{{"version":1,"capability":"{CAPABILITY}","id":"{id}","type":"{kind}","workerId":"{worker}","cwd":"/repo"{rest}}}"#
    )
}

pub(crate) fn register(id: &str, worker: &str) -> String {
    frame("register", id, worker, "")
}

pub(crate) fn unregister(id: &str, worker: &str) -> String {
    frame("unregister", id, worker, "")
}

pub(crate) fn network(id: &str, worker: &str, hostname: &str) -> String {
    frame("network", id, worker, &format!(r#","hostname":"{hostname}","port":443"#))
}

pub(crate) fn drain(supervisor: &mut Supervisor) -> Vec<Output> {
    std::iter::from_fn(|| supervisor.poll()).collect()
}

/// One output as a short text: what tests compare.
pub(crate) fn show(output: &Output) -> String {
    match output {
        Output::Reply { connection, line } => format!("{}< {line}", u64::from(*connection)),
        Output::Close { connection } => format!("{}| close", u64::from(*connection)),
        Output::Ask(ask) => {
            format!("ask {} {}:{} for {} in {}", u64::from(ask.ask), ask.hostname, ask.port, ask.worker_id, ask.cwd)
        }
        Output::Withdrawn { ask } => format!("withdrawn {}", u64::from(*ask)),
        Output::Registered { worker, at } => format!("registered {} at {at}", worker.id),
        Output::Unregistered { worker, at } => format!("unregistered {} at {at}", worker.id),
    }
}

pub(crate) struct Host {
    pub(crate) supervisor: Supervisor,
    pub(crate) now: u64,
}

impl Host {
    pub(crate) fn new(options: SupervisorOptions) -> Self {
        Self { supervisor: Supervisor::new(policy(), capability(), options).unwrap(), now: 0 }
    }

    /// With the workers `w1` and `w2` registered by the ids `r1` and `r2` on connections 1 and 2, which ended.
    pub(crate) fn with_workers(options: SupervisorOptions) -> Self {
        let mut host = Self::new(options);
        for number in ["1", "2"] {
            let connection = host.supervisor.open();
            let outputs = host.line(connection, &register(&format!("r{number}"), &format!("w{number}")));
            assert!(outputs[0].contains("allow"), "{outputs:?}");
            assert!(host.close(connection).is_empty());
        }
        host
    }

    pub(crate) fn outputs(&mut self) -> Vec<String> {
        drain(&mut self.supervisor).iter().map(show).collect()
    }

    pub(crate) fn bytes(&mut self, connection: ConnectionId, bytes: impl AsRef<[u8]>) -> Vec<String> {
        self.supervisor.receive(connection, bytes.as_ref(), self.now);
        self.outputs()
    }

    pub(crate) fn line(&mut self, connection: ConnectionId, line: &str) -> Vec<String> {
        self.supervisor.receive_line(connection, line, self.now);
        self.outputs()
    }

    /// On a connection of its own, whose number is left out of the outputs.
    pub(crate) fn alone(&mut self, line: &str) -> Vec<String> {
        let connection = self.supervisor.open();
        let own = format!("{}< ", u64::from(connection));
        let outputs = self.line(connection, line);
        outputs.into_iter().map(|text| text.strip_prefix(&own).map(String::from).unwrap_or(text)).collect()
    }

    pub(crate) fn close(&mut self, connection: ConnectionId) -> Vec<String> {
        self.supervisor.close(connection);
        self.outputs()
    }

    pub(crate) fn answer(&mut self, ask: u64, word: &str) -> Vec<String> {
        self.supervisor.answer(AskId::from(ask), Answer::from_word(word), self.now);
        self.outputs()
    }

    pub(crate) fn expire(&mut self) -> Vec<String> {
        self.supervisor.expire(self.now);
        self.outputs()
    }

    /// Everything the supervisor holds, as text.
    pub(crate) fn state(&self) -> String {
        state(&self.supervisor)
    }

    pub(crate) fn workers(&self) -> Vec<String> {
        let show = |worker| serde_json::to_string(worker).unwrap();
        self.supervisor.workers().map(show).collect()
    }
}
