//! What a client asked to connect to, and the spelling the system would dial (spec page `host`).

use core::fmt::{self, Write as _};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::public::{MAX_NAME_BYTES, is_dns_label_shape};

/// Longest host, brackets counted (SPEC HOST-1): the longest text a DNS name can take.
pub(crate) const MAX_HOST_BYTES: usize = 255;

/// A host in canonical form: lower-case, one trailing dot removed, every IPv4 spelling as dotted
/// decimal, IPv6 as RFC 5952 writes it. The only way in is [`CanonicalHost::parse`].
#[derive(Clone, Copy)]
pub struct CanonicalHost {
    bytes: [u8; MAX_HOST_BYTES],
    len: u8,
    /// One bit for each byte that is a dot.
    dots: [u64; 4],
    ip: Option<IpAddr>,
}

/// The text is no host at all; such a destination is denied before any rule is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedHost;

impl fmt::Display for MalformedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("malformed host")
    }
}

impl core::error::Error for MalformedHost {}

impl CanonicalHost {
    /// Checks that `text` is a host and brings it to canonical form.
    ///
    /// # Errors
    /// [`MalformedHost`] when it is not 1 to 255 bytes of an IP literal (optionally in brackets) or
    /// of `A-Z a-z 0-9 . _ -`.
    pub fn parse(text: &str) -> Result<Self, MalformedHost> {
        let mut host = Self::EMPTY;
        host.read(text.as_bytes())?;
        Ok(host)
    }

    /// To be filled by [`read`](Self::read).
    pub(crate) const EMPTY: Self = Self { bytes: [0; MAX_HOST_BYTES], len: 0, dots: [0; 4], ip: None };

    /// [`parse`](Self::parse) in place, whatever stood there, for the decision's hot path: a host is a large value to
    /// move. Takes bytes, as only those of names and literals are ever accepted.
    #[inline]
    pub(crate) fn read(&mut self, text: &[u8]) -> Result<(), MalformedHost> {
        // SPEC HOST-1
        if text.is_empty() || text.len() > MAX_HOST_BYTES {
            return Err(MalformedHost);
        }
        if !self.read_name(text) {
            // SPEC HOST-2, HOST-3, HOST-4, HOST-5: what is not of name characters must be an IPv6 literal, or any
            // literal in brackets; dotted IPv4 is of name characters.
            *self = Self::from_ip(parse_literal(text).ok_or(MalformedHost)?);
        }
        Ok(())
    }

    /// SPEC HOST-4, HOST-8: one pass that checks, lower-cases and finds the dots; `false` when a
    /// character is none of a name's.
    #[inline]
    fn read_name(&mut self, text: &[u8]) -> bool {
        let name = text.strip_suffix(b".").unwrap_or(text);
        self.dots = [0; 4];
        // 0 as soon as one byte is no name's.
        let mut lowest = u8::MAX;
        let chunks = name.chunks(64).zip(self.bytes.chunks_mut(64)).zip(&mut self.dots);
        for ((chunk, canonical), dots) in chunks {
            let mut word = 0_u64;
            for (at, (&byte, canonical)) in chunk.iter().zip(canonical).enumerate() {
                let lower = NAME_BYTES.get(usize::from(byte)).copied().unwrap_or(0);
                *canonical = lower;
                lowest = lowest.min(lower);
                word |= u64::from(lower == b'.') << at;
            }
            *dots = word;
        }
        if lowest == 0 {
            return false;
        }
        self.ip = None;
        // Cannot saturate: the caller checked the length.
        self.len = u8::try_from(name.len()).unwrap_or(u8::MAX);
        // SPEC HOST-9, HOST-10: a number starts with a digit.
        let last_label = self.suffixes().last().unwrap_or(self.as_bytes());
        if last_label.first().is_some_and(u8::is_ascii_digit) {
            self.read_ipv4();
        }
        true
    }

    /// Makes the name that was read an address if it is one.
    fn read_ipv4(&mut self) {
        if let Ok(ip) = self.as_str().parse() {
            // Spelled as it is written: nothing to write.
            (self.ip, self.dots) = (Some(IpAddr::V4(ip)), [0; 4]);
        } else if let Some(ip) = parse_ipv4_number_form(self.as_str()) {
            *self = Self::from_ip(IpAddr::V4(ip));
        }
    }

    /// SPEC HOST-6, HOST-7: an IP literal; an IPv4-mapped IPv6 address is its IPv4 address (D8).
    pub(crate) fn from_ip(ip: IpAddr) -> Self {
        let ip = match ip {
            IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(ip, IpAddr::V4),
            IpAddr::V4(_) => ip,
        };
        let mut host = Self { ip: Some(ip), ..Self::EMPTY };
        // Cannot fail: the longest address text has 45 bytes.
        let _ = write!(host, "{ip}");
        host
    }

