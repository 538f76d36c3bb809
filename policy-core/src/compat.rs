//! One entry by itself, for programs that compare entry by entry instead of holding a policy.
//!
//! Such a program does not say which list an entry stands in, nor whether it was ever judged. So
//! the entry is read without judging and compared as the denied list compares: as widely as its
//! writer can have meant (spec page `index`, "which way to err").

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::net::IpAddr;

use crate::host::CanonicalHost;
use crate::ip::parse_ip;
use crate::pattern::{DomainPattern, PatternHost};
use crate::policy::NetworkPolicy;

/// Takes the port off an entry: the rest, an address in canonical form, and the port.
///
/// What only looks like a port is left where it is: the last group of a bare IPv6 address, the
/// end of a text with more than one `:`, what follows brackets that hold no address.
pub fn split_pattern_port(entry: &str) -> (Cow<'_, str>, Option<u16>) {
    // SPEC PATTERN-8: without brackets, one `:` at most.
    if !entry.starts_with('[') && entry.matches(':').nth(1).is_some() {
        return (canonical_ip(entry).unwrap_or(Cow::Borrowed(entry)), None);
    }
    // SPEC PATTERN-1, PATTERN-2, PATTERN-7
    let pattern = DomainPattern::read(entry);
    let rest = match (pattern.host(), pattern.port()) {
        (PatternHost::Literal(ip), _) => Cow::Owned(CanonicalHost::from_ip(ip).to_string()),
        (_, None) => Cow::Borrowed(entry),
        (_, Some(_)) => Cow::Borrowed(entry.rsplit_once(':').map_or(entry, |(rest, _)| rest)),
    };
    (rest, pattern.port())
}

/// Whether an entry matches `host` at `port`. A host that is malformed is matched by `*` alone.
pub fn pattern_matches_destination(entry: &str, host: &str, port: u16) -> bool {
    // SPEC MATCH-8
    let (rest, only_port) = split_pattern_port(entry);
    only_port.is_none_or(|only| only == port) && pattern_matches_host(&rest, host)
}

/// Whether an entry that has no port matches `host`; one with a port matches no host.
pub fn pattern_matches_host(entry: &str, host: &str) -> bool {
    // SPEC MATCH-1: no malformed host is let through by this, because `*` only ever denies.
    if entry == "*" {
        return true;
    }
    let Ok(host) = CanonicalHost::parse(host) else { return false };
    let Some(entry) = indexable(entry) else { return false };
    // SPEC MATCH-2, MATCH-3, MATCH-4, MATCH-5, MATCH-6, MATCH-7: by the same index as every policy.
    NetworkPolicy::compile([], [entry.as_ref()]).is_ok_and(|policy| policy.first_matches(&host, 0).denied.is_some())
}

/// The entry as a policy would hold it; `None` when no canonical host can be equal to it.
fn indexable(entry: &str) -> Option<Cow<'_, str>> {
    match canonical_ip(entry) {
        Some(ip) if ip.contains(':') => Some(alloc::format!("[{ip}]").into()),
        Some(ip) => Some(ip),
        // SPEC PATTERN-8: no `/`; and a `:` only inside brackets.
        None => (!entry.contains('/') && (entry.starts_with('[') || !entry.contains(':')))
            .then_some(entry)
            .filter(|entry| DomainPattern::read(entry).port().is_none())
            .map(Cow::Borrowed),
    }
}

/// The canonical form of a bare IPv6 literal.
fn canonical_ip(text: &str) -> Option<Cow<'_, str>> {
    let ip = parse_ip(text.as_bytes()).filter(IpAddr::is_ipv6)?;
    Some(CanonicalHost::from_ip(ip).to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_taken_off_only_where_one_can_stand() {
        for (entry, rest, port) in [
            ("api.example.com:443", "api.example.com", Some(443)),
            ("*.example.com", "*.example.com", None),
            ("*:22", "*", Some(22)),
            ("[0::1]:443", "::1", Some(443)),
            ("[2001:DB8::1]", "2001:db8::1", None),
            ("[::ffff:1.2.3.4]", "1.2.3.4", None),
            ("[1.2.3.4]:80", "1.2.3.4", Some(80)),
            ("::1:443", "::1:443", None),
            ("0:0::1", "::1", None),
            ("::ffff:1.2.3.4", "1.2.3.4", None),
            ("evil.com:443.allowed.com", "evil.com:443.allowed.com", None),
            ("a.com:80:80", "a.com:80:80", None),
            ("a.com:0", "a.com:0", None),
            ("a.com:080", "a.com:080", None),
            ("a.com:65536", "a.com:65536", None),
            ("[a.com]:443", "[a.com]:443", None),
            ("[127.1]", "[127.1]", None),
            ("[::1]junk", "[::1]junk", None),
            ("", "", None),
        ] {
            assert_eq!(split_pattern_port(entry), (Cow::Borrowed(rest), port), "{entry}");
        }
    }

    #[test]
    fn an_entry_matches_as_in_a_denied_list() {
        for (entry, host, matches) in [
            ("example.com", "EXAMPLE.com.", true),
            ("*.example.com", "a.example.com", true),
            ("*.example.com", "example.com", false),
            ("*.com", "example.com", true),
            ("*.2.3.4", "1.2.3.4", false),
            ("*", "a b", true),
            ("a b", "a b", false),
            ("::1", "0::1", true),
            ("[0::1]", "::1", true),
            ("1.2.3.4", "::ffff:1.2.3.4", true),
            ("::ffff:1.2.3.4", "1.2.3.4", true),
            ("127.1", "127.0.0.1", true),
            ("localhost", "LOCALHOST", true),
            ("com", "com", true),
            ("\u{212A}.example", "k.example", true),
            // A port has no place in an entry without port.
            ("example.com:443", "example.com", false),
            ("[::1]:443", "::1", false),
            ("1:2:3:4:5:6:7:8:80", "1:2:3:4:5:6:7:8", false),
            ("a/b", "a", false),
            ("[a/b", "a", false),
            // `.` is the empty host.
            ("", ".", true),
            ("", "", false),
        ] {
            assert_eq!(pattern_matches_host(entry, host), matches, "{entry} {host}");
        }
    }

    #[test]
    fn a_port_in_the_entry_is_compared() {
        assert!(pattern_matches_destination("*:22", "example.com", 22));
        assert!(!pattern_matches_destination("*:22", "example.com", 443));
        assert!(pattern_matches_destination("[::1]:443", "::1", 443));
        assert!(pattern_matches_destination("example.com", "example.com", 0));
    }
}
