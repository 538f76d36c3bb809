//! What a client asked to connect to, and the spelling the system would dial (spec page `host`).

use core::fmt;
use core::net::{IpAddr, Ipv4Addr};

use crate::ip::{parse_ip, parse_ipv4, write_ip};
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
    has_underscore: bool,
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
    pub(crate) const EMPTY: Self =
        Self { bytes: [0; MAX_HOST_BYTES], len: 0, dots: [0; 4], has_underscore: false, ip: None };

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
            self.set_ip(parse_literal(text).ok_or(MalformedHost)?);
        }
        Ok(())
    }

    /// SPEC HOST-4, HOST-8: one pass, eight bytes at a time, that checks, lower-cases and finds the dots; `false` when a
    /// character is none of a name's.
    #[inline]
    fn read_name(&mut self, text: &[u8]) -> bool {
        let name = text.strip_suffix(b".").unwrap_or(text);
        self.dots = [0; 4];
        let (mut strangers, mut underscores) = (0, 0);
        let chunks = name.chunks(64).zip(self.bytes.chunks_mut(64)).zip(&mut self.dots);
        for ((chunk, canonical), dots) in chunks {
            for (at, (bytes, canonical)) in chunk.chunks(8).zip(canonical.chunks_mut(8)).enumerate() {
                let eight = match bytes.first_chunk() {
                    Some(bytes) => NameBytes::read(u64::from_le_bytes(*bytes)),
                    None => NameBytes::read(padded(bytes)),
                };
                match canonical.first_chunk_mut() {
                    // What stands behind the end of the name is not looked at.
                    Some(canonical) => *canonical = eight.lower,
                    None => canonical.iter_mut().zip(eight.lower).for_each(|(to, from)| *to = from),
                }
                strangers |= eight.strangers;
                underscores |= eight.underscores;
                *dots |= eight.dots << (8 * at);
            }
        }
        if strangers != 0 {
            return false;
        }
        self.has_underscore = underscores != 0;
        self.ip = None;
        // Cannot saturate: the caller checked the length.
        self.len = u8::try_from(name.len()).unwrap_or(u8::MAX);
        // SPEC HOST-9, HOST-10: a number starts with a digit.
        if self.last_label().first().is_some_and(u8::is_ascii_digit) {
            self.read_ipv4();
        }
        true
    }

    /// Makes the name that was read an address if it is one.
    fn read_ipv4(&mut self) {
        if let Some(ip) = parse_ipv4(self.as_bytes()) {
            // Spelled as it is written: nothing to write.
            (self.ip, self.dots) = (Some(IpAddr::V4(ip)), [0; 4]);
        } else if let Some(ip) = parse_ipv4_number_form(self.as_str()) {
            self.set_ip(IpAddr::V4(ip));
        }
    }

    pub(crate) fn from_ip(ip: IpAddr) -> Self {
        let mut host = Self::EMPTY;
        host.set_ip(ip);
        host
    }

    /// SPEC HOST-6, HOST-7: an IP literal; an IPv4-mapped IPv6 address is its IPv4 address (D8).
    fn set_ip(&mut self, ip: IpAddr) {
        let ip = match ip {
            IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(ip, IpAddr::V4),
            IpAddr::V4(_) => ip,
        };
        let Self { bytes, len, .. } = self;
        *len = 0;
        write_ip(ip, |byte| {
            if let Some(place) = bytes.get_mut(usize::from(*len)) {
                *place = byte;
                *len = len.wrapping_add(1);
            }
        });
        (self.dots, self.has_underscore, self.ip) = ([0; 4], false, Some(ip));
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
        all && labels > 0 && is_dns_label_shape(start) && !self.has_underscore && name.len() <= MAX_NAME_BYTES
    }

    /// What stands behind the last dot.
    #[inline]
    fn last_label(&self) -> &[u8] {
        let start = self.dots.iter().zip([0_usize, 64, 128, 192]).rev().find_map(|(&word, base)| {
            // One behind the highest bit that is set.
            let behind = 64_u32.wrapping_sub(word.leading_zeros());
            (word != 0).then(|| usize::try_from(behind).map_or(0, |behind| base.wrapping_add(behind)))
        });
        self.as_bytes().get(start.unwrap_or(0)..).unwrap_or_default()
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
        // Always ASCII: checked bytes of a name, or the digits of an address.
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

/// Eight bytes of a name, looked at together: each mask has the high bit of the bytes it speaks of.
struct NameBytes {
    lower: [u8; 8],
    /// No name has these (SPEC HOST-4).
    strangers: u64,
    underscores: u64,
    /// One bit for each byte, not eight.
    dots: u64,
}

impl NameBytes {
    #[inline]
    fn read(word: u64) -> Self {
        let ascii = word & !HIGH_BITS;
        let lower = ascii | within(ascii, b'A', b'Z') >> 2;
        let underscores = within(lower, b'_', b'_');
        let dots = within(lower, b'.', b'.');
        let names =
            within(lower, b'a', b'z') | within(lower, b'0', b'9') | within(lower, b'-', b'-') | dots | underscores;
        Self {
            lower: lower.to_le_bytes(),
            strangers: word & HIGH_BITS | names ^ HIGH_BITS,
            underscores,
            // Moves the lowest bit of each byte to its place in the highest byte.
            dots: (dots >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56,
        }
    }
}

const HIGH_BITS: u64 = every(0x80);

/// The byte eight times.
const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The high bit of each byte from `first` to `last`; all bytes and both limits are ASCII, so no sum leaves its byte.
#[inline]
const fn within(ascii: u64, first: u8, last: u8) -> u64 {
    let from_first = ascii.wrapping_add(every(0x80_u8.wrapping_sub(first)));
    let behind_last = ascii.wrapping_add(every(0x7F_u8.wrapping_sub(last)));
    from_first & !behind_last & HIGH_BITS
}

/// Fewer than eight bytes, filled up with letters.
#[inline]
fn padded(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(every(b'a'), |word, byte| word << 8 | u64::from(*byte))
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
    match text {
        [b'[', rest @ ..] => rest.strip_suffix(b"]").and_then(parse_ip),
        _ => parse_ip(text),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read_alike_wherever_it_stands() {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        for byte in 0..=u8::MAX {
            for (len, at) in [
                (2, 0),
                (2, 1),
                (7, 3),
                (8, 0),
                (8, 7),
                (9, 8),
                (64, 63),
                (65, 64),
                (255, 130),
                (255, 247),
                (255, 248),
                (255, 254),
            ] {
                let mut text = [b'g'; MAX_HOST_BYTES];
                text[at] = byte;
                let mut host = CanonicalHost::EMPTY;
                host.has_underscore = true;
                assert_eq!(host.read_name(&text[..len]), is_name(byte), "{byte} at {at} of {len}");
                if is_name(byte) {
                    let end = if at + 1 == len && byte == b'.' { at } else { len };
                    assert_eq!(host.as_bytes(), text[..end].to_ascii_lowercase());
                    assert_eq!(host.has_underscore, byte == b'_');
                    let suffixes: alloc::vec::Vec<_> = host.suffixes().collect();
                    assert_eq!(suffixes.len(), usize::from(byte == b'.' && end == len), "{at} of {len}");
                    assert!(suffixes.iter().all(|suffix| suffix.len() == len - at - 1), "{at} of {len}");
                }
            }
        }
    }
}
