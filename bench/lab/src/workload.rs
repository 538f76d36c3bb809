//! Made-up lists and hosts that look like real ones.

use std::collections::HashSet;

use serde::Serialize;

use crate::random::Random;

/// The list lengths that are measured, both lists together.
pub const SIZES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/// How many hosts a workload asks about.
const QUERIES: usize = 4_096;

/// Two lists and the hosts to ask about.
#[derive(Serialize)]
pub struct Workload {
    /// Entries of both lists together.
    pub size: usize,
    #[serde(rename = "allowedDomains")]
    pub allowed: Vec<String>,
    #[serde(rename = "deniedDomains")]
    pub denied: Vec<String>,
    /// In random order; every stretch of them is a fair sample of the mix.
    pub queries: Vec<Query>,
}

/// One destination.
#[derive(Clone, Serialize)]
pub struct Query {
    pub kind: Kind,
    pub host: String,
    pub port: u16,
}

/// What a destination is made to show.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An entry of the allowed list, as it stands there.
    AllowedName,
    /// A name below an allowed wildcard.
    AllowedWildcard,
    /// A name that an entry of the denied list matches.
    Denied,
    /// A public name that no entry matches.
    Unmatched,
    /// A name of an entry, partly or wholly in capitals.
    UpperCase,
    /// A name of an entry with the dot of the DNS root.
    TrailingDot,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::AllowedName,
        Self::AllowedWildcard,
        Self::Denied,
        Self::Unmatched,
        Self::UpperCase,
        Self::TrailingDot,
        Self::Ipv4,
        Self::Ipv6,
    ];

    /// Its part of the mix, in percent.
    pub const fn share(self) -> usize {
        match self {
            Self::AllowedName => 30,
            Self::AllowedWildcard => 20,
            Self::Denied => 10,
            Self::Unmatched => 20,
            Self::UpperCase | Self::TrailingDot | Self::Ipv4 | Self::Ipv6 => 5,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::AllowedName => "allowed, exact entry",
            Self::AllowedWildcard => "allowed, wildcard",
            Self::Denied => "denied by an entry",
            Self::Unmatched => "no entry matches",
            Self::UpperCase => "upper case",
            Self::TrailingDot => "trailing dot",
            Self::Ipv4 => "IPv4 address",
            Self::Ipv6 => "IPv6 address",
        }
    }
}

impl Workload {
    /// Lists of `size` entries together: four fifths allowed; 60 % names, 30 % wildcards, 10 % names with a port,
    /// and of the wildcards every sixth with a port. No entry stands twice.
    pub fn new(size: usize) -> Self {
        let mut random = Random::new(size as u64);
        let mut seen = HashSet::with_capacity(size);
        let (mut allowed, mut denied) = (Vec::new(), Vec::new());
        while seen.len() < size {
            let number = seen.len();
            let name = domain(&mut random);
            let entry = match number % 10 {
                0..6 => name,
                6..8 => format!("*.{name}"),
                8 if number % 20 == 8 => format!("*.{name}:443"),
                8 => format!("*.{name}"),
                _ => format!("{name}:{}", random.pick(&[443, 443, 443, 80, 22, 8443])),
            };
            if seen.insert(entry.clone()) {
                // Every fifth, but of each kind in turn.
                let list = if (number + number / 10).is_multiple_of(5) { &mut denied } else { &mut allowed };
                list.push(entry);
            }
        }
        let queries = queries(&mut random, &allowed, &denied, QUERIES);
        Self { size, allowed, denied, queries }
    }

    /// `count` further destinations of the same mix.
    pub fn more_queries(&self, count: usize) -> Vec<Query> {
        queries(&mut Random::new(count as u64), &self.allowed, &self.denied, count)
    }

    /// The queries of one kind only.
    pub fn of_kind(&self, kind: Kind) -> Vec<Query> {
        self.queries.iter().filter(|query| query.kind == kind).cloned().collect()
    }

    /// Bytes of all entries, without quotes or commas.
    pub fn entry_bytes(&self) -> usize {
        self.allowed.iter().chain(&self.denied).map(String::len).sum()
    }

    /// The lists as a supervisor sends them.
    pub fn transport_json(&self) -> String {
        // Strings into JSON cannot fail.
        serde_json::json!({ "allowedDomains": self.allowed, "deniedDomains": self.denied }).to_string()
    }

