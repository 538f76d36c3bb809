//! One request: read from a frame by the supervisor, written by a worker.

use alloc::string::String;

use serde::Serialize;

use super::capability::Capability;
use super::limits::{MAX_CWD_UNITS, MAX_HOSTNAME_UNITS, MAX_ID_UNITS, MAX_WORKER_ID_UNITS};
use crate::json::Value;

/// A request whose every member obeys the rules. Whether it fits the supervisor's state is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request<'v> {
    pub(super) id: &'v str,
    pub(super) worker_id: &'v str,
    pub(super) cwd: &'v str,
    pub(super) kind: Kind<'v>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'v> {
    Register,
    Network { hostname: &'v str, port: u16 },
    Unregister,
}

impl<'v> Request<'v> {
    /// `None` for whatever breaks a rule; members without a rule are not looked at (SPEC SUPERVISOR-8).
    pub(super) fn read(frame: &'v Value<'_>, capability: &Capability) -> Option<Self> {
        let object = frame.as_object()?;
        let text = |name| object.get(name).and_then(Value::as_str);
        // SPEC SUPERVISOR-4, before anything else is looked at
        text("capability").filter(|shown| capability.matches(shown))?;
        // SPEC SUPERVISOR-3
        object.get("version").filter(|version| version.as_small_integer() == Some(1))?;
        let id = text("id").filter(|id| is_id(id))?;
        let worker_id = text("workerId").filter(|id| is_worker_id(id))?;
        let cwd = text("cwd").filter(|cwd| is_cwd(cwd))?;
        let kind = match text("type")? {
            "register" => Kind::Register,
            // SPEC SUPERVISOR-12
            "network" => Kind::Network {
                hostname: text("hostname").filter(|hostname| is_hostname(hostname))?,
                port: object.get("port").and_then(Value::as_small_integer)?,
            },
            "unregister" => Kind::Unregister,
            _ => return None,
        };
        Some(Self { id, worker_id, cwd, kind })
    }

    /// The line that a worker sends, without its newline.
    pub(super) fn write(&self, capability: &Capability) -> Option<String> {
        let (name, destination) = match self.kind {
            Kind::Register => ("register", None),
            Kind::Network { hostname, port } => ("network", Some((hostname, port))),
            Kind::Unregister => ("unregister", None),
        };
        serde_json::to_string(&Line {
            version: 1,
            capability: capability.reveal(),
            id: self.id,
            name,
            worker_id: self.worker_id,
            cwd: self.cwd,
            hostname: destination.map(|(hostname, _)| hostname),
            port: destination.map(|(_, port)| port),
        })
        .ok()
    }
}

#[derive(Serialize)]
struct Line<'a> {
    version: u8,
    capability: &'a str,
    id: &'a str,
    #[serde(rename = "type")]
    name: &'static str,
    #[serde(rename = "workerId")]
    worker_id: &'a str,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
}

/// SPEC SUPERVISOR-5
pub(super) fn is_id(text: &str) -> bool {
    !text.is_empty() && units_within(text, MAX_ID_UNITS)
}

/// SPEC SUPERVISOR-6
pub(super) fn is_worker_id(text: &str) -> bool {
    !text.is_empty() && units_within(text, MAX_WORKER_ID_UNITS)
}

/// SPEC SUPERVISOR-7
pub(super) fn is_cwd(text: &str) -> bool {
    text.starts_with('/') && units_within(text, MAX_CWD_UNITS)
}

/// SPEC SUPERVISOR-12
pub(super) fn is_hostname(text: &str) -> bool {
    units_within(text, MAX_HOSTNAME_UNITS)
}

