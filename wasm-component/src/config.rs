//! The interface `config`.

use policy_core as core;

use crate::Component;
use crate::bindings::exports::pi_sandbox::policy::config as wit;

impl wit::Guest for Component {
    fn parse_config(text: String) -> Result<wit::Config, wit::ConfigError> {
        Ok(core::Config::parse(&text)?.into())
    }

    fn config_schema() -> String {
        core::config_schema()
    }
}

impl From<core::Config> for wit::Config {
    fn from(config: core::Config) -> Self {
        let core::Config { subagents, filesystem, network, host_ipc } = config;
        Self {
            subagents: subagents.into(),
            filesystem: wit::Filesystem { additional_allow_read: filesystem.additional_allow_read },
            network: wit::NetworkLists {
                allowed_domains: network.allowed_domains().map(str::to_owned).collect(),
                denied_domains: network.denied_domains().map(str::to_owned).collect(),
            },
            host_ipc: host_ipc.into(),
        }
    }
}

impl From<core::Subagents> for wit::Subagents {
    fn from(subagents: core::Subagents) -> Self {
        let core::Subagents { provider, external_worker_isolation } = subagents;
        Self {
            provider: match provider {
                core::SubagentProvider::Builtin => wit::SubagentProvider::Builtin,
                core::SubagentProvider::PiSubagents => wit::SubagentProvider::PiSubagents,
                core::SubagentProvider::Off => wit::SubagentProvider::Off,
            },
            external_worker_isolation: match external_worker_isolation {
                core::ExternalWorkerIsolation::Off => wit::ExternalWorkerIsolation::Off,
                core::ExternalWorkerIsolation::Enforce => wit::ExternalWorkerIsolation::Enforce,
            },
        }
    }
}

impl From<core::HostIpc> for wit::HostIpc {
    fn from(host_ipc: core::HostIpc) -> Self {
        let core::HostIpc { mode, preflight_command_prefixes, retry_on_unix_socket_error } = host_ipc;
        Self {
            mode: match mode {
                core::HostIpcMode::Off => wit::HostIpcMode::Off,
                core::HostIpcMode::Ask => wit::HostIpcMode::Ask,
            },
            preflight_command_prefixes,
            retry_on_unix_socket_error,
        }
    }
}

impl From<core::ConfigError> for wit::ConfigError {
    fn from(error: core::ConfigError) -> Self {
        let position =
            if let core::ConfigError::Json(error) = &error { Some(wit::Position::from(*error)) } else { None };
        Self { message: error.to_string(), position }
    }
}

impl From<core::JsonError> for wit::Position {
    fn from(error: core::JsonError) -> Self {
        Self { offset: to_u32(error.offset), line: to_u32(error.line), column: to_u32(error.column) }
    }
}

/// For places in a text or a list: where this crate runs, neither is longer than the 32-bit memory.
pub(crate) fn to_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Where this crate runs no number is lost.
pub(crate) fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
