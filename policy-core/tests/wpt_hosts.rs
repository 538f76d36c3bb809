//! The host cases of the web-platform-tests: where the core agrees with the URL standard, and every place where it does
//! not, with the reason. A case that stops differing fails as much as one that starts to.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use policy_core::CanonicalHost;
use proptest::prelude::*;
use serde_json::Value;

/// What the standard refuses because it ends in a number and is no IPv4 address. The core keeps such a text as the name
/// it is (HOST-10), so that a rule about it still matches in any case and with a dot behind.
const NUMBERS_THAT_ARE_NO_ADDRESS: [&str; 35] = [
    "192.168.0.257",
    "10000000000",
    "4294967296",
    "0xffffffff1",
    "256.256.256.256",
    "0x100000000",
    "256.0.0.1",
    "1.2.3.4.5",
    "1.2.3.4.5.",
    "0..0x300",
    "0..0x300.",
    "256.256.256.256.256",
    "256.256.256.256.256.",
    "1.2.3.08",
    "1.2.3.08.",
    "1.2.3.09",
    "09.2.3.4",
    "09.2.3.4.",
    "01.2.3.4.5",
    "01.2.3.4.5.",
    "0x100.2.3.4",
    "0x100.2.3.4.",
    "0x1.2.3.4.5",
    "0x1.2.3.4.5.",
    "foo.1.2.3.4",
    "foo.1.2.3.4.",
    "foo.2.3.4",
    "foo.2.3.4.",
    "foo.09",
    "foo.09.",
    "foo.0x4",
    "foo.0x4.",
    "0999999999999999999",
    "foo.0x",
    "foo.0XFfFfFfFfFfFfFfFfFfAcE123",
];

/// What the standard refuses by its IDNA tables, which the core does not have: a name like any other (HOST-8).
const LABELS_THAT_DECODE_TO_NOTHING: [&str; 7] = [
    "xn--",
    "a.b.c.xn--pokxncvks",
    "10.0.0.xn--pokxncvks",
    "a.b.c.XN--pokxncvks",
    "a.b.c.Xn--pokxncvks",
    "10.0.0.XN--pokxncvks",
    "10.0.0.xN--pokxncvks",
];

#[test]
fn every_case_agrees_with_the_standard_or_is_in_the_ledger() {
    let (mut wrong, mut differing) = (Vec::new(), BTreeSet::new());
    let (mut same, mut malformed) = (0, 0);
    for (host, standard) in cases() {
        let core = CanonicalHost::parse(&host).ok().map(|host| host.to_string());
        // The standard keeps the brackets and the last dot.
        let bare = standard.as_deref().map(|text| text.trim_start_matches('[').trim_end_matches(']'));
        let expected = bare.map(|text| text.strip_suffix('.').unwrap_or(text));
        match core.as_deref() {
            core if core == expected => same += 1,
            // HOST-3, HOST-5: what the standard escapes, maps through its tables or lets pass is no host here at all.
            None if host.contains(|c: char| !(c.is_ascii_alphanumeric() || "._-[]:".contains(c))) => malformed += 1,
            Some(name) if expected.is_none() && is_name_of(name, &host) => {
                differing.insert(host);
            }
            other => wrong.push(format!("{host:?}: {other:?} here, {standard:?} by the standard")),
        }
    }
    let ledger: BTreeSet<String> = ledger().map(String::from).collect();
    wrong.extend(differing.difference(&ledger).map(|host| format!("{host:?} differs and is not in the ledger")));
    wrong.extend(ledger.difference(&differing).map(|host| format!("{host:?} is in the ledger and does not differ")));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!((same, malformed), (178, 11), "cases that agree; cases that are no host here but one by the standard");
}

/// HOST-8: lower case, without one last dot.
fn is_name_of(name: &str, host: &str) -> bool {
    *name == *host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn ledger() -> impl Iterator<Item = &'static str> {
    NUMBERS_THAT_ARE_NO_ADDRESS.into_iter().chain(LABELS_THAT_DECODE_TO_NOTHING)
}

