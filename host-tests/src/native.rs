//! The core called directly.

use std::error::Error;

use policy_core::{
    CanonicalHost, Capability, Config, Decision, Diagnostic, ExternalWorkerIsolation, HostIpcMode, NetworkPolicy,
    Output, SubagentProvider, Supervisor, SupervisorOptions, WorkerRecord,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::answer::{
    Answer, AskAnswer, ConfigAnswer, DecisionAnswer, DiagnosticAnswer, FilesystemAnswer, HostIpcAnswer, Lists,
    RuleAnswer, SubagentsAnswer, WorkerAnswer,
};
use crate::request::Step;
use crate::{Host, Request};

/// Answers through `policy-core`.
#[derive(Debug, Default)]
pub struct Native;

impl Host for Native {
    fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::ParseConfig { text } => match Config::parse(&text) {
                Ok(config) => Answer::ConfigOk { ok: config_answer(config) },
                Err(error) => Answer::Error { error: error.to_string() },
            },
            Request::DecodeTransport { text } => Answer::Lists(lists(&NetworkPolicy::from_transport(&text))),
            Request::Decide { network, host, port } => {
                Answer::Decision(decision_answer(&policy(&network).decide(&host, port)))
            }
            Request::CanonicalizeHost { host } => match CanonicalHost::parse(&host) {
                Ok(host) => Answer::Host { host: Some(host.to_string()) },
                Err(_) => Answer::Malformed { malformed: true },
            },
            Request::NormalizePublicHostname { host } => {
                Answer::Host { host: policy_core::normalize_public_hostname(&host) }
            }
            Request::IsPublicAddress { address } => Answer::Public { public: policy_core::is_public_address(&address) },
            Request::CheckAddresses { addresses } => {
                Answer::Public { public: policy_core::check_addresses(addresses.iter().map(String::as_str)) }
            }
            Request::MatchingPreflightPrefix { command, prefixes } => {
                let prefix = policy_core::matching_preflight_prefix(&command, prefixes.iter().map(String::as_str));
                Answer::Prefix { prefix: prefix.map(String::from) }
            }
            Request::IsUnixSocketPermissionError { stderr } => {
                Answer::Match { r#match: policy_core::is_unix_socket_permission_error(&stderr) }
            }
            Request::Fingerprint { network } => {
                Answer::Fingerprint { fingerprint: policy(&network).fingerprint().to_string() }
            }
            Request::ValidateConfig { text } => Answer::Diagnostics {
                diagnostics: policy_core::validate_config(&text)
                    .diagnostics
                    .into_iter()
                    .map(diagnostic_answer)
                    .collect(),
            },
            Request::Explain { network, host, port } => written(&policy(&network).explain(&host, port)),
            Request::Compare { old, new } => written(&policy_core::compare(&policy(&old), &policy(&new))),
            Request::Supervise { network, capability, recheck, steps } => {
                supervise(policy(&network), &capability, recheck, steps)
                    .unwrap_or_else(|error| Answer::Error { error: error.to_string() })
            }
        }
    }
}

fn written(value: &impl Serialize) -> Answer {
    to_raw_value(value).map_or_else(|error| Answer::Error { error: error.to_string() }, Answer::Written)
}

fn diagnostic_answer(diagnostic: Diagnostic) -> DiagnosticAnswer {
    DiagnosticAnswer {
        severity: diagnostic.severity.name(),
        code: diagnostic.code.name().into(),
        path: diagnostic.path,
        start: diagnostic.start,
        end: diagnostic.end,
        line: diagnostic.line,
        column: diagnostic.column,
        message: diagnostic.message,
        help: diagnostic.help,
    }
}

fn supervise(
    policy: NetworkPolicy,
    capability: &str,
    recheck: bool,
    steps: Vec<Step>,
) -> Result<Answer, Box<dyn Error>> {
    let options = SupervisorOptions { recheck, ..SupervisorOptions::default() };
    let mut supervisor = Supervisor::new(policy, Capability::parse(capability)?, options)?;
    let (mut replies, mut asks) = (Vec::new(), Vec::new());
    for (at, step) in steps.into_iter().enumerate() {
        let connection = supervisor.open();
        supervisor.receive_line(connection, &step.frame, 0);
        while let Some(output) = supervisor.poll() {
            match output {
                Output::Reply { line, .. } => replies.push(line.into_owned()),
                Output::Ask(ask) => {
                    supervisor.answer(ask.ask, policy_core::Answer::from_word(&step.answer), 0);
                    asks.push(AskAnswer {
                        step: at,
                        hostname: ask.hostname,
                        port: ask.port,
                        cwd: ask.cwd,
                        worker_id: ask.worker_id,
                    });
                }
                _ => {}
            }
        }
        supervisor.close(connection);
    }
    let worker = |worker: &WorkerRecord| WorkerAnswer {
        id: worker.id.clone(),
        cwd: worker.cwd.clone(),
        state: worker.state.name(),
        requests: worker.requests,
    };
    Ok(Answer::Conversation { replies, asks, workers: supervisor.workers().map(worker).collect() })
}

fn policy(network: &Value) -> NetworkPolicy {
    NetworkPolicy::from_transport(&network.to_string())
}

fn lists(policy: &NetworkPolicy) -> Lists {
    Lists {
        allowed_domains: policy.allowed_domains().map(String::from).collect(),
        denied_domains: policy.denied_domains().map(String::from).collect(),
    }
}

fn config_answer(config: Config) -> ConfigAnswer {
    ConfigAnswer {
        subagents: SubagentsAnswer {
            provider: match config.subagents.provider {
                SubagentProvider::Builtin => "builtin",
                SubagentProvider::PiSubagents => "pi-subagents",
                SubagentProvider::Off => "off",
            },
            external_worker_isolation: match config.subagents.external_worker_isolation {
                ExternalWorkerIsolation::Off => "off",
                ExternalWorkerIsolation::Enforce => "enforce",
            },
        },
        network: lists(&config.network),
        filesystem: FilesystemAnswer { additional_allow_read: config.filesystem.additional_allow_read },
        host_ipc: HostIpcAnswer {
            mode: match config.host_ipc.mode {
                HostIpcMode::Off => "off",
                HostIpcMode::Ask => "ask",
            },
            preflight_command_prefixes: config.host_ipc.preflight_command_prefixes,
            retry_on_unix_socket_error: config.host_ipc.retry_on_unix_socket_error,
        },
    }
}

fn decision_answer(decision: &Decision<'_>) -> DecisionAnswer {
    let record = decision.record();
    DecisionAnswer {
        action: record.action,
        reason: record.reason,
        rule: decision.rule().map(|rule| RuleAnswer {
            list: rule.list.name(),
            index: u64::try_from(rule.index).unwrap_or(u64::MAX),
            pattern: rule.pattern.into(),
        }),
        host: record.host.map(|host| host.to_string()),
        port: record.port,
    }
}