    /// Whether it has the shape of a DNS name: all that [`is_dns_name`](crate::public::is_dns_name) asks, by the dots found.
    #[inline]
    pub(crate) fn is_dns_name(&self) -> bool {
        let name = self.as_bytes();
        let mut labels = 0_u32;
        let mut start = name;
        // Each label is what a suffix leaves of the suffix before it, less the dot.
        let mut is_label = |rest: &[u8]| {
            labels = labels.wrapping_add(1);
            let taken = start.len().wrapping_sub(rest.len()).wrapping_sub(1);
            let label = start.get(..taken).unwrap_or_default();
            start = start.get(taken.wrapping_add(1)..).unwrap_or_default();
            is_dns_label_shape(label)
        };
        let all = self.suffixes().all(&mut is_label);
        all && labels > 0 && is_dns_label_shape(start) && !name.contains(&b'_') && name.len() <= MAX_NAME_BYTES
    }

    /// What stands behind each dot of a name, the longest first; nothing for an IP literal.
    #[inline]
    pub(crate) fn suffixes(&self) -> impl Iterator<Item = &[u8]> {
        let name = self.as_bytes();
        let mut words = self.dots;
        core::iter::from_fn(move || {
            let (at, word) = words.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
            let bit = usize::try_from(word.trailing_zeros()).ok()?;
            *word &= word.wrapping_sub(1);
            name.get(at.wrapping_mul(64).wrapping_add(bit).wrapping_add(1)..)
        })
    }

    /// The canonical spelling; empty for the host `.`.
    pub fn as_str(&self) -> &str {
        // Always ASCII: the bytes come from `write_str` of checked text.
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The bytes of [`as_str`](Self::as_str), without its check.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// The address, when the host is an IP literal in any spelling.
    pub const fn ip(&self) -> Option<IpAddr> {
        self.ip
    }
}

/// The bytes a name may have, in lower case; 0 for all others (SPEC HOST-4).
const NAME_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut rest: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    while let [byte, tail @ ..] = rest {
        #[expect(
            clippy::as_conversions,
            clippy::indexing_slicing,
            reason = "const: widening, and checked by the compiler"
        )]
        {
            table[*byte as usize] = byte.to_ascii_lowercase();
        }
        rest = tail;
    }
    table
};

impl fmt::Write for CanonicalHost {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = usize::from(self.len);
        let end = start.checked_add(text.len()).ok_or(fmt::Error)?;
        self.bytes.get_mut(start..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = u8::try_from(end).map_err(|_| fmt::Error)?;
        Ok(())
    }
}

impl fmt::Display for CanonicalHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CanonicalHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq for CanonicalHost {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for CanonicalHost {}

impl serde::Serialize for CanonicalHost {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// An IP literal, in brackets or bare.
fn parse_literal(text: &[u8]) -> Option<IpAddr> {
    let text = core::str::from_utf8(text).ok()?;
    match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').and_then(parse_ip),
        None => parse_ip(text),
    }
}

/// A bare IP literal: dotted IPv4 without leading zeros, or RFC 4291 IPv6 without a zone.
pub(crate) fn parse_ip(text: &str) -> Option<IpAddr> {
    // Most hosts are names: look before trying both parsers.
    if text.contains(':') {
        text.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
    } else {
        text.parse::<Ipv4Addr>().ok().map(IpAddr::V4)
    }
}

/// SPEC HOST-9, HOST-11: the WHATWG URL standard's "ends in a number checker" and "IPv4 parser"
/// (<https://url.spec.whatwg.org/#concept-ipv4-parser>) on lower-case text without its trailing dot.
fn parse_ipv4_number_form(text: &str) -> Option<Ipv4Addr> {
    let last = text.rsplit('.').next()?;
    if !is_number(last) {
        return None;
    }
    let mut address: u64 = 0;
    let mut parts = text.split('.').enumerate();
    loop {
        let (position, part) = parts.next()?;
        let number = parse_number(part)?;
        // A part but the last fills one byte; the last fills all that remain.
        let free_bytes = 4_u32.checked_sub(u32::try_from(position).ok()?).filter(|&bytes| bytes > 0)?;
        let is_last = parts.clone().next().is_none();
        let width = if is_last { free_bytes } else { 1 };
        if number >= 1_u64 << (8 * width) {
            return None;
        }
        address |= number << (8 * (free_bytes - width));
        if is_last {
            return u32::try_from(address).ok().map(Ipv4Addr::from);
        }
    }
}

/// Decimal digits only, or `0x` and hex digits, possibly none.
pub(crate) fn is_number(label: &str) -> bool {
    match label.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// The standard's "IPv4 number parser": decimal, octal after `0`, hexadecimal after `0x`; too
/// large a number saturates and is refused by its place.
fn parse_number(part: &str) -> Option<u64> {
    let (digits, radix) = match (part.strip_prefix("0x"), part.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ if part.is_empty() => return None,
        _ => (part, 10),
    };
    digits.chars().try_fold(0_u64, |number, c| {
        let digit = c.to_digit(radix)?;
        Some(number.saturating_mul(u64::from(radix)).saturating_add(u64::from(digit)))
    })
}
