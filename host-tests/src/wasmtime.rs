//! The component through `policy-host`.

use policy_host::{BuildError, Config, Decision, Error, Policy, PolicyEngine};
use serde_json::Value;

use crate::answer::{
    Answer, ConfigAnswer, DecisionAnswer, FilesystemAnswer, HostIpcAnswer, Lists, RuleAnswer, SubagentsAnswer,
};
use crate::{Host, Request};

/// Answers through one engine.
#[derive(Debug)]
pub struct Wasmtime {
    engine: PolicyEngine,
}

impl Wasmtime {
    /// Starts the engine with the bundled component.
    ///
    /// # Errors
    /// The component could not be compiled.
    pub fn new() -> Result<Self, BuildError> {
        PolicyEngine::new().map(|engine| Self { engine })
    }

    fn policy(&self, network: &Value) -> Result<Policy, policy_host::Failure> {
        Policy::from_transport(&self.engine, &network.to_string())
    }

    fn try_answer(&self, request: Request) -> Result<Answer, policy_host::Failure> {
        let engine = &self.engine;
        Ok(match request {
            Request::ParseConfig { text } => match engine.parse_config(&text) {
                Ok(config) => Answer::ConfigOk { ok: config_answer(config) },
                Err(Error::Config(error)) => Answer::Error { error: error.message },
                Err(error) => Answer::Error { error: error.to_string() },
            },
            Request::DecodeTransport { text } => {
                let policy = Policy::from_transport(engine, &text)?;
                Answer::Lists(Lists {
                    allowed_domains: policy.allowed_domains().map(String::from).collect(),
                    denied_domains: policy.denied_domains().map(String::from).collect(),
                })
            }
            Request::Decide { network, host, port } => {
                Answer::Decision(decision_answer(&self.policy(&network)?.decide(&host, port)))
            }
            Request::CanonicalizeHost { host } => match engine.canonicalize_host(&host)? {
                Some(host) => Answer::Host { host: Some(host) },
                None => Answer::Malformed { malformed: true },
            },
            Request::NormalizePublicHostname { host } => {
                Answer::Host { host: engine.normalize_public_hostname(&host)? }
            }
            Request::IsPublicAddress { address } => Answer::Public { public: engine.is_public_address(&address) },
            Request::CheckAddresses { addresses } => Answer::Public { public: engine.check_addresses(&addresses) },
            Request::MatchingPreflightPrefix { command, prefixes } => {
                Answer::Prefix { prefix: engine.matching_preflight_prefix(&command, &prefixes)? }
            }
            Request::IsUnixSocketPermissionError { stderr } => {
                Answer::Match { r#match: engine.is_unix_socket_permission_error(&stderr)? }
            }
            Request::Fingerprint { network } => {
                Answer::Fingerprint { fingerprint: self.policy(&network)?.fingerprint().into() }
            }
            Request::ValidateConfig { .. }
            | Request::Explain { .. }
            | Request::Compare { .. }
            | Request::Supervise { .. } => Answer::BadRequest,
        })
    }
}

impl Host for Wasmtime {
    fn answer(&mut self, request: Request) -> Answer {
        self.try_answer(request).unwrap_or_else(|failure| Answer::Error { error: failure.to_string() })
    }
}

fn config_answer(config: Config) -> ConfigAnswer {
    ConfigAnswer {
        subagents: SubagentsAnswer {
            provider: config.subagents.provider.name(),
            external_worker_isolation: config.subagents.external_worker_isolation.name(),
        },
        filesystem: FilesystemAnswer { additional_allow_read: config.filesystem.additional_allow_read },
        network: Lists {
            allowed_domains: config.network.allowed_domains,
            denied_domains: config.network.denied_domains,
        },
        host_ipc: HostIpcAnswer {
            mode: config.host_ipc.mode.name(),
            preflight_command_prefixes: config.host_ipc.preflight_command_prefixes,
            retry_on_unix_socket_error: config.host_ipc.retry_on_unix_socket_error,
        },
    }
}

fn decision_answer(decision: &Decision) -> DecisionAnswer {
    DecisionAnswer {
        action: decision.action().name(),
        reason: decision.reason(),
        rule: decision.rule().map(|rule| RuleAnswer {
            list: rule.list.name(),
            index: u64::try_from(rule.index).unwrap_or(u64::MAX),
            pattern: rule.pattern.clone(),
        }),
        host: decision.host().map(String::from),
        port: decision.port(),
    }
}
