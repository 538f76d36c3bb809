//! One request line.

use serde_json::{Map, Value};

/// A well-formed request. `network` members hold whatever stood there: what is no policy is the
/// host's to refuse.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Validate a configuration text.
    ParseConfig {
        /// The configuration's text.
        text: String,
    },
    /// Decode a policy in transport form.
    DecodeTransport {
        /// The policy's JSON text.
        text: String,
    },
    /// Decide one destination.
    Decide {
        /// The policy.
        network: Value,
        /// The host as asked.
        host: String,
        /// The port as asked.
        port: u16,
    },
    /// Bring a host to canonical form.
    CanonicalizeHost {
        /// The host as asked.
        host: String,
    },
    /// Normalise a public hostname.
    NormalizePublicHostname {
        /// The text.
        host: String,
    },
    /// Judge one resolved address.
    IsPublicAddress {
        /// The address.
        address: String,
    },
    /// Judge all addresses of a name.
    CheckAddresses {
        /// The addresses.
        addresses: Vec<String>,
    },
    /// Find the preflight prefix of a command.
    MatchingPreflightPrefix {
        /// The command line.
        command: String,
        /// The prefixes, in order.
        prefixes: Vec<String>,
    },
    /// Recognise a refused Unix socket.
    IsUnixSocketPermissionError {
        /// What the command wrote.
        stderr: String,
    },
    /// The identity of a policy.
    Fingerprint {
        /// The policy.
        network: Value,
    },
    /// Say everything that is wrong with a configuration text.
    ValidateConfig {
        /// The configuration's text.
        text: String,
    },
    /// Explain the decision for one destination.
    Explain {
        /// The policy.
        network: Value,
        /// The host as asked.
        host: String,
        /// The port as asked.
        port: u16,
    },
    /// Compare two policies.
    Compare {
        /// The policy before.
        old: Value,
        /// The policy after.
        new: Value,
    },
    /// A conversation with a supervisor.
    Supervise {
        /// The policy.
        network: Value,
        /// The secret of the workers.
        capability: String,
        /// Whether the policy decides before the approver is asked.
        recheck: bool,
        /// The frames, each on a connection of its own.
        steps: Vec<Step>,
    },
}

/// One frame, `$CAP` replaced, and what the approver says if it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The line, without its newline.
    pub frame: String,
    /// `allow`, or anything else for deny.
    pub answer: String,
}

impl Request {
    /// Reads one line; `None` when it is not strict JSON, no object, of an unknown op, or lacks a
    /// member of the right type.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let Value::Object(members) = serde_json::from_slice(line).ok()? else { return None };
        Some(match text(&members, "op")?.as_str() {
            "parse-config" => Self::ParseConfig { text: text(&members, "text")? },
            "decode-transport" => Self::DecodeTransport { text: text(&members, "text")? },
            "decide" => {
                Self::Decide { network: any(&members, "network"), host: text(&members, "host")?, port: port(&members)? }
            }
            "canonicalize-host" => Self::CanonicalizeHost { host: text(&members, "host")? },
            "normalize-public-hostname" => Self::NormalizePublicHostname { host: text(&members, "host")? },
            "is-public-address" => Self::IsPublicAddress { address: text(&members, "address")? },
            "check-addresses" => Self::CheckAddresses { addresses: texts(&members, "addresses")? },
            "matching-preflight-prefix" => Self::MatchingPreflightPrefix {
                command: text(&members, "command")?,
                prefixes: texts(&members, "prefixes")?,
            },
            "is-unix-socket-permission-error" => {
                Self::IsUnixSocketPermissionError { stderr: text(&members, "stderr")? }
            }
            "fingerprint" => Self::Fingerprint { network: any(&members, "network") },
            "validate-config" => Self::ValidateConfig { text: text(&members, "text")? },
            "explain" => Self::Explain {
                network: any(&members, "network"),
                host: text(&members, "host")?,
                port: port(&members)?,
            },
            "compare" => Self::Compare { old: any(&members, "old"), new: any(&members, "new") },
            "supervise" => {
                let capability = text(&members, "capability")?;
                let steps = members.get("steps")?.as_array()?.iter();
                Self::Supervise {
                    network: any(&members, "network"),
                    recheck: members.get("recheck").map_or(Some(true), Value::as_bool)?,
                    steps: steps.map(|step| Step::parse(step, &capability)).collect::<Option<_>>()?,
                    capability,
                }
            }
            _ => return None,
        })
    }
}

impl Step {
    fn parse(step: &Value, capability: &str) -> Option<Self> {
        let members = step.as_object()?;
        let answer = members.get("answer").and_then(Value::as_str).unwrap_or_default();
        Some(Self { frame: text(members, "frame")?.replace("$CAP", capability), answer: answer.into() })
    }
}

fn any(members: &Map<String, Value>, name: &str) -> Value {
    members.get(name).cloned().unwrap_or(Value::Null)
}

fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name)?.as_str().map(String::from)
}

fn texts(members: &Map<String, Value>, name: &str) -> Option<Vec<String>> {
    members.get(name)?.as_array()?.iter().map(|item| item.as_str().map(String::from)).collect()
}

/// An integer 0 to 65535, in any JSON spelling of it (`443.0` is 443).
fn port(members: &Map<String, Value>) -> Option<u16> {
    let number = members.get("port")?.as_f64()?;
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked right below"
    )]
    let port = number as u16;
    (f64::from(port) == number).then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_an_integer_in_range_or_no_request() {
        let port_of =
            |port: &str| match Request::parse(format!(r#"{{"op":"decide","host":"a.b","port":{port}}}"#).as_bytes()) {
                Some(Request::Decide { port, .. }) => Some(port),
                _ => None,
            };
        for (text, expected) in [
            ("0", Some(0)),
            ("443", Some(443)),
            ("443.0", Some(443)),
            ("4.43e2", Some(443)),
            ("65535", Some(65535)),
            ("-0", Some(0)),
        ] {
            assert_eq!(port_of(text), expected, "{text}");
        }
        for text in ["65536", "65979", "-1", "443.9", "\"443\"", "[443]", "true", "null", "1e400"] {
            assert_eq!(port_of(text), None, "{text}");
        }
    }

    #[test]
    fn unreadable_lines_are_no_requests() {
        for line in [
            "",
            "x",
            "[]",
            "{}",
            r#"{"op":"nonsense"}"#,
            r#"{"op":"decide","host":5,"port":1}"#,
            "\u{FEFF}{}",
            r#"{"op":"canonicalize-host","host":"a","x":"\ud800"}"#,
            r#"{"op":"check-addresses","addresses":["a",1]}"#,
        ] {
            assert_eq!(Request::parse(line.as_bytes()), None, "{line}");
        }
        assert_eq!(Request::parse(b"{\"op\":\"canonicalize-host\",\"host\":\"\xff\"}"), None);
    }
}
