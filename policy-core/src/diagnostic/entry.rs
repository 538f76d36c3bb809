//! What is wrong with an entry of a domain list, and what to write instead.
//!
//! Whether an entry is wrong is decided by the grammar alone; this finds out why. Each check looks
//! for one habit, the most telling first.

use alloc::string::String;
use core::ops::Range;

use super::code::Code;
use super::quote::{hides, say};
use super::repair::{accepted, repaired, without_url};
use crate::host::CanonicalHost;
use crate::ip::{parse_ip, parse_ipv6};
use crate::json::pair_at;
use crate::pattern::{List, parse_port};

/// A problem of one entry; the range is within its trimmed text.
pub(super) struct EntryFault {
    pub(super) code: Code,
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
    /// The entry to write instead, accepted by the grammar.
    pub(super) write: Option<String>,
}

/// Why the config profile refuses this entry.
pub(super) fn entry_fault(text: &str, list: List) -> EntryFault {
    let fault = find(text, list);
    let message = say(fault.message, &[fault.shown, text]);
    let (code, range) = (fault.code, fault.range);
    // Whether another spelling can say the same thing.
    let mendable =
        !matches!(code, Code::EntryTooBroad | Code::EntryAddressRange | Code::EntryIpv6 | Code::EntryWildcard);
    let write = fault.write.or_else(|| if mendable { repaired(text, list) } else { None });
    let help = match (&write, fault.below.is_empty()) {
        (Some(write), true) => say("write @", &[write]),
        (Some(write), false) => say("for every name below @ write @", &[fault.below, write]),
        (None, _) if !fault.help.is_empty() => fault.help.into(),
        // SPEC DIAGNOSTIC-7: what is left once the URL around it is gone may be refused on purpose.
        (None, _) => inner_help(text, list).into(),
    };
    let write = write.filter(|_| fault.below.is_empty());
    EntryFault { code, range, message, help, write }
}

fn inner_help(text: &str, list: List) -> &'static str {
    let inner = without_url(text);
    let help = if inner == text || inner.is_empty() { "" } else { find(inner, list).help };
    if help.is_empty() {
        "an entry is a host name, perhaps with `*.` in front or a port such as `:443` behind"
    } else {
        help
    }
}

/// What was found, not yet in words.
struct Found<'t> {
    code: Code,
    range: Range<usize>,
    /// Its arguments: `shown`, then the whole entry.
    message: &'static str,
    shown: &'t str,
    /// Empty for none.
    help: &'static str,
    write: Option<String>,
    /// When not empty, `write` is for the names below this one.
    below: &'t str,
}

impl<'t> Found<'t> {
    fn new(code: Code, range: Range<usize>, message: &'static str, shown: &'t str, help: &'static str) -> Self {
        Self { code, range, message, shown, help, write: None, below: "" }
    }

    /// Offers the wildcard over a name.
    fn offering_wildcard(mut self, base: &'t str, list: List) -> Self {
        self.write = accepted(&say("*.#", &[base]), list);
        self.below = base;
        self
    }
}

fn find(text: &str, list: List) -> Found<'_> {
    url(text)
        .or_else(|| ipv6(text))
        .or_else(|| wildcard(text, list))
        .or_else(|| characters(text))
        .or_else(|| port(text, list))
        .or_else(|| labels(text, list))
        .unwrap_or_else(|| Found::new(Code::EntryCharacter, 0..text.len(), "@ is no host name", text, ""))
}

