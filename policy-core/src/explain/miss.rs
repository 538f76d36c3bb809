//! Entries that nearly match, and what to write so that they do.

use alloc::string::{String, ToString};

use serde::Serialize;

use crate::decision::Rule;
use crate::diagnostic::{accepted, say};
use crate::host::CanonicalHost;
use crate::pattern::DomainPattern;
use crate::region::{HostKey, RuleKey};

/// An entry that nearly matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss<'p> {
    /// `apex`, `port`, `subdomain`, `parent`, `address-wildcard` or `spelling`.
    pub kind: &'static str,
    /// The entry.
    #[serde(flatten)]
    pub rule: Rule<'p>,
    /// Why it does not match.
    pub message: String,
    /// An entry that would, for the same list: a configuration accepts it, and it matches.
    pub suggestion: Option<String>,
}

/// SPEC EXPLAIN-5, EXPLAIN-6
pub(super) fn miss<'p>(rule: Rule<'p>, host: &CanonicalHost, port: u16) -> Option<Miss<'p>> {
    let own_port = DomainPattern::read(rule.pattern).port();
    let own_name = own_port.and_then(|_| rule.pattern.rsplit_once(':')).map_or(rule.pattern, |(name, _)| name);
    let own_digits = own_port.map_or_else(String::new, |port| port.to_string());
    let key = RuleKey::of(rule.pattern, rule.list);
    let name = host.as_str();
    let below = |name: &str, base: &str| name.strip_suffix(base).is_some_and(|rest| rest.ends_with('.'));
    let asked_digits = port.to_string();
    let (kind, message, wanted) = match key.as_ref().map(|key| &key.host) {
        // Only an allowed entry can be an address in a spelling that matches nothing.
        None if CanonicalHost::parse(own_name).is_ok_and(|other| other == *host) => {
            ("spelling", "@ is this address in a spelling that matches nothing in an allowed list", name)
        }
        None => return None,
        Some(_) if own_port.is_some_and(|own| own != port) => {
            if !key.as_ref().is_some_and(|key| key.matches_host(host)) {
                return None;
            }
            ("port", "@ is for port #; the port is #", own_name)
        }
        Some(HostKey::Below(base)) if host.ip().is_some() => {
            if name != base && !below(name, base) {
                return None;
            }
            ("address-wildcard", "@ never matches an address, and @ is one", name)
        }
        Some(HostKey::Below(base)) if name == base => ("apex", "@ covers the names below @, not @ itself", name),
        Some(HostKey::Exactly(own)) if host.ip().is_none() && below(name, own) => {
            ("subdomain", "@ covers this one name, and @ is below it", own.as_str())
        }
        Some(HostKey::Exactly(own) | HostKey::Below(own))
            if name.contains('.') && host.ip().is_none() && below(own, name) =>
        {
            ("parent", "@ lies below @ and does not cover it", name)
        }
        Some(_) => return None,
    };
    let at_port = kind == "port";
    let message = match at_port {
        true => say(message, &[rule.pattern, &own_digits, &asked_digits]),
        false => say(message, &[rule.pattern, name, name]),
    };
    let digits = match at_port {
        // No entry can name port 0.
        true if port == 0 => "",
        true => &asked_digits,
        false => &own_digits,
    };
    let star = if kind == "subdomain" { "*." } else { "" };
    let wanted = say(if digits.is_empty() { "##" } else { "##:#" }, &[star, wanted, digits]);
    let fits = |text: &String| RuleKey::of(text, rule.list).is_some_and(|key| key.matches(host, port));
    Some(Miss { kind, rule, message, suggestion: accepted(&wanted, rule.list).filter(fits) })
}
