//! One answer line. Members stand in the order of the protocol.

#![allow(missing_docs, reason = "the members are the protocol's")]

use serde::Serialize;
use serde_json::value::RawValue;

/// The answer to one request.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The line was no request.
    #[serde(serialize_with = "bad_request")]
    BadRequest,
    ConfigOk {
        ok: ConfigAnswer,
    },
    Error {
        error: String,
    },
    Lists(Lists),
    Decision(DecisionAnswer),
    Host {
        host: Option<String>,
    },
    Malformed {
        malformed: bool,
    },
    Public {
        public: bool,
    },
    Prefix {
        prefix: Option<String>,
    },
    Match {
        r#match: bool,
    },
    Fingerprint {
        fingerprint: String,
    },
    Diagnostics {
        diagnostics: Vec<DiagnosticAnswer>,
    },
    /// What the host's own serialisation writes.
    Written(Box<RawValue>),
    Conversation {
        replies: Vec<String>,
        asks: Vec<AskAnswer>,
        workers: Vec<WorkerAnswer>,
    },
}

fn bad_request<S: serde::Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    Answer::Error { error: "bad request".into() }.serialize(serializer)
}

/// A configuration with its defaults.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigAnswer {
    pub subagents: SubagentsAnswer,
    pub filesystem: FilesystemAnswer,
    pub network: Lists,
    #[serde(rename = "hostIPC")]
    pub host_ipc: HostIpcAnswer,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubagentsAnswer {
    pub provider: &'static str,
    pub external_worker_isolation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesystemAnswer {
    pub additional_allow_read: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HostIpcAnswer {
    pub mode: &'static str,
    pub preflight_command_prefixes: Vec<String>,
    pub retry_on_unix_socket_error: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Lists {
    pub allowed_domains: Vec<String>,
    pub denied_domains: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionAnswer {
    pub action: &'static str,
    pub reason: &'static str,
    #[serde(flatten)]
    pub rule: Option<RuleAnswer>,
    pub host: Option<String>,
    pub port: u16,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiagnosticAnswer {
    pub severity: &'static str,
    pub code: String,
    pub path: String,
    pub start: usize,
    pub end: usize,
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub help: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleAnswer {
    pub list: &'static str,
    pub index: u64,
    pub pattern: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskAnswer {
    pub step: usize,
    pub hostname: String,
    pub port: u16,
    pub cwd: String,
    pub worker_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkerAnswer {
    pub id: String,
    pub cwd: String,
    pub state: &'static str,
    pub requests: u64,
}
