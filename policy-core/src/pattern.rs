//! The grammar of one list entry, and its two strictness levels (spec page `pattern`).
//!
//! ```text
//! entry = host [ ":" port ]          port = 1 … 65535, no leading zero
//! host  = "*" | "*." base | name | "[" IP literal "]"
//! ```
//!
//! SPEC PATTERN-13, PATTERN-14: true of the whole module.

use core::fmt;
use core::net::IpAddr;

use crate::ip::parse_ip;
use crate::public::is_dns_name;

/// One of the two lists of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// `allowedDomains`.
    Allowed,
    /// `deniedDomains`.
    Denied,
}

impl List {
    /// The list's name in a configuration and in a decision.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowedDomains",
            Self::Denied => "deniedDomains",
        }
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for List {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// How strictly an entry is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// What a person may write in a configuration (SPEC PATTERN-3, PATTERN-4, PATTERN-5, PATTERN-6).
    Config,
    /// What a supervisor may send to a worker (SPEC PATTERN-7, PATTERN-8, PATTERN-9, PATTERN-10, PATTERN-11, PATTERN-12).
    Transport,
}

/// An entry that the grammar accepts for its list and profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DomainPattern<'a> {
    text: &'a str,
    host: PatternHost<'a>,
    port: Option<u16>,
}

/// What stands before the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternHost<'a> {
    /// `*`: every host.
    Any,
    /// `*.base`: every strict subdomain of the base.
    Wildcard(&'a str),
    /// A name or an unbracketed IPv4 address, as written.
    Name(&'a str),
    /// `[address]`.
    Literal(IpAddr),
}

/// The grammar refuses the entry for its list and profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidPattern;

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid domain pattern")
    }
}

impl core::error::Error for InvalidPattern {}

impl<'a> DomainPattern<'a> {
    /// Reads one entry of `list`; nothing is trimmed.
    ///
    /// # Errors
    /// [`InvalidPattern`] when the profile refuses the entry.
    pub fn parse(text: &'a str, list: List, profile: Profile) -> Result<Self, InvalidPattern> {
        let pattern = Self::read(text);
        let host = pattern.host;
        let accepted = match host {
            // SPEC PATTERN-5
            PatternHost::Any => list == List::Denied,
            PatternHost::Literal(_) => profile == Profile::Transport,
            PatternHost::Wildcard(base) => match profile {
                Profile::Config => is_dns_name(base.as_bytes()),
                Profile::Transport => is_loose_base(base),
            },
            PatternHost::Name(name) => match profile {
                Profile::Config => is_dns_name(name.as_bytes()),
                Profile::Transport => is_loose_name(name),
            },
        };
        accepted.then_some(pattern).ok_or(InvalidPattern)
    }

    /// Takes an entry apart without judging it.
    pub(crate) fn read(text: &'a str) -> Self {
        let (host, port) = if text.starts_with('[') { split_bracketed(text) } else { split_plain(text) };
        Self { text, host, port }
    }

    /// The entry as written.
    pub const fn as_str(&self) -> &'a str {
        self.text
    }

    /// The one port the entry is for; `None` means every port.
    pub const fn port(&self) -> Option<u16> {
        self.port
    }

    pub(crate) const fn host(&self) -> PatternHost<'a> {
        self.host
    }
}

fn split_plain(text: &str) -> (PatternHost<'_>, Option<u16>) {
    let with_port = text.rsplit_once(':').and_then(|(host, suffix)| Some((host, Some(parse_port(suffix)?))));
    let (host, port) = with_port.unwrap_or((text, None));
    let host = match host.strip_prefix("*.") {
        _ if host == "*" => PatternHost::Any,
        Some(base) => PatternHost::Wildcard(base),
        None => PatternHost::Name(host),
    };
    (host, port)
}

/// SPEC PATTERN-2, PATTERN-7 (D3): brackets hold an IP literal, and only a port may follow; any other such entry stays whole,
/// as a name with a bracket in it, which both profiles refuse.
fn split_bracketed(text: &str) -> (PatternHost<'_>, Option<u16>) {
    let read = || {
        let (inner, suffix) = text.strip_prefix('[')?.split_once(']')?;
        let port = match suffix {
            "" => None,
            _ => Some(parse_port(suffix.strip_prefix(':')?)?),
        };
        Some((PatternHost::Literal(parse_ip(inner.as_bytes())?), port))
    };
    read().unwrap_or((PatternHost::Name(text), None))
}

/// SPEC PATTERN-1: `[1-9][0-9]{0,4}`, at most 65535.
pub(crate) fn parse_port(text: &str) -> Option<u16> {
    (text.starts_with(|c: char| matches!(c, '1'..='9')) && text.len() <= 5).then(|| text.parse().ok())?
}

/// SPEC PATTERN-8, PATTERN-10: the transport level of a wildcard's base: two labels or more, none empty.
fn is_loose_base(base: &str) -> bool {
    !base.contains([':', '/']) && base.contains('.') && base.split('.').all(|label| !label.is_empty())
}

/// SPEC PATTERN-8, PATTERN-9, PATTERN-11: the transport level of a name: `localhost`, or text with a dot inside and none at either end.
fn is_loose_name(name: &str) -> bool {
    name == "localhost"
        || (!name.starts_with('[')
            && !name.contains([':', '/', '*'])
            && name.contains('.')
            && !name.starts_with('.')
            && !name.ends_with('.'))
}