fn cases() -> Vec<(String, Option<String>)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof/wpt/hosts.jsonl");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display())).unwrap();
    let case = |line| -> (String, Option<String>) {
        let case: Value = serde_json::from_str(line).unwrap();
        (case["host"].as_str().unwrap().to_owned(), case["standard"].as_str().map(String::from))
    };
    text.lines().map(case).collect()
}

/// One number as the standard's IPv4 number parser reads it: decimal, octal or hex, with any number of zeros.
fn spelled(number: u64) -> impl Strategy<Value = String> {
    (0..5_usize, 0..4_usize).prop_map(move |(way, zeros)| match way {
        0 | 1 => number.to_string(),
        2 => format!("0{}{number:o}", "0".repeat(zeros)),
        3 => format!("0x{}{number:x}", "0".repeat(zeros)),
        _ => format!("0X{}{number:X}", "0".repeat(zeros)),
    })
}

/// An address, and one of its spellings: in 1 to 4 parts, the last of which takes the bytes that remain.
fn spelling() -> impl Strategy<Value = (u32, String)> {
    (any::<u32>(), 1..5_u32).prop_flat_map(|(address, parts)| {
        let number = move |at: u32| {
            let rest = u64::from(address) & (0xFFFF_FFFF >> (8 * at));
            if at + 1 == parts { rest } else { rest >> (24 - 8 * at) }
        };
        let parts: Vec<_> = (0..parts).map(|at| spelled(number(at)).boxed()).collect();
        (Just(address), parts).prop_map(|(address, parts)| (address, parts.join(".")))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// <https://url.spec.whatwg.org/#concept-ipv4-parser>: every spelling of an address is that address.
    #[test]
    fn ipv4_numbers_agree_with_the_standard((address, text) in spelling(), dot in any::<bool>()) {
        let host = CanonicalHost::parse(&format!("{text}{}", if dot { "." } else { "" })).unwrap();
        let expected = std::net::Ipv4Addr::from(address);
        prop_assert_eq!(host.as_str(), expected.to_string());
        prop_assert_eq!(host.ip(), Some(expected.into()));
    }

    /// One part more than four, or one number too large, and it is a name.
    #[test]
    fn what_is_too_much_for_an_address_is_a_name((address, text) in spelling(), more in 256..1_000_000_u32) {
        for text in [format!("1.2.3.{more}"), format!("{text}.1.1.1.1"), format!("{}", u64::from(address) + (1 << 32)), format!("{more}.{text}")] {
            let host = CanonicalHost::parse(&text).unwrap();
            prop_assert_eq!(host.ip(), None, "{}", text);
            prop_assert_eq!(host.as_str(), text.to_ascii_lowercase());
        }
    }

    /// RFC 5952: std writes it, and the core agrees for every address that carries no IPv4 address of its own.
    #[test]
    fn ipv6_takes_the_recommended_form(groups in prop::array::uniform8(prop_oneof![Just(0_u16), Just(1), any::<u16>()]), brackets in any::<bool>(), upper in any::<bool>()) {
        let full = groups.map(|group| if upper { format!("{group:04X}") } else { format!("{group:x}") }).join(":");
        let host = CanonicalHost::parse(&if brackets { format!("[{full}]") } else { full }).unwrap();
        let expected = match groups {
            [0, 0, 0, 0, 0, 0xffff, high, low] => std::net::Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)).to_string(),
            _ => compressed(groups),
        };
        prop_assert_eq!(host.as_str(), expected);
    }
}

/// RFC 5952, 4.2, written down once more: the first of the longest runs of two zero groups or more is `::`.
fn compressed(groups: [u16; 8]) -> String {
    let hex = |groups: &[u16]| groups.iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":");
    let runs = (0..8).flat_map(|start| (start + 2..=8).map(move |end| (start, end)));
    let zero = runs.filter(|&(start, end)| groups[start..end].iter().all(|group| *group == 0));
    match zero.max_by_key(|&(start, end)| (end - start, 8 - start)) {
        Some((start, end)) => format!("{}::{}", hex(&groups[..start]), hex(&groups[end..])),
        None => hex(&groups),
    }
}
