//! IP literals: read and written (spec page `host`).
//!
//! The standard library does both, and is the oracle of the tests here. It does it for programs that meet a literal now
//! and then: a decision about an IPv6 literal took seven times as long as one about a name.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// SPEC HOST-4: a bare IP literal: dotted IPv4 without leading zeros, or RFC 4291 IPv6 without a zone.
#[inline]
pub(crate) fn parse_ip(text: &[u8]) -> Option<IpAddr> {
    // Most hosts are names: no IPv6 literal has its first colon behind four digits.
    if text.iter().take(5).any(|&byte| byte == b':') {
        parse_ipv6(text).map(IpAddr::V6)
    } else {
        parse_ipv4(text).map(IpAddr::V4)
    }
}

/// Four decimal parts from 0 to 255, without leading zeros.
#[inline]
pub(crate) fn parse_ipv4(text: &[u8]) -> Option<Ipv4Addr> {
    let mut parts = text.split(|&byte| byte == b'.');
    let mut octets = [0; 4];
    for octet in &mut octets {
        *octet = parse_octet(parts.next()?)?;
    }
    parts.next().is_none().then_some(octets.into())
}

fn parse_octet(part: &[u8]) -> Option<u8> {
    if matches!(part, [] | [b'0', _, ..]) {
        return None;
    }
    part.iter().try_fold(0_u8, |octet, byte| {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit <= 9)?;
        octet.checked_mul(10)?.checked_add(digit)
    })
}

/// RFC 4291, 2.2: eight groups of one to four hex digits; once, `::` for one or more groups of zeros; the last two groups
/// as dotted IPv4.
pub(crate) fn parse_ipv6(text: &[u8]) -> Option<Ipv6Addr> {
    let mut groups = [0_u16; 8];
    let mut count = 0_usize;
    // How many groups stand in front of the `::`.
    let mut gap = None;
    let mut rest = text;
    if let Some(behind) = rest.strip_prefix(b"::") {
        (gap, rest) = (Some(0), behind);
    }
    while !rest.is_empty() {
        let (group, behind) = parse_group(rest)?;
        if let [b'.', ..] = behind {
            let [a, b, c, d] = parse_ipv4(rest)?.octets();
            *groups.get_mut(count)? = u16::from_be_bytes([a, b]);
            *groups.get_mut(count.wrapping_add(1))? = u16::from_be_bytes([c, d]);
            count = count.wrapping_add(2);
            break;
        }
        *groups.get_mut(count)? = group;
        count = count.wrapping_add(1);
        rest = match behind {
            [b':', b':', behind @ ..] if gap.is_none() => {
                gap = Some(count);
                behind
            }
            [b':', behind @ ..] if !behind.is_empty() => behind,
            [] => behind,
            _ => return None,
        };
    }
    match gap {
        None => (count == 8).then_some(groups.into()),
        Some(gap) => {
            let (front, back) = groups.get(..count).filter(|_| count < 8)?.split_at_checked(gap)?;
            let mut all = [0; 8];
            all.iter_mut().zip(front).for_each(|(to, from)| *to = *from);
            all.iter_mut().rev().zip(back.iter().rev()).for_each(|(to, from)| *to = *from);
            Some(all.into())
        }
    }
}

/// One to four hex digits, and what stands behind them.
#[inline]
fn parse_group(text: &[u8]) -> Option<(u16, &[u8])> {
    let mut group = 0;
    let mut rest = text;
    while let [byte, behind @ ..] = rest {
        let digit = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'f' => byte.wrapping_sub(b'a' - 10),
            b'A'..=b'F' => byte.wrapping_sub(b'A' - 10),
            _ => break,
        };
        group = group << 4 | u16::from(digit);
        rest = behind;
    }
    let digits = text.len().wrapping_sub(rest.len());
    (1..=4).contains(&digits).then_some((group, rest))
}

/// Writes the address as dotted decimal, or as RFC 5952 section 4 has it (SPEC HOST-7).
pub(crate) fn write_ip(ip: IpAddr, mut push: impl FnMut(u8)) {
    match ip {
        IpAddr::V4(v4) => {
            for (position, &octet) in v4.octets().iter().enumerate() {
                if position > 0 {
                    push(b'.');
                }
                write_octet(octet, &mut push);
            }
        }
        IpAddr::V6(v6) => write_ipv6(&v6.segments(), push),
    }
}

fn write_octet(octet: u8, push: &mut impl FnMut(u8)) {
    for &(divisor, shown_from) in &[(100, 100), (10, 10), (1, 0)] {
        if octet >= shown_from {
            push(b'0'.wrapping_add(octet / divisor % 10));
        }
    }
}

