//! The component through `policy-host`.

use policy_host::{
    BuildError, Capability, Comparison, Config, Decision, Diagnostic, Error, Explanation, Output, Policy, PolicyEngine,
    Rule, Supervisor, SupervisorOptions, Witness, WorkerRecord,
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
            Request::ValidateConfig { text } => Answer::Diagnostics {
                diagnostics: engine.validate_config(&text)?.diagnostics.into_iter().map(diagnostic_answer).collect(),
            },
            Request::Explain { network, host, port } => {
                written(&explanation_answer(self.policy(&network)?.explain(&host, port)?))
            }
            Request::Compare { old, new } => {
                written(&comparison_answer(self.policy(&old)?.compare(&self.policy(&new)?)?))
            }
            Request::Supervise { network, capability, recheck, steps } => {
                let policy = self.policy(&network)?;
                self.supervise(&policy, &capability, recheck, steps)
                    .unwrap_or_else(|error| Answer::Error { error: error.to_string() })
            }
        })
    }

    fn supervise(&self, policy: &Policy, capability: &str, recheck: bool, steps: Vec<Step>) -> Result<Answer, Error> {
        let options = SupervisorOptions { recheck, ..self.engine.supervisor_options()? };
        let mut supervisor = Supervisor::new(&self.engine, policy, &Capability::new(capability), options)?;
        let (mut replies, mut asks) = (Vec::new(), Vec::new());
        for (at, step) in steps.into_iter().enumerate() {
            let connection = supervisor.open()?;
            supervisor.receive_line(connection, &step.frame, 0)?;
            loop {
                let outputs = supervisor.poll()?;
                if outputs.is_empty() {
                    break;
                }
                for output in outputs {
                    match output {
                        Output::Reply { line, .. } => replies.push(line),
                        Output::Ask(ask) => {
                            supervisor.answer(ask.ask, policy_host::Answer::from_word(&step.answer), 0)?;
                            asks.push(AskAnswer {
                                step: at,
                                hostname: ask.hostname,
                                port: ask.port,
                                cwd: ask.cwd,
                                worker_id: ask.worker_id,
                            });
                        }
                        Output::Close { .. }
                        | Output::Withdrawn { .. }
                        | Output::Registered(_)
                        | Output::Unregistered(_) => {}
                    }
                }
            }
            supervisor.close(connection)?;
        }
        let worker =
            |WorkerRecord { id, cwd, state, requests, .. }| WorkerAnswer { id, cwd, state: state.name(), requests };
        Ok(Answer::Conversation { replies, asks, workers: supervisor.workers()?.into_iter().map(worker).collect() })
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
        rule: decision.rule().map(rule_answer),
        host: decision.host().map(String::from),
        port: decision.port(),
    }
}

fn rule_answer(rule: &Rule) -> RuleAnswer {
    RuleAnswer {
        list: rule.list.name(),
        index: u64::try_from(rule.index).unwrap_or(u64::MAX),
        pattern: rule.pattern.clone(),
    }
}

fn diagnostic_answer(diagnostic: Diagnostic) -> DiagnosticAnswer {
    let Diagnostic { severity, code, path, start, end, line, column, message, help, column_utf16: _, fix: _ } =
        diagnostic;
    DiagnosticAnswer { severity: severity.name(), code, path, start, end, line, column, message, help }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplanationAnswer {
    decision: DecisionAnswer,
    summary: String,
    steps: Vec<StepAnswer>,
    matches: Vec<MatchAnswer>,
    matches_omitted: usize,
    misses: Vec<MissAnswer>,
    misses_omitted: usize,
}

#[derive(Serialize)]
struct StepAnswer {
    step: String,
    host: String,
    message: String,
}

#[derive(Serialize)]
struct MatchAnswer {
    #[serde(flatten)]
    rule: RuleAnswer,
    decides: bool,
}

#[derive(Serialize)]
struct MissAnswer {
    kind: String,
    #[serde(flatten)]
    rule: RuleAnswer,
    message: String,
    suggestion: Option<String>,
}

fn explanation_answer(explanation: Explanation) -> ExplanationAnswer {
    let Explanation { decision, summary, steps, matches, matches_omitted, misses, misses_omitted } = explanation;
    let step = |policy_host::Step { step, host, message }| StepAnswer { step, host, message };
    let matching = |policy_host::Match { rule, decides }| MatchAnswer { rule: rule_answer(&rule), decides };
    let miss = |policy_host::Miss { kind, rule, message, suggestion }| MissAnswer {
        kind,
        rule: rule_answer(&rule),
        message,
        suggestion,
    };
    ExplanationAnswer {
        decision: decision_answer(&decision),
        summary,
        steps: steps.into_iter().map(step).collect(),
        matches: matches.into_iter().map(matching).collect(),
        matches_omitted,
        misses: misses.into_iter().map(miss).collect(),
        misses_omitted,
    }
}

#[derive(Serialize)]
struct ComparisonAnswer {
    relation: &'static str,
    narrower: Vec<WitnessAnswer>,
    wider: Vec<WitnessAnswer>,
}

#[derive(Serialize)]
struct WitnessAnswer {
    host: String,
    port: u16,
    old: &'static str,
    new: &'static str,
}

fn comparison_answer(comparison: Comparison) -> ComparisonAnswer {
    let Comparison { relation, narrower, wider } = comparison;
    let witness = |Witness { host, port, old, new }| WitnessAnswer { host, port, old: old.name(), new: new.name() };
    ComparisonAnswer {
        relation: relation.name(),
        narrower: narrower.into_iter().map(witness).collect(),
        wider: wider.into_iter().map(witness).collect(),
    }
}

fn written(value: &impl Serialize) -> Answer {
    to_raw_value(value).map_or_else(|error| Answer::Error { error: error.to_string() }, Answer::Written)
}