    /// The lists as a configuration file has them.
    pub fn config_json(&self) -> String {
        format!(r#"{{"network":{}}}"#, self.transport_json())
    }
}

fn queries(random: &mut Random, allowed: &[String], denied: &[String], count: usize) -> Vec<Query> {
    let mut queries = Vec::with_capacity(count);
    for kind in Kind::ALL {
        for _ in 0..count * kind.share() / 100 {
            queries.push(query(random, kind, allowed, denied));
        }
    }
    random.shuffle(&mut queries);
    queries
}

fn query(random: &mut Random, kind: Kind, allowed: &[String], denied: &[String]) -> Query {
    let any_port = random.pick(&[443, 443, 443, 443, 443, 443, 443, 443, 80, 22]);
    let (host, port) = match kind {
        Kind::AllowedName => below(entry(random, allowed, |entry| !entry.starts_with('*')), random),
        Kind::AllowedWildcard => below(entry(random, allowed, |entry| entry.starts_with('*')), random),
        Kind::Denied => below(entry(random, denied, |_| true), random),
        // No service name has a capital or this ending, so no entry has it either.
        Kind::Unmatched => (format!("{}-{}", random.pick(&SERVICES), domain(random)), None),
        Kind::UpperCase => {
            let (name, port) = below(entry(random, allowed, |_| true), random);
            let whole = random.chance(50);
            let raised =
                name.split_inclusive('.').map(|label| if whole { label.to_ascii_uppercase() } else { capital(label) });
            (raised.collect(), port)
        }
        Kind::TrailingDot => {
            let (name, port) = below(entry(random, allowed, |_| true), random);
            (format!("{name}."), port)
        }
        Kind::Ipv4 => {
            let bytes: [usize; 4] = std::array::from_fn(|_| random.below(256));
            (bytes.map(|byte| byte.to_string()).join("."), None)
        }
        Kind::Ipv6 => {
            let address =
                format!("2001:db8:{:x}:{:x}::{:x}", random.below(65_536), random.below(65_536), random.below(65_536));
            (if random.chance(50) { format!("[{address}]") } else { address }, None)
        }
    };
    Query { kind, host, port: port.unwrap_or(any_port) }
}

/// A random entry of a kind; in the shortest lists there may be none of it, then any entry.
fn entry<'a>(random: &mut Random, list: &'a [String], wanted: impl Fn(&str) -> bool) -> &'a str {
    (0..100).map(|_| list[random.below(list.len())].as_str()).find(|entry| wanted(entry)).unwrap_or(&list[0])
}

/// A host that the entry matches, and the port it is for.
fn below(entry: &str, random: &mut Random) -> (String, Option<u16>) {
    let (host, port) = match entry.split_once(':') {
        Some((host, port)) => (host, port.parse().ok()),
        None => (entry, None),
    };
    let host = match host.strip_prefix("*.") {
        Some(base) if random.chance(20) => format!("{}.{}.{base}", random.pick(&SERVICES), random.pick(&PLACES)),
        Some(base) => format!("{}.{base}", random.pick(&SERVICES)),
        None => host.to_owned(),
    };
    (host, port)
}

fn capital(label: &str) -> String {
    let (first, rest) = label.split_at(1.min(label.len()));
    first.to_ascii_uppercase() + rest
}

/// `registry.eu-1.soluna.io`, `kotimi.com`: one to three labels before the ending.
fn domain(random: &mut Random) -> String {
    let mut name = String::new();
    match random.below(10) {
        0..4 => {}
        4..9 => {
            name.push_str(random.pick(&SERVICES));
            name.push('.');
        }
        _ => {
            name.push_str(random.pick(&SERVICES));
            name.push('.');
            name.push_str(random.pick(&PLACES));
            name.push('.');
        }
    }
    for _ in 0..2 + random.below(4) {
        name.push_str(random.pick(&SYLLABLES));
    }
    if random.chance(10) {
        name.push('-');
        name.push_str(random.pick(&["labs", "cloud", "app", "dev", "data"]));
    }
    if random.chance(8) {
        name.push_str(&random.below(100).to_string());
    }
    name.push('.');
    name.push_str(random.pick(&ENDINGS));
    name
}

const SERVICES: [&str; 24] = [
    "api",
    "www",
    "cdn",
    "static",
    "auth",
    "login",
    "registry",
    "packages",
    "download",
    "files",
    "img",
    "mail",
    "git",
    "docs",
    "proxy",
    "storage",
    "objects",
    "metrics",
    "telemetry",
    "status",
    "data",
    "edge",
    "assets",
    "mirror",
];

const PLACES: [&str; 10] =
    ["eu-1", "us-east-1", "us-west-2", "ap-south-1", "fra", "iad", "sin", "global", "prod", "staging"];

const SYLLABLES: [&str; 40] = [
    "ka", "lo", "mi", "ra", "ten", "so", "lu", "na", "ver", "to", "git", "pa", "ze", "mon", "ri", "do", "cor", "sta",
    "bit", "net", "ma", "fi", "gra", "po", "lin", "ur", "es", "ta", "bo", "ni", "qu", "wa", "hex", "tri", "al", "en",
    "ob", "sky", "pix", "del",
];

const ENDINGS: [&str; 20] = [
    "com", "com", "com", "com", "com", "com", "com", "com", "org", "org", "net", "net", "io", "io", "dev", "de",
    "co.uk", "app", "ai", "com.br",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_is_the_same_in_every_run() {
        let (one, two) = (Workload::new(100), Workload::new(100));
        assert_eq!(one.transport_json(), two.transport_json());
        assert!(one.queries.iter().zip(&two.queries).all(|(one, two)| one.host == two.host && one.port == two.port));
    }

    #[test]
    fn the_lists_have_their_size_and_every_kind_of_entry() {
        for size in [10, 100, 1_000] {
            let workload = Workload::new(size);
            let entries: Vec<_> = workload.allowed.iter().chain(&workload.denied).collect();
            assert_eq!(entries.len(), size);
            assert!(entries.iter().any(|entry| entry.starts_with("*.")));
            assert!(entries.iter().any(|entry| entry.contains(':')));
            assert_eq!(workload.denied.len(), size / 5);
        }
    }

    #[test]
    fn the_mix_has_every_kind_in_its_share() {
        assert_eq!(Kind::ALL.iter().map(|kind| kind.share()).sum::<usize>(), 100);
        let workload = Workload::new(1_000);
        for kind in Kind::ALL {
            assert_eq!(workload.of_kind(kind).len(), QUERIES * kind.share() / 100, "{kind:?}");
        }
    }
}
