//! The decision for one destination (spec page `decision`).
//!
//! SPEC DECISION-7, DECISION-8: true of the whole module.

use serde::Serialize;
use serde::ser::Serializer;

use crate::host::CanonicalHost;
use crate::pattern::List;
use crate::policy::NetworkPolicy;
use crate::public::is_public_host;

/// The answer for one `host:port`.
///
/// Exhaustive on purpose: a new outcome must break every caller's build. Serialises in the shape
/// of [`DecisionRecord`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'p> {
    /// A rule of the allowed list matched and none of the denied list.
    Allow {
        /// The first matching entry of the allowed list.
        rule: Rule<'p>,
        /// The host that was judged.
        host: CanonicalHost,
        /// The port as asked.
        port: u16,
    },
    /// The connection must not be made.
    Deny {
        /// Why.
        reason: Denial<'p>,
        /// The port as asked.
        port: u16,
    },
    /// No rule matched: somebody must approve this one connection.
    Review {
        /// The host to ask about and to dial.
        host: CanonicalHost,
        /// The port as asked.
        port: u16,
    },
}

/// Why a destination is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial<'p> {
    /// The text is no host; no rule was looked at.
    MalformedHost,
    /// An entry of the denied list matched.
    Rule {
        /// The first matching entry of the denied list.
        rule: Rule<'p>,
        /// The host that was judged.
        host: CanonicalHost,
    },
    /// No rule matched and the host is no public name, so nobody is asked.
    NotPublic {
        /// The host that was judged.
        host: CanonicalHost,
    },
}

/// The entry that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rule<'p> {
    /// The list it stands in.
    pub list: List,
    /// Its index in that list, from 0.
    pub index: usize,
    /// The entry as written in the policy.
    pub pattern: &'p str,
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

impl NetworkPolicy {
    /// Decides whether a connection to `host` at `port` may be made. Never fails: what is no host
    /// is denied. Allocates nothing.
    #[inline]
    pub fn decide(&self, host: &str, port: u16) -> Decision<'_> {
        let mut room = HostRoom::new();
        let verdict = self.verdict(host.as_bytes(), port, &mut room);
        let host = room.host;
        match verdict {
            Verdict::Malformed => Decision::Deny { reason: Denial::MalformedHost, port },
            Verdict::Denied(index) => {
                Decision::Deny { reason: Denial::Rule { rule: self.rule(List::Denied, index), host }, port }
            }
            Verdict::Allowed(index) => Decision::Allow { rule: self.rule(List::Allowed, index), host, port },
            Verdict::NotPublic => Decision::Deny { reason: Denial::NotPublic { host }, port },
            Verdict::Unmatched => Decision::Review { host, port },
        }
    }

    /// The action of [`decide`](Self::decide) alone.
    #[inline]
    pub fn check(&self, host: &str, port: u16) -> Action {
        self.verdict(host.as_bytes(), port, &mut HostRoom::new()).action()
    }

    /// [`decide`](Self::decide) for bindings that decide much: from the bytes of a host, with the canonical host left in
    /// `room`, which can be used again and again. What is no UTF-8 is no host.
    #[inline]
    pub fn verdict(&self, host: &[u8], port: u16, room: &mut HostRoom) -> Verdict {
        // SPEC DECISION-1
        if room.host.read(host).is_err() {
            return Verdict::Malformed;
        }
        let first = self.first_matches(&room.host, port);
        match (first.denied, first.allowed) {
            // SPEC DECISION-2, DECISION-6
            (Some(index), _) => Verdict::Denied(index),
            // SPEC DECISION-3
            (None, Some(index)) => Verdict::Allowed(index),
            // SPEC DECISION-4
            (None, None) if !is_public_host(&room.host) => Verdict::NotPublic,
            // SPEC DECISION-5
            (None, None) => Verdict::Unmatched,
        }
    }
}

/// What the rules say of a host; the index is the deciding entry's in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Denied: the text is no host.
    Malformed,
    /// Denied by an entry of the denied list.
    Denied(usize),
    /// Allowed by an entry of the allowed list.
    Allowed(usize),
    /// Denied: no entry matches, and the host is no public hostname.
    NotPublic,
    /// To be reviewed: no entry matches.
    Unmatched,
}

impl Verdict {
    /// Allow, deny or review.
    #[inline]
    pub const fn action(self) -> Action {
        match self {
            Self::Allowed(_) => Action::Allow,
            Self::Unmatched => Action::Review,
            Self::Malformed | Self::Denied(_) | Self::NotPublic => Action::Deny,
        }
    }
}

/// Room for the canonical host of a [`NetworkPolicy::verdict`].
#[derive(Debug, Clone)]
pub struct HostRoom {
    host: CanonicalHost,
}

impl HostRoom {
    /// Room that nothing was written to.
    pub const fn new() -> Self {
        Self { host: CanonicalHost::EMPTY }
    }

    /// The canonical host of the last verdict; after [`Verdict::Malformed`] of no use.
    pub const fn host(&self) -> &CanonicalHost {
        &self.host
    }
}

impl Default for HostRoom {
    fn default() -> Self {
        Self::new()
    }
}

impl<'p> Decision<'p> {
    /// Allow, deny or review.
    pub const fn action(&self) -> Action {
        match self {
            Self::Allow { .. } => Action::Allow,
            Self::Deny { .. } => Action::Deny,
            Self::Review { .. } => Action::Review,
        }
    }

    /// The entry that decided, if one did.
    pub const fn rule(&self) -> Option<Rule<'p>> {
        match self {
            Self::Allow { rule, .. } | Self::Deny { reason: Denial::Rule { rule, .. }, .. } => Some(*rule),
            _ => None,
        }
    }

    /// The host that was judged; `None` for a malformed one.
    pub const fn host(&self) -> Option<&CanonicalHost> {
        match self {
            Self::Allow { host, .. }
            | Self::Review { host, .. }
            | Self::Deny { reason: Denial::Rule { host, .. } | Denial::NotPublic { host }, .. } => Some(host),
            Self::Deny { reason: Denial::MalformedHost, .. } => None,
        }
    }

    /// The same decision as one flat record, for hosts without enums that carry data.
    pub fn record(&self) -> DecisionRecord<'p> {
        let (reason, port) = match *self {
            Self::Allow { port, .. } => ("rule", port),
            Self::Review { port, .. } => ("unmatched", port),
            Self::Deny { reason, port } => (reason.name(), port),
        };
        let rule = self.rule();
        DecisionRecord {
            action: self.action().name(),
            reason,
            list: rule.map(|rule| rule.list.name()),
            index: rule.map(|rule| rule.index),
            pattern: rule.map(|rule| rule.pattern),
            host: self.host().copied(),
            port,
        }
    }
}

impl Denial<'_> {
    /// `malformed-host`, `rule` or `not-public`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MalformedHost => "malformed-host",
            Self::Rule { .. } => "rule",
            Self::NotPublic { .. } => "not-public",
        }
    }
}

/// A decision in the shape that every host shows: `list`, `index` and `pattern` are there when a
/// rule decided, `host` is null for a malformed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DecisionRecord<'p> {
    /// `allow`, `deny` or `review`.
    pub action: &'static str,
    /// `rule`, `malformed-host`, `not-public` or `unmatched`.
    pub reason: &'static str,
    /// `allowedDomains` or `deniedDomains`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'static str>,
    /// Index in the list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The entry as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<&'p str>,
    /// The canonical host.
    pub host: Option<CanonicalHost>,
    /// The port as asked.
    pub port: u16,
}

impl Serialize for Decision<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record().serialize(serializer)
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
