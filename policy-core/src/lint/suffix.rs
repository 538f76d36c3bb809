//! Names under which anyone can register (SPEC LINT-9).
//!
//! From the Public Suffix List (<https://publicsuffix.org>, Mozilla Public License 2.0): the private
//! section whole, and of the ICANN section the rules of two labels whose first label occurs under
//! three top-level domains or more (`co.uk`, not `chiyoda.tokyo.jp`), the wildcards and the
//! exceptions. A label that is an AWS region stands as `0`, so that new regions are covered too.
//!
//! The list is longer than all code of this crate, so no name is kept: each is hashed into a
//! range that is 2^14 times as long as the list, and the sorted hashes are kept as the differences
//! between neighbours. One name of 16,384 that is not in the list is taken for one that is; that
//! costs a warning too many. `cargo xtask suffixes` makes the table anew from the list of the day.

use alloc::string::String;
use alloc::vec::Vec;

use crate::diagnostic::say;

/// The list the table was made from.
#[cfg(test)]
const VERSION: &str = "2026-10-22_08-36-41_UTC";

/// Per hash the low 14 bits of the difference to the one before, then, per hash, its high bits in
/// ones and a zero. Bits are filled in from the lowest of each byte.
static TABLE: &[u8] = include_bytes!("../../data/suffix_table.bin");

/// Number of names in the table.
const COUNT: u32 = 3989;

const LOW_BITS: u32 = 14;

/// Hashes are below this.
const RANGE: u32 = COUNT << LOW_BITS;

/// The table, unpacked.
pub(super) struct Suffixes {
    hashes: Vec<u32>,
}

impl Suffixes {
    pub(super) fn new() -> Self {
        let mut lows = Bits { at: 0 };
        let mut highs = Bits { at: usize::try_from(COUNT.saturating_mul(LOW_BITS)).unwrap_or(usize::MAX) };
        let mut hash = 0_u32;
        let next = |_| {
            let mut difference = 0_u32;
            while highs.next_bit() == 1 {
                difference = difference.saturating_add(1);
            }
            difference <<= LOW_BITS;
            for place in 0..LOW_BITS {
                difference |= lows.next_bit() << place;
            }
            hash = hash.saturating_add(difference);
            hash
        };
        Self { hashes: (0..COUNT).map(next).collect() }
    }

    /// Whether anyone can register a name directly below this one.
    pub(super) fn contains(&self, name: &str) -> bool {
        let name = normalized(name);
        let parent = name.split_once('.').map(|(_, parent)| parent);
        let by_wildcard = parent.is_some_and(|parent| self.has(&say("*.#", &[parent])));
        self.has(&name) || (by_wildcard && !self.has(&say("!#", &[&name])))
    }

    fn has(&self, rule: &str) -> bool {
        self.hashes.binary_search(&hash(rule)).is_ok()
    }
}

struct Bits {
    at: usize,
}

impl Bits {
    /// 0 behind the end.
    fn next_bit(&mut self) -> u32 {
        let byte = TABLE.get(self.at / 8).copied().unwrap_or_default();
        let bit = byte >> (self.at % 8) & 1;
        self.at = self.at.saturating_add(1);
        u32::from(bit)
    }
}

/// FNV-1a, spread over the range.
fn hash(rule: &str) -> u32 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in rule.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash = (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    u32::try_from(hash.wrapping_mul(u64::from(RANGE)) >> 32).unwrap_or(u32::MAX)
}

/// The name with `0` for each label that is a region.
fn normalized(name: &str) -> String {
    let mut normalized = String::new();
    for label in name.split('.') {
        if !normalized.is_empty() {
            normalized.push('.');
        }
        normalized.push_str(if is_region(label) { "0" } else { label });
    }
    normalized
}

