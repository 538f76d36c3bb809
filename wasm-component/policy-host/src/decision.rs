//! Decisions, as plain types.

use crate::bindings::exports::pi_sandbox::policy::network as wit;
use crate::error::Failure;

/// The answer for one `host:port`.
///
/// Exhaustive on purpose: a new outcome must break every caller's build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The connection may be made: an entry of the allowed list matches and none of the denied list.
    Allow {
        /// The first matching entry of the allowed list.
        rule: Rule,
        /// The canonical host.
        host: String,
        /// The port as asked.
        port: u16,
    },
    /// The connection must not be made.
    Deny {
        /// Why.
        reason: Denial,
        /// The port as asked.
        port: u16,
    },
    /// No entry matches: somebody must approve this one connection.
    Review {
        /// The canonical host: what to ask about, and what to connect to.
        host: String,
        /// The port as asked.
        port: u16,
    },
}

/// Why a destination is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The text is no host. No entry was looked at.
    MalformedHost,
    /// An entry of the denied list matches.
    Rule {
        /// The first matching entry of the denied list.
        rule: Rule,
        /// The canonical host.
        host: String,
    },
    /// No entry matches and the host is no public name, so nobody is asked.
    NotPublic {
        /// The canonical host.
        host: String,
    },
    /// The engine could not answer, so nobody may connect. The next call is not affected.
    Unavailable(Failure),
}

/// The entry that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The list that it stands in.
    pub list: List,
    /// Its index in that list, from 0, duplicates counted.
    pub index: usize,
    /// The entry as written.
    pub pattern: String,
}

/// One of the two lists of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// `allowedDomains`.
    Allowed,
    /// `deniedDomains`.
    Denied,
}

/// What a decision comes to; ordered by access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The connection must not be made.
    Deny,
    /// Somebody must approve this one connection.
    Review,
    /// The connection may be made.
    Allow,
}

impl Action {
    /// `deny`, `review` or `allow`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Review => "review",
            Self::Allow => "allow",
        }
    }
}

impl List {
    /// `allowedDomains` or `deniedDomains`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowedDomains",
            Self::Denied => "deniedDomains",
        }
    }
}

impl Decision {
    /// What the decision comes to.
    pub const fn action(&self) -> Action {
        match self {
            Self::Allow { .. } => Action::Allow,
            Self::Deny { .. } => Action::Deny,
            Self::Review { .. } => Action::Review,
        }
    }

    /// In one word: `rule`, `unmatched`, or a [denial's name](Denial::name).
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Allow { .. } => "rule",
            Self::Deny { reason, .. } => reason.name(),
            Self::Review { .. } => "unmatched",
        }
    }

    /// The entry that decided, if one did.
    pub const fn rule(&self) -> Option<&Rule> {
        match self {
            Self::Allow { rule, .. } | Self::Deny { reason: Denial::Rule { rule, .. }, .. } => Some(rule),
            Self::Deny { .. } | Self::Review { .. } => None,
        }
    }

    /// The canonical host; `None` when the text was no host or nothing was decided.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Allow { host, .. }
            | Self::Review { host, .. }
            | Self::Deny { reason: Denial::Rule { host, .. } | Denial::NotPublic { host }, .. } => Some(host),
            Self::Deny { reason: Denial::MalformedHost | Denial::Unavailable(_), .. } => None,
        }
    }

    /// The port as asked.
    pub const fn port(&self) -> u16 {
        match self {
            Self::Allow { port, .. } | Self::Deny { port, .. } | Self::Review { port, .. } => *port,
        }
    }

    /// The answer when there is none.
    pub(crate) const fn unavailable(failure: Failure, port: u16) -> Self {
        Self::Deny { reason: Denial::Unavailable(failure), port }
    }
}

impl Denial {
    /// `malformed-host`, `rule`, `not-public` or `unavailable`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MalformedHost => "malformed-host",
            Self::Rule { .. } => "rule",
            Self::NotPublic { .. } => "not-public",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

impl From<wit::Decision> for Decision {
    fn from(decision: wit::Decision) -> Self {
        match decision {
            wit::Decision::Allow(wit::Allowance { rule, host, port }) => Self::Allow { rule: rule.into(), host, port },
            wit::Decision::Deny(wit::Refusal { reason, port }) => Self::Deny { reason: reason.into(), port },
            wit::Decision::Review(wit::Review { host, port }) => Self::Review { host, port },
        }
    }
}

impl From<wit::Denial> for Denial {
    fn from(denial: wit::Denial) -> Self {
        match denial {
            wit::Denial::MalformedHost => Self::MalformedHost,
            wit::Denial::Rule(wit::DenyingRule { rule, host }) => Self::Rule { rule: rule.into(), host },
            wit::Denial::NotPublic(host) => Self::NotPublic { host },
        }
    }
}

impl From<wit::Rule> for Rule {
    fn from(rule: wit::Rule) -> Self {
        let wit::Rule { list, index, pattern } = rule;
        Self { list: list.into(), index: to_usize(index), pattern }
    }
}

impl From<wit::DomainList> for List {
    fn from(list: wit::DomainList) -> Self {
        match list {
            wit::DomainList::AllowedDomains => Self::Allowed,
            wit::DomainList::DeniedDomains => Self::Denied,
        }
    }
}

impl From<List> for wit::DomainList {
    fn from(list: List) -> Self {
        match list {
            List::Allowed => Self::AllowedDomains,
            List::Denied => Self::DeniedDomains,
        }
    }
}

impl From<wit::Action> for Action {
    fn from(action: wit::Action) -> Self {
        match action {
            wit::Action::Deny => Self::Deny,
            wit::Action::Review => Self::Review,
            wit::Action::Allow => Self::Allow,
        }
    }
}

/// A place in a text or list inside the component, whose memory is 32-bit.
pub(crate) fn to_usize(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}