fn write_ipv6(groups: &[u16; 8], mut push: impl FnMut(u8)) {
    let gap = longest_zeros(groups);
    let mut separate = false;
    for (position, &group) in groups.iter().enumerate() {
        if gap.contains(&position) {
            if position == gap.start {
                push(b':');
                push(b':');
            }
            separate = false;
            continue;
        }
        if separate {
            push(b':');
        }
        separate = true;
        for &shift in &[12, 8, 4, 0] {
            if shift == 0 || group >> shift != 0 {
                let digit = u8::try_from(group >> shift & 0xF).unwrap_or(0);
                push(if digit < 10 { b'0'.wrapping_add(digit) } else { (b'a' - 10).wrapping_add(digit) });
            }
        }
    }
}

/// The first of the longest runs of two or more zeros.
fn longest_zeros(groups: &[u16; 8]) -> core::ops::Range<usize> {
    let (mut longest, mut run) = (0..1, 0..0);
    for (position, &group) in groups.iter().enumerate() {
        let next = position.wrapping_add(1);
        run = if group == 0 { run.start..next } else { next..next };
        if run.len() > longest.len() {
            longest = run.clone();
        }
    }
    if longest.len() > 1 { longest } else { 0..0 }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use proptest::prelude::*;

    use super::*;

    fn agrees(text: &str) {
        assert_eq!(parse_ipv4(text.as_bytes()), text.parse().ok(), "{text:?}");
        assert_eq!(parse_ipv6(text.as_bytes()), text.parse().ok(), "{text:?}");
        let ip: Option<IpAddr> = text.parse().ok();
        assert_eq!(parse_ip(text.as_bytes()), ip, "{text:?}");
        if let Some(ip) = ip {
            written_as_the_standard_library_does(ip);
        }
    }

    fn written_as_the_standard_library_does(ip: IpAddr) {
        let mut text = String::new();
        write_ip(ip, |byte| text.push(char::from(byte)));
        match ip {
            // The one form that is not written here: such an address is an IPv4 one (SPEC HOST-6).
            IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some() => assert_eq!(parse_ip(text.as_bytes()), Some(ip)),
            _ => assert_eq!(text, ip.to_string()),
        }
    }

    #[test]
    fn every_short_text_is_read_as_the_standard_library_reads_it() {
        fn all(alphabet: &[char], text: &mut String, left: usize) {
            agrees(text);
            if left > 0 {
                for &c in alphabet {
                    text.push(c);
                    all(alphabet, text, left - 1);
                    text.pop();
                }
            }
        }
        all(&[':', '1', '0', '.', 'F', 'g'], &mut String::new(), 6);
        all(&[':', '1'], &mut String::new(), 16);
        all(&['.', '1', '0'], &mut String::new(), 9);
    }

    #[test]
    fn texts_at_the_edges() {
        for text in [
            "255.255.255.255",
            "256.1.1.1",
            "1.2.3.999",
            "1.2.3.4.",
            ".1.2.3.4",
            "01.2.3.4",
            "1.2.3.4444444444444444444",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8::",
            "1::3:4:5:6:7:8",
            "1::2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:9",
            "12345::",
            "::12345",
            "::00001",
            "FFFF::abcd",
            "::1.2.3.4",
            "1::1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
            "1:2:3:4:5:6:7:1.2.3.4",
            "1:2:3:4:5::1.2.3.4",
            "1:2:3:4:5:6::1.2.3.4",
            "::1.2.3.4:5",
            "::1.2.3",
            "::1.2.3.4.5",
            "::ffff:1.2.3.4",
            "::abcd.2.3.4",
            "::12345.2.3.4",
            "::01.2.3.4",
            "::256.2.3.4",
            "1.2.3.4::",
            "1.2.3.4:1::",
            "fe80::1%eth0",
            "[::1]",
            "::1 ",
            " ::1",
            "::\u{661}",
            "1::2::3",
            ":::",
            "::::",
            "1:::2",
            ":1::",
            "::1:",
        ] {
            agrees(text);
        }
    }

    proptest! {
        #[test]
        fn every_address_is_written_as_the_standard_library_writes_it(
            groups in prop::array::uniform8(prop_oneof![3 => Just(0), 1 => 0..16_u16, 1 => any::<u16>()]),
            octets in any::<[u8; 4]>(),
        ) {
            written_as_the_standard_library_does(IpAddr::V6(groups.into()));
            written_as_the_standard_library_does(IpAddr::V4(octets.into()));
        }

        #[test]
        fn texts_are_read_as_the_standard_library_reads_them(
            text in "(::)?([0-9a-fA-F]{1,4}(:|::)){0,7}([0-9a-fA-F]{0,5}|([0-9]{1,3}\\.){3,4}[0-9]{0,3})",
            v4 in "([0-9]{1,3}\\.){2,4}[0-9]{0,3}",
        ) {
            agrees(&text);
            agrees(&v4);
        }
    }
}