/// SPEC TEXT-3
fn units_within(text: &str, limit: usize) -> bool {
    // No character has more units than bytes.
    text.len() <= limit || text.encode_utf16().count() <= limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use alloc::format;
    use alloc::vec::Vec;

    const CAPABILITY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn reads(text: &str) -> bool {
        let value = json::parse(text).unwrap();
        Request::read(&value, &Capability::parse(CAPABILITY).unwrap()).is_some()
    }

    fn with(member: &str, value: &str) -> String {
        let mut text = format!(
            r#"{{"version":1,"capability":"{CAPABILITY}","id":"i","type":"network","workerId":"w","cwd":"/","hostname":"h","port":1"#
        );
        // The last of a repeated key counts.
        text.push_str(&format!(r#","{member}":{value}}}"#));
        text
    }

    #[test]
    fn each_member_has_its_rule() {
        let quoted = |text: &str, times| format!("\"{}\"", text.repeat(times));
        let path = |text: &str, times| format!("\"/{}\"", text.repeat(times));
        let cases: [(&str, Vec<String>, Vec<String>); 8] = [
            (
                "version",
                strings(["1", "1.0", "1e0", "10e-1"]),
                strings(["0", "2", "1.5", "\"1\"", "true", "null", "[1]"]),
            ),
            ("capability", strings([&format!("\"{CAPABILITY}\"")]), strings(["null", "\"\"", "1", "[]"])),
            (
                "id",
                Vec::from([quoted("x", 1), quoted("x", 128), quoted("\u{1F600}", 64), quoted("é", 128)]),
                Vec::from([quoted("", 1), quoted("x", 129), format!("\"{}x\"", "\u{1F600}".repeat(64)), "5".into()]),
            ),
            (
                "workerId",
                Vec::from([quoted("x", 128), quoted(" ", 1), quoted("\\u0000", 128)]),
                Vec::from([quoted("", 1), quoted("x", 129), "null".into(), "{}".into()]),
            ),
            (
                "cwd",
                Vec::from([path("x", 4095), path("\u{1F600}", 2047), path("é", 4095), path("../", 1)]),
                Vec::from([
                    path("x", 4096),
                    path("\u{1F600}", 2048),
                    "\"\"".into(),
                    "\"work\"".into(),
                    "\" /\"".into(),
                ]),
            ),
            (
                "hostname",
                Vec::from([quoted("", 1), quoted("h", 253), quoted("é", 253)]),
                Vec::from([quoted("h", 254), format!("\"{}\"", "\u{1F600}".repeat(127)), "5".into(), "null".into()]),
            ),
            (
                "port",
                strings(["1", "65535", "443.0", "4.43e2", "0.1e1"]),
                strings(["0", "-0", "-1", "65536", "443.5", "1e300", "\"443\"", "null", "true", "[443]", "1e-400"]),
            ),
            (
                "type",
                strings(["\"register\"", "\"network\"", "\"unregister\"", "\"\\u0072egister\""]),
                strings(["\"Register\"", "\"\"", "null", "\"register \"", "[\"register\"]"]),
            ),
        ];
        for (member, good, bad) in cases {
            good.iter().for_each(|value| assert!(reads(&with(member, value)), "{member} {value}"));
            bad.iter().for_each(|value| assert!(!reads(&with(member, value)), "{member} {value}"));
        }
        assert!(reads(&with("extra", "{\"x\":[1]}")));
        ["[]", "null", "\"\"", "{}", "1"].iter().for_each(|text| assert!(!reads(text), "{text}"));
    }

    #[test]
    fn a_destination_is_looked_at_only_in_a_network_request() {
        for kind in ["register", "unregister"] {
            let text = with("port", "0").replace("\"network\"", &format!("\"{kind}\""));
            assert!(reads(&text), "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let capability = Capability::parse(CAPABILITY).unwrap();
        for kind in [Kind::Register, Kind::Unregister, Kind::Network { hostname: "é\u{2028}", port: 65535 }] {
            let request = Request { id: "\"\\\u{1}\n", worker_id: "\u{1F600}", cwd: "/\u{7F}\t", kind };
            let line = request.write(&capability).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(Request::read(&json::parse(&line).unwrap(), &capability), Some(request));
        }
    }

    fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
        texts.map(String::from).to_vec()
    }
}
