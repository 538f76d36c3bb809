//! The configuration document (spec page `config`).
//!
//! SPEC CONFIG-28, CONFIG-29, CONFIG-30, CONFIG-31: true of the whole module.

mod check;
pub(crate) mod table;
mod unique;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::json::{self, JsonError};
use crate::policy::NetworkPolicy;

pub(crate) use check::{Problem, Problems, check};
pub(crate) use unique::unique;

/// A valid configuration, every default filled in (CONFIG-24). Serialises in the document's own
/// names and order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// How subagents run.
    pub subagents: Subagents,
    /// What the sandbox may read besides its own.
    pub filesystem: Filesystem,
    /// The network policy, compiled.
    pub network: NetworkPolicy,
    /// The host's IPC gate.
    #[serde(rename = "hostIPC")]
    pub host_ipc: HostIpc,
}

/// The section `subagents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subagents {
    /// Who provides subagents.
    pub provider: SubagentProvider,
    /// Whether external workers must be isolated.
    pub external_worker_isolation: ExternalWorkerIsolation,
}

/// `subagents.provider`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubagentProvider {
    /// The built-in ones.
    #[default]
    Builtin,
    /// The extension `pi-subagents`.
    PiSubagents,
    /// None.
    Off,
}

/// `subagents.externalWorkerIsolation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExternalWorkerIsolation {
    /// Not required.
    #[default]
    Off,
    /// Required.
    Enforce,
}

/// The section `filesystem`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Filesystem {
    /// Absolute paths, as written, each once.
    pub additional_allow_read: Vec<String>,
}

/// The section `hostIPC`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HostIpc {
    /// Whether commands that need the host's sockets are asked about.
    pub mode: HostIpcMode,
    /// Command prefixes that are asked about before they run, trimmed, each once.
    pub preflight_command_prefixes: Vec<String>,
    /// Whether a command that failed on a Unix socket is offered again outside.
    pub retry_on_unix_socket_error: bool,
}

/// `hostIPC.mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostIpcMode {
    /// Never.
    #[default]
    Off,
    /// Ask.
    Ask,
}

/// Why a text is no configuration. The display text is a contract: programs compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not JSON at all (CONFIG-27).
    Json(JsonError),
    /// JSON, but a check failed; holds the message of the first one that did (CONFIG-21).
    Invalid(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Invalid(message) => write!(f, "invalid pi-sandbox configuration: {message}"),
        }
    }
}

impl core::error::Error for ConfigError {}

/// SPEC CONFIG-21
impl From<&Problems> for ConfigError {
    fn from(problems: &Problems) -> Self {
        Self::Invalid(problems.first().to_string())
    }
}

impl Config {
    /// Reads a configuration from the text of its file.
    ///
    /// # Errors
    /// [`ConfigError`]: the text is not JSON, or the first check of the spec page `config` that
    /// fails. There is never a partial result.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let root = json::parse(text).map_err(ConfigError::Json)?;
        check(&root).map_err(|problems| ConfigError::from(&problems))
    }
}

impl NetworkPolicy {
    /// The network policy of a configuration text.
    ///
    /// # Errors
    /// As [`Config::parse`].
    pub fn from_config(text: &str) -> Result<Self, ConfigError> {
        Config::parse(text).map(|config| config.network)
    }
}
