//! What an entry matches, by itself: the rules of the page `index` word for word.

use alloc::format;
use alloc::string::String;

use crate::host::CanonicalHost;
use crate::pattern::{DomainPattern, List, PatternHost};
use crate::text::to_ascii_lowercase;

/// The destinations of an entry. Two entries of a list with equal keys are equal rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleKey {
    pub(crate) host: HostKey,
    pub(crate) port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostKey {
    /// Every host.
    Any,
    /// Every name below this base.
    Below(String),
    /// This canonical host.
    Exactly(String),
}

impl HostKey {
    /// The base or the host; empty for every host.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Any => "",
            Self::Below(text) | Self::Exactly(text) => text,
        }
    }
}

impl RuleKey {
    /// `None` for an entry that matches no destination at all.
    pub(crate) fn of(text: &str, list: List) -> Option<Self> {
        let pattern = DomainPattern::read(text);
        let host = match pattern.host() {
            // SPEC MATCH-1
            PatternHost::Any => HostKey::Any,
            // SPEC MATCH-2, MATCH-5
            PatternHost::Wildcard(base) => HostKey::Below(to_ascii_lowercase(base)?),
            // SPEC MATCH-6
            PatternHost::Literal(ip) => HostKey::Exactly(CanonicalHost::from_ip(ip).as_str().into()),
            PatternHost::Name(name) => match CanonicalHost::parse(name) {
                // SPEC MATCH-7
                Ok(host) if list == List::Denied => HostKey::Exactly(host.as_str().into()),
                // SPEC MATCH-4, MATCH-5
                _ => HostKey::Exactly(to_ascii_lowercase(name)?),
            },
        };
        let key = Self { host, port: pattern.port() };
        key.least_matched().is_some().then_some(key)
    }

    /// The host of this rule that matches the fewest others: whatever other rule matches it matches all
    /// hosts of this rule. `None` when the rule matches no host.
    pub(crate) fn least_matched(&self) -> Option<CanonicalHost> {
        let (text, canonical) = match &self.host {
            // The empty host, which only `*` matches.
            HostKey::Any => (String::from("."), String::new()),
            HostKey::Below(base) => (format!(".{base}"), format!(".{base}")),
            HostKey::Exactly(host) => (host.clone(), host.clone()),
        };
        CanonicalHost::parse(&text).ok().filter(|host| host.as_str() == canonical)
    }

    /// SPEC MATCH-8
    pub(crate) fn matches(&self, host: &CanonicalHost, port: u16) -> bool {
        self.port.is_none_or(|own| own == port) && self.matches_host(host)
    }

    pub(crate) fn matches_host(&self, host: &CanonicalHost) -> bool {
        match &self.host {
            HostKey::Any => true,
            // SPEC MATCH-3
            HostKey::Below(base) => host.ip().is_none() && is_below(host.as_str(), base),
            HostKey::Exactly(own) => host.as_str() == own,
        }
    }

    /// Whether every host of this rule is a name below the base of `other`.
    pub(crate) fn is_below(&self, other: &Self) -> bool {
        !self.is_ip() && is_below(self.host.text(), other.host.text())
    }

    pub(crate) fn is_ip(&self) -> bool {
        match &self.host {
            HostKey::Exactly(host) => crate::ip::parse_ip(host.as_bytes()).is_some(),
            _ => false,
        }
    }
}

fn is_below(name: &str, base: &str) -> bool {
    name.strip_suffix(base).is_some_and(|rest| rest.ends_with('.'))
}
