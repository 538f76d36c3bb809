//! From the host as asked to the host that is judged, one step at a time.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::host::{CanonicalHost, MAX_HOST_BYTES};
use crate::ip::parse_ip;
use crate::pattern::parse_port;

/// One step; the steps that change nothing are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// `brackets`, `ipv6`, `ipv4-mapped`, `lower-case`, `dot` or `ipv4`.
    pub step: &'static str,
    /// The host after it.
    pub host: String,
    /// What was done, for people.
    pub message: &'static str,
}

/// SPEC EXPLAIN-3: in the order of HOST-2 and HOST-6, HOST-7, HOST-8, HOST-9; none for a malformed host. The last one
/// ends at the canonical form.
pub(super) fn steps(asked: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let Ok(canonical) = CanonicalHost::parse(asked) else { return steps };
    let mut host = String::from(asked);
    let mut step = |host: &mut String, next: &str, step, message| {
        if host != next {
            *host = next.into();
            steps.push(Step { step, host: next.into(), message });
        }
    };
    if let Some(inner) = asked.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        step(&mut host, inner, "brackets", "brackets removed");
    }
    if parse_ip(host.as_bytes()).is_some() {
        let (name, message) = match canonical.ip() {
            Some(ip) if ip.is_ipv4() => ("ipv4-mapped", "an IPv4 address inside an IPv6 one"),
            _ => ("ipv6", "IPv6 address in its shortest spelling"),
        };
        step(&mut host, canonical.as_str(), name, message);
        return steps;
    }
    let lower = host.to_ascii_lowercase();
    step(&mut host, &lower, "lower-case", "in lower case");
    let without_dot = lower.strip_suffix('.').unwrap_or(&lower);
    step(&mut host, without_dot, "dot", "one dot at the end removed");
    step(&mut host, canonical.as_str(), "ipv4", "an IPv4 address in another spelling");
    steps
}

/// Why a text is no host.
pub(super) fn malformed(asked: &str) -> &'static str {
    let has = |wrong: fn(char) -> bool| asked.chars().any(wrong);
    let port =
        asked.rsplit_once(':').filter(|(host, port)| CanonicalHost::parse(host).is_ok() && parse_port(port).is_some());
    if asked.len() > MAX_HOST_BYTES {
        "a host has at most 255 characters"
    } else if asked.starts_with('[') && asked.ends_with(']') {
        "brackets hold an IP address and nothing else"
    } else if asked.as_bytes().windows(2).any(|pair| pair == b"//") {
        "it is a URL, not a host"
    } else if asked.contains('%') {
        "an address cannot name a zone with `%`"
    } else if port.is_some() {
        "the port is no part of the host"
    } else if has(char::is_whitespace) {
        "a host has no space in it"
    } else if has(|c| !c.is_ascii()) {
        "a host has ASCII characters only"
    } else if has(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':'))) {
        "a host has letters, digits, `.`, `-` and `_` only"
    } else {
        "it is no IPv6 address"
    }
}