fn url(text: &str) -> Option<Found<'_>> {
    let told = |range, message| Some(Found::new(Code::EntryUrl, range, message, text, ""));
    let scheme = pair_at(text, b"//")
        .filter(|&at| text.get(..at).is_some_and(|scheme| scheme.is_empty() || scheme.ends_with(':')));
    if let Some(at) = scheme {
        return told(0..at.saturating_add(2), "@ is a URL; an entry is a host name");
    }
    if let Some((host, bits)) = text.split_once('/')
        && !bits.is_empty()
        && bits.bytes().all(|b| b.is_ascii_digit())
        && parse_ip(host.as_bytes()).is_some()
    {
        let message = "@ is an address range; an entry is one host";
        let help = "list each address as an entry of its own";
        return Some(Found::new(Code::EntryAddressRange, host.len()..text.len(), message, text, help));
    }
    if let Some(at) = text.find('@') {
        return told(0..at.saturating_add(1), "@ has a user name; an entry is a host name");
    }
    let at = text.find(['/', '?', '#', '\\'])?;
    told(at..text.len(), "@ has a path; an entry is a host name")
}

fn ipv6(text: &str) -> Option<Found<'_>> {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let inner = bracketed.map_or(text, |(inner, _)| inner);
    let without_zone = inner.split('%').next().unwrap_or(inner);
    parse_ipv6(without_zone.as_bytes())?;
    let message = "@ is an IPv6 address; a configuration lists none";
    let help = "leave it out: an address that no entry names is denied";
    Some(Found::new(Code::EntryIpv6, 0..text.len(), message, text, help))
}

const MISPLACED: &str = "in @ a `*` stands elsewhere than in front as `*.`";

fn wildcard(text: &str, list: List) -> Option<Found<'_>> {
    let host = host_of(text);
    let base = host.trim_start_matches('*');
    let stars = host.len().saturating_sub(base.len());
    let told = |code, range, message, help| Some(Found::new(code, range, message, text, help));
    if host == "*" {
        let help = "name the hosts; `*` is for `deniedDomains` only";
        let every = || told(Code::EntryTooBroad, 0..1, "@ would allow every host", help);
        return if list == List::Allowed { every() } else { None };
    }
    if let Some(at) = base.find('*') {
        let at = at.saturating_add(stars);
        let help = "list the names, or the end they share with `*.` in front";
        return told(Code::EntryWildcard, at..at.saturating_add(1), MISPLACED, help);
    }
    match (stars, base.strip_prefix('.')) {
        (0, _) => None,
        (1, Some("")) => {
            let help = "name a domain, as in `*.example.com`";
            told(Code::EntryWildcard, 0..host.len(), "@ has no name behind `*.`", help)
        }
        (1, Some(base)) if !base.contains('.') => {
            let help = "name a domain below it, as in `*.example.com`";
            told(Code::EntryTooBroad, 0..host.len(), "@ is too broad", help)
        }
        // One `*.` in front: something else is wrong.
        (1, Some(_)) => None,
        (_, Some(_)) => {
            let mut told = Found::new(Code::EntryWildcard, 1..stars, MISPLACED, text, "write one `*`");
            told.write = text.get(stars.saturating_sub(1)..).and_then(|rest| accepted(rest, list));
            Some(told)
        }
        (_, None) => {
            let told = Found::new(Code::EntryWildcard, 0..stars, MISPLACED, text, "write `*.` with its dot");
            Some(told.offering_wildcard(base, list))
        }
    }
}

fn characters(text: &str) -> Option<Found<'_>> {
    let wrong = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '*'));
    let (at, c) = text.char_indices().find(|&(_, c)| wrong(c))?;
    let range = at..at.saturating_add(c.len_utf8());
    let told = |range, message, shown, help| Some(Found::new(Code::EntryCharacter, range, message, shown, help));
    if hides(c) {
        return told(range, "@ has an invisible character", text, "remove it");
    }
    if c.is_whitespace() {
        return told(range, "@ has a space inside", text, "write each host as an entry of its own");
    }
    if !c.is_ascii() {
        let rest = text.get(at..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_ascii()).map_or(text.len(), |len| at.saturating_add(len));
        let help = "write such a name in its `xn--` form, as a browser gives it when copied from the address bar";
        return Some(Found::new(Code::EntryNotAscii, at..end, "@ has letters outside ASCII", text, help));
    }
    let help = if c == '_' { "a public host name has letters, digits, `-` and `.` only" } else { "" };
    told(range.clone(), "@ cannot stand in the host name @", text.get(range).unwrap_or_default(), help)
}

