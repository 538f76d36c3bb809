//! The rules of the spec pages `index` and `decision`, written as a naive scan: the oracle that the
//! compiled policy is compared with. Nothing here is fast, and nothing is shared with the core but
//! the canonical form of a host.

use policy_core::CanonicalHost;

/// The lists as they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) allowed: Vec<String>,
    pub(crate) denied: Vec<String>,
}

/// action, list and index of the deciding entry, canonical host
pub(crate) type Outcome = (&'static str, Option<(&'static str, usize)>, Option<String>);

impl Model {
    pub(crate) fn decide(&self, host: &str, port: u16) -> Outcome {
        let Ok(host) = CanonicalHost::parse(host) else { return ("deny", None, None) };
        let (name, is_ip) = (host.as_str().to_owned(), host.ip().is_some());
        let first = |list: &[String], denied| list.iter().position(|entry| matches(entry, denied, &name, is_ip, port));
        if let Some(index) = first(&self.denied, true) {
            return ("deny", Some(("deniedDomains", index)), Some(name));
        }
        if let Some(index) = first(&self.allowed, false) {
            return ("allow", Some(("allowedDomains", index)), Some(name));
        }
        let label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let public = !is_ip && name.len() <= 253 && name.contains('.') && name.split('.').all(label);
        (if public { "review" } else { "deny" }, None, Some(name))
    }
}

/// MATCH-1 to MATCH-8 for one valid entry.
pub(crate) fn matches(entry: &str, denied: bool, name: &str, is_ip: bool, port: u16) -> bool {
    let (host, entry_port) = match entry.rsplit_once(':') {
        Some((host, digits)) if !entry.ends_with(']') => (host, Some(digits)),
        _ => (entry, None),
    };
    if entry_port.is_some_and(|digits| digits != port.to_string()) {
        return false;
    }
    if host == "*" {
        return true;
    }
    if let Some(base) = host.strip_prefix("*.") {
        return !is_ip && name.ends_with(&format!(".{}", base.to_lowercase()));
    }
    let canonical = |text: &str| CanonicalHost::parse(text).map(|host| host.to_string());
    if host.starts_with('[') {
        return canonical(host).as_deref() == Ok(name);
    }
    match canonical(host) {
        Ok(canonical) if denied => canonical == name,
        _ => host.to_lowercase() == name,
    }
}
