//! The configuration, as plain types.

use crate::bindings::exports::pi_sandbox::policy::config as wit;
use crate::bindings::exports::pi_sandbox::policy::network::ListsError as WitListsError;
use crate::decision::to_usize;
use crate::error::{ConfigError, ListsError, Position};

/// A valid configuration, every default filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// How subagents run.
    pub subagents: Subagents,
    /// What the sandbox may read besides its own.
    pub filesystem: Filesystem,
    /// The lists of the network policy.
    pub network: NetworkLists,
    /// The gate for host IPC; `hostIPC` in the document.
    pub host_ipc: HostIpc,
}

/// The section `subagents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subagents {
    /// Who provides subagents.
    pub provider: SubagentProvider,
    /// Whether external workers must be isolated.
    pub external_worker_isolation: ExternalWorkerIsolation,
}

/// `subagents.provider`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubagentProvider {
    /// The built-in ones.
    Builtin,
    /// The extension `pi-subagents`.
    PiSubagents,
    /// None.
    Off,
}

/// `subagents.externalWorkerIsolation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalWorkerIsolation {
    /// Not required.
    Off,
    /// Required.
    Enforce,
}

/// The section `filesystem`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filesystem {
    /// Absolute paths as written, each once.
    pub additional_allow_read: Vec<String>,
}

/// The section `network`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkLists {
    /// Entries of `allowedDomains`, trimmed, each once, in order.
    pub allowed_domains: Vec<String>,
    /// Entries of `deniedDomains`, trimmed, each once, in order.
    pub denied_domains: Vec<String>,
}

/// The section `hostIPC`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostIpc {
    /// Whether commands that need the host's sockets are asked about.
    pub mode: HostIpcMode,
    /// Command prefixes that are asked about before they run, trimmed, each once.
    pub preflight_command_prefixes: Vec<String>,
    /// Whether a command that failed on a Unix socket is offered again outside the sandbox.
    pub retry_on_unix_socket_error: bool,
}

/// `hostIPC.mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostIpcMode {
    /// Commands are not asked about.
    Off,
    /// They are asked about.
    Ask,
}

impl SubagentProvider {
    /// As the document spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::PiSubagents => "pi-subagents",
            Self::Off => "off",
        }
    }
}

impl ExternalWorkerIsolation {
    /// As the document spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Enforce => "enforce",
        }
    }
}

impl HostIpcMode {
    /// As the document spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ask => "ask",
        }
    }
}

impl From<wit::Config> for Config {
    fn from(config: wit::Config) -> Self {
        let wit::Config { subagents, filesystem, network, host_ipc } = config;
        let wit::Filesystem { additional_allow_read } = filesystem;
        let wit::NetworkLists { allowed_domains, denied_domains } = network;
        Self {
            subagents: subagents.into(),
            filesystem: Filesystem { additional_allow_read },
            network: NetworkLists { allowed_domains, denied_domains },
            host_ipc: host_ipc.into(),
        }
    }
}

impl From<wit::Subagents> for Subagents {
    fn from(subagents: wit::Subagents) -> Self {
        let wit::Subagents { provider, external_worker_isolation } = subagents;
        Self {
            provider: match provider {
                wit::SubagentProvider::Builtin => SubagentProvider::Builtin,
                wit::SubagentProvider::PiSubagents => SubagentProvider::PiSubagents,
                wit::SubagentProvider::Off => SubagentProvider::Off,
            },
            external_worker_isolation: match external_worker_isolation {
                wit::ExternalWorkerIsolation::Off => ExternalWorkerIsolation::Off,
                wit::ExternalWorkerIsolation::Enforce => ExternalWorkerIsolation::Enforce,
            },
        }
    }
}

impl From<wit::HostIpc> for HostIpc {
    fn from(host_ipc: wit::HostIpc) -> Self {
        let wit::HostIpc { mode, preflight_command_prefixes, retry_on_unix_socket_error } = host_ipc;
        Self {
            mode: match mode {
                wit::HostIpcMode::Off => HostIpcMode::Off,
                wit::HostIpcMode::Ask => HostIpcMode::Ask,
            },
            preflight_command_prefixes,
            retry_on_unix_socket_error,
        }
    }
}

impl From<wit::ConfigError> for ConfigError {
    fn from(error: wit::ConfigError) -> Self {
        let wit::ConfigError { message, position } = error;
        Self { message, position: position.map(Position::from) }
    }
}

impl From<wit::Position> for Position {
    fn from(position: wit::Position) -> Self {
        let wit::Position { offset, line, column } = position;
        Self { offset: to_usize(offset), line: to_usize(line), column: to_usize(column) }
    }
}

impl From<WitListsError> for ListsError {
    fn from(error: WitListsError) -> Self {
        let WitListsError { message, entry } = error;
        Self { message, entry: entry.map(|entry| (entry.list.into(), to_usize(entry.index))) }
    }
}