fn port(text: &str, list: List) -> Option<Found<'_>> {
    let (host, suffix) = text.split_once(':')?;
    if parse_port(suffix).is_some() {
        return None;
    }
    let told = |range, message, shown| Found::new(Code::EntryPort, range, message, shown, "a port is 1 to 65535");
    if suffix.is_empty() || suffix == "*" {
        let mut told = told(host.len()..text.len(), "in @ no port follows the `:`", text);
        told.write = accepted(host, list);
        return Some(told);
    }
    if suffix.contains(':') {
        return Some(told(host.len()..text.len(), "@ has more than one `:`", text));
    }
    let mut told = told(host.len().saturating_add(1)..text.len(), "@ is no port", suffix);
    let number = suffix.trim_start_matches('0');
    if number != suffix {
        told.write = accepted(&say("#:#", &[host, number]), list);
    }
    Some(told)
}

fn labels(text: &str, list: List) -> Option<Found<'_>> {
    let whole = host_of(text);
    let host = whole.strip_prefix("*.").unwrap_or(whole);
    let offset = whole.len().saturating_sub(host.len());
    let told = |code, range, message, help| Some(Found::new(code, range, message, text, help));
    if !host.contains('.') {
        return Some(single_label(text, host, list));
    }
    if host.ends_with('.') {
        let range = whole.len().saturating_sub(1)..whole.len();
        return told(Code::EntryDot, range, "@ ends in a dot", "drop the dot at the end");
    }
    if let Some(base) = host.strip_prefix('.') {
        let help = "begin with a letter or digit";
        let range = offset..offset.saturating_add(1);
        return Some(
            Found::new(Code::EntryDot, range, "@ begins with a dot", text, help).offering_wildcard(base, list),
        );
    }
    let mut at = offset;
    for label in host.split('.') {
        let end = at.saturating_add(label.len());
        if label.is_empty() {
            let range = at.saturating_sub(1)..at.saturating_add(1);
            return told(Code::EntryDot, range, "@ has two dots in a row", "write one");
        }
        if label.starts_with('-') || label.ends_with('-') {
            let hyphen = if label.starts_with('-') { at } else { end.saturating_sub(1) };
            let help = "begin and end each part with a letter or digit";
            let range = hyphen..hyphen.saturating_add(1);
            return told(Code::EntryLabel, range, "@ has a `-` beside a dot or at an end", help);
        }
        if label.len() > 63 {
            let help = "between two dots stand at most 63 characters";
            return told(Code::EntryLabel, at..end, "@ has a part that is too long", help);
        }
        at = end.saturating_add(1);
    }
    told(Code::EntryTooLong, offset..whole.len(), "@ is too long", "a host name has at most 253 characters")
}

fn single_label<'t>(text: &'t str, host: &'t str, list: List) -> Found<'t> {
    let denied = list == List::Denied;
    let start = host_of(text).len().saturating_sub(host.len());
    let range = start..start.saturating_add(host.len());
    let told = |message, help| Found::new(Code::EntrySingleLabel, range, message, text, help);
    if host.eq_ignore_ascii_case("localhost") {
        let help = if denied { "leave it out: it is denied without an entry" } else { "`localhost` cannot be allowed" };
        return told("@ names the machine itself", help);
    }
    match CanonicalHost::parse(host) {
        Ok(address) if address.ip().is_some() => {
            let mut told = told("@ is an address written as one number", "");
            let port = text.get(host.len()..).unwrap_or_default();
            told.write = accepted(&say("##", &[address.as_str(), port]), list);
            told
        }
        _ if denied => told("@ has no dot", "write the whole name; a name without a dot is denied without an entry"),
        _ => told("@ has no dot", "write the whole name, with a dot"),
    }
}

/// What stands before the first `:`.
fn host_of(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}