/// `us-east-1`, `us-gov-west-1`: two letters, words, a number.
fn is_region(label: &str) -> bool {
    let Some((area, rest)) = label.split_once('-') else { return false };
    let Some((words, number)) = rest.rsplit_once('-') else { return false };
    area.len() == 2
        && area.bytes().all(|b| b.is_ascii_lowercase())
        && words.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use alloc::format;
    use alloc::string::ToString;
    use std::{env, fs};

    #[test]
    fn suffixes_are_found_and_other_names_are_not() {
        let suffixes = Suffixes::new();
        assert!(suffixes.hashes.is_sorted());
        for name in [
            "co.uk",
            "com.au",
            "co.jp",
            "org.br",
            "github.io",
            "gitlab.io",
            "pages.dev",
            "workers.dev",
            "vercel.app",
            "netlify.app",
            "herokuapp.com",
            "blogspot.com",
            "s3.amazonaws.com",
            "s3.us-east-1.amazonaws.com",
            "s3.xy-middle-9.amazonaws.com",
            "azurewebsites.net",
            "web.app",
            "firebaseapp.com",
            "cloudfront.net",
            "githubusercontent.com",
            "anything.ck",
            "a.sch.uk",
            "x.compute.amazonaws.com",
            "ngrok.io",
            "r2.dev",
        ] {
            assert!(suffixes.contains(name), "{name}");
        }
        for name in [
            "www.ck",
            "example.com",
            "github.com",
            "example.co.uk",
            "me.github.io",
            "amazonaws.com",
            "pypi.org",
            "npmjs.org",
            "crates.io",
            "google.com",
            "microsoft.com",
            "cloudflare.com",
            "debian.org",
            "ubuntu.com",
            "python.org",
            "rust-lang.org",
            "golang.org",
            "docker.io",
            "docker.com",
            "gitlab.com",
            "openai.com",
            "anthropic.com",
            "huggingface.co",
            "pythonhosted.org",
        ] {
            assert!(!suffixes.contains(name), "{name}");
        }
    }

    #[test]
    fn regions_are_recognised() {
        for (label, is) in [
            ("us-east-1", true),
            ("us-gov-west-1", true),
            ("s3", false),
            ("us-1", false),
            ("x-ab-1", false),
            ("us-east-", false),
        ] {
            assert_eq!(is_region(label), is, "{label}");
        }
    }

    /// Makes `data/suffix_table.bin` and the two constants above from a copy of the list. Fails as long as it changed
    /// anything, since the constants are compiled in: `cargo xtask suffixes` runs it until it passes.
    #[test]
    #[ignore = "needs the list"]
    fn an_up_to_date_table() {
        let list = fs::read_to_string(env::var("PUBLIC_SUFFIX_LIST").unwrap()).unwrap();
        let rules = rules(&list);
        let version = list.lines().find_map(|line| line.strip_prefix("// VERSION: ")).unwrap();
        let constants = [
            (format!("const VERSION: &str = \"{VERSION}\";"), format!("const VERSION: &str = \"{version}\";")),
            (format!("const COUNT: u32 = {COUNT};"), format!("const COUNT: u32 = {};", rules.len())),
        ];
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lint/suffix.rs");
        let source = fs::read_to_string(file).unwrap();
        let renewed = constants.iter().fold(source.clone(), |source, (old, new)| source.replace(old, new));
        if renewed != source {
            fs::write(file, renewed).unwrap();
            panic!("the constants are of {version} now: run again");
        }
        let hashes: BTreeSet<u32> = rules.iter().map(|rule| hash(rule)).collect();
        let mut hashes: Vec<u32> = hashes.into_iter().collect();
        // Two names with one hash leave a place free.
        hashes.resize(rules.len(), *hashes.last().unwrap());
        let differences: Vec<u32> =
            core::iter::once(0).chain(hashes.clone()).zip(&hashes).map(|(a, b)| b - a).collect();
        let mut bits: Vec<u8> = Vec::new();
        for &difference in &differences {
            bits.extend((0..LOW_BITS).map(|place| u8::from(difference >> place & 1 == 1)));
        }
        for &difference in &differences {
            bits.extend((0..difference >> LOW_BITS).map(|_| 1));
            bits.push(0);
        }
        let bytes: Vec<u8> =
            bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |byte, bit| byte << 1 | bit)).collect();
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/suffix_table.bin");
        if fs::read(file).ok().as_deref() != Some(&bytes) {
            fs::write(file, &bytes).unwrap();
            panic!("the table has {} bytes now: run again", bytes.len());
        }
        let suffixes = Suffixes::new();
        for rule in rules.iter().filter(|rule| !rule.starts_with(['*', '!'])) {
            assert!(suffixes.contains(rule), "{rule}");
        }
    }

    /// The rules that the table keeps, in ASCII.
    fn rules(list: &str) -> BTreeSet<String> {
        let section = |name: &str| {
            let begin = format!("// ===BEGIN {name} DOMAINS===");
            let end = format!("// ===END {name} DOMAINS===");
            let lines = list.lines().skip_while(move |line| *line != begin).take_while(move |line| *line != end);
            lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"))
        };
        let second = |rule: &str| {
            rule.split_once('.').filter(|(_, rest)| !rest.contains('.')).map(|(label, _)| label.to_string())
        };
        let mut common: BTreeMap<String, u32> = BTreeMap::new();
        for label in section("ICANN").filter_map(second) {
            *common.entry(label).or_default() += 1;
        }
        let kept = section("ICANN").filter(|rule| {
            rule.starts_with(['*', '!'])
                || second(rule).is_some_and(|label| common.get(&label).is_some_and(|&count| count >= 3))
        });
        kept.chain(section("PRIVATE"))
            .map(|rule| {
                let (mark, name) = match rule.strip_prefix("*.") {
                    Some(name) => ("*.", name),
                    None => rule.strip_prefix('!').map_or(("", rule), |name| ("!", name)),
                };
                format!("{mark}{}", normalized(&idna::domain_to_ascii(name).unwrap()))
            })
            .filter(|rule| rule.contains('.'))
            .collect()
    }
}
