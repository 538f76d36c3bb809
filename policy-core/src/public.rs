//! Which names and addresses are public (spec page `public`).
//!
//! SPEC PUBLIC-4: true of the whole module.

use alloc::string::String;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::host::CanonicalHost;
use crate::ip::parse_ip;
use crate::text::{to_ascii_lowercase, trim};

/// The public hostname in `text`, trimmed, lower-cased and without one trailing dot; `None` when
/// it is none: an IP literal, a single label, a label that DNS does not allow.
pub fn normalize_public_hostname(text: &str) -> Option<String> {
    // SPEC PUBLIC-1, PUBLIC-2
    let text = trim(text);
    let name = to_ascii_lowercase(text.strip_suffix('.').unwrap_or(text))?;
    is_public_name(&name).then_some(name)
}

/// The public-hostname rule on a canonical host as it stands (SPEC DECISION-4).
#[inline]
pub(crate) fn is_public_host(host: &CanonicalHost) -> bool {
    host.ip().is_none() && host.is_dns_name()
}

/// SPEC PUBLIC-2
fn is_public_name(name: &str) -> bool {
    parse_ip(name.as_bytes()).is_none() && is_dns_name(name.as_bytes())
}

/// At most 253 characters, two labels or more, each 1 to 63 of letters, digits and `-`, no hyphen
/// at a label's edge.
pub(crate) fn is_dns_name(name: &[u8]) -> bool {
    name.len() <= MAX_NAME_BYTES && name.contains(&b'.') && name.split(|&b| b == b'.').all(is_dns_label)
}

fn is_dns_label(label: &[u8]) -> bool {
    label.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'-') && is_dns_label_shape(label)
}

/// Length and edges of a label.
#[inline]
pub(crate) const fn is_dns_label_shape(label: &[u8]) -> bool {
    label.len() <= 63 && matches!(label, [first, .., last] if *first != b'-' && *last != b'-')
        || matches!(label, [only] if *only != b'-')
}

/// Longest DNS name in text form without its last dot (RFC 1035, 2.3.4: 255 bytes on the wire).
pub(crate) const MAX_NAME_BYTES: usize = 253;

/// Whether a resolved address may be reached: `address` is a bare IP literal of a public network.
///
/// The networks come from the IANA special-purpose address registries (SPEC PUBLIC-5, PUBLIC-6, PUBLIC-7, PUBLIC-8).
pub fn is_public_address(address: &str) -> bool {
    match parse_ip(address.as_bytes()) {
        Some(IpAddr::V4(v4)) => is_public_v4(v4),
        Some(IpAddr::V6(v6)) => is_public_v6(v6),
        None => false,
    }
}

/// Whether a name that resolves to `addresses` may be reached: at least one, and every one public
/// (SPEC PUBLIC-3).
pub fn check_addresses<'a>(addresses: impl IntoIterator<Item = &'a str>) -> bool {
    let mut addresses = addresses.into_iter().peekable();
    addresses.peek().is_some() && addresses.all(is_public_address)
}

/// SPEC PUBLIC-6: IPv4 networks that are not public: network and prefix length.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// SPEC PUBLIC-8: IPv6 networks inside 2000::/3 that are not public.
const SPECIAL_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// All that IANA has given out as global unicast.
const GLOBAL_UNICAST_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|&(network, prefix)| (u32::from(address) ^ u32::from(network)) >> (32 - prefix) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = inner_v4(address) {
        return is_public_v4(inner);
    }
    let within =
        |&(network, prefix): &(Ipv6Addr, u32)| (u128::from(address) ^ u128::from(network)) >> (128 - prefix) == 0;
    within(&GLOBAL_UNICAST_V6) && !SPECIAL_V6.iter().any(within)
}

/// SPEC PUBLIC-7: the IPv4 address inside an IPv4-mapped, IPv4-translated, NAT64 or 6to4 address.
fn inner_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (high, low) = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
}
