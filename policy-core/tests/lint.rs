//! Lints: that they are exact, that they change nothing, and that they stay fast.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use policy_core::{
    CanonicalHost, Code, Config, Diagnostic, MAX_DIAGNOSTICS, MAX_POLICY_BYTES, NetworkPolicy, Severity,
    validate_config,
};
use proptest::prelude::*;

fn text(allowed: &[String], denied: &[String]) -> String {
    serde_json::json!({"network": {"allowedDomains": allowed, "deniedDomains": denied}}).to_string()
}

/// Names that meet each other often.
fn host() -> impl Strategy<Value = String> {
    let label = prop::sample::select(vec!["a", "b", "x", "sub", "1", "0x7f", "xn--a", "A"]);
    let base = prop::sample::select(vec!["b.c", "c.d", "b.c.d", "a.b.c", "2.3.4", "127.1"]);
    prop_oneof![
        4 => base.clone().prop_map(String::from),
        4 => (label, base).prop_map(|(label, base)| format!("{label}.{base}")),
        2 => prop::sample::select(vec!["1.2.3.4", "127.0.0.1", "127.1", "0x7f.0.0.1", "8.8.8.8"]).prop_map(String::from),
    ]
}

fn entry() -> impl Strategy<Value = String> {
    let port = prop_oneof![3 => Just(""), 1 => Just(":443"), 1 => Just(":80")];
    let host = prop_oneof![4 => host(), 3 => host().prop_map(|host| format!("*.{host}"))];
    (host, port).prop_map(|(host, port)| format!("{host}{port}"))
}

fn denied_entry() -> impl Strategy<Value = String> {
    prop_oneof![20 => entry(), 1 => Just("*".to_owned()), 1 => Just("*:443".to_owned())]
}

/// Hosts of every region that these entries can tell apart.
fn hosts(entries: &[String]) -> BTreeSet<String> {
    let mut hosts: BTreeSet<String> = ["fresh.invalid", "localhost", ".", "9.9.9.9", "::9"].map(String::from).into();
    for entry in entries {
        let host = entry.split(':').next().unwrap();
        let host = host.strip_prefix("*.").unwrap_or(host);
        for prefix in ["", "fresh.", ".", "a_fresh.", "fresh.a.", "fresh.b.", "fresh.x.", "fresh.sub.", "fresh.1."] {
            hosts.insert(format!("{prefix}{host}"));
        }
    }
    hosts
}

fn policy(allowed: &[String], denied: &[String]) -> NetworkPolicy {
    NetworkPolicy::from_config(&text(allowed, denied)).unwrap()
}

/// What tells rules apart within a list.
fn same_rule(entry: &str, denied: bool) -> String {
    let lower = entry.to_lowercase();
    let (host, port) = lower.split_once(':').unwrap_or((&lower, ""));
    match CanonicalHost::parse(host) {
        Ok(canonical) if denied => format!("{canonical}:{port}"),
        _ => format!("{host}:{port}"),
    }
}

/// The lists without the later ones of equal rules.
fn without_repetitions(lists: &[Vec<String>; 2]) -> [Vec<String>; 2] {
    [false, true].map(|denied| {
        let mut seen = BTreeSet::new();
        lists[usize::from(denied)].iter().filter(|entry| seen.insert(same_rule(entry, denied))).cloned().collect()
    })
}

const NO_EFFECT: [Code; 3] = [Code::DuplicatePattern, Code::ShadowedAllow, Code::RedundantPattern];

fn codes(diagnostics: &[Diagnostic]) -> BTreeMap<String, Vec<Code>> {
    let mut codes: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for diagnostic in diagnostics {
        codes.entry(diagnostic.path.clone()).or_default().push(diagnostic.code);
    }
    codes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(384) })]

    // SPEC LINT-14
    #[test]
    fn an_entry_is_reported_exactly_when_it_makes_no_difference(
        allowed in prop::collection::vec(entry(), 0..6),
        denied in prop::collection::vec(denied_entry(), 0..6),
    ) {
        let lists = [allowed, denied];
        let validation = validate_config(&text(&lists[0], &lists[1]));
        prop_assert!(validation.is_valid());
        let codes = codes(&validation.diagnostics);
        let all: Vec<String> = lists.concat();
        let hosts = hosts(&all);
        let differs = |a: &NetworkPolicy, b: &NetworkPolicy| {
            hosts.iter().any(|host| [0, 22, 80, 443].iter().any(|&port| a.check(host, port) != b.check(host, port)))
        };
        let distinct = without_repetitions(&lists);
        for denied in [false, true] {
            let list = usize::from(denied);
            let mut seen = BTreeSet::new();
            for (index, entry) in lists[list].iter().enumerate() {
                let name = if denied { "deniedDomains" } else { "allowedDomains" };
                let told = codes.get(&format!("network.{name}[{index}]")).cloned().unwrap_or_default();
                let idle = told.iter().any(|code| NO_EFFECT.contains(code));
                let dead = told.contains(&Code::DeadPattern);
                prop_assert!(told.iter().filter(|code| NO_EFFECT.contains(code) || **code == Code::DeadPattern).count() <= 1);
                if idle {
                    let mut less = lists.clone();
                    less[list].remove(index);
                    prop_assert!(!differs(&policy(&lists[0], &lists[1]), &policy(&less[0], &less[1])), "{name}[{index}]");
                }
                let first = seen.insert(same_rule(entry, denied));
                if !idle && !dead {
                    prop_assert!(first, "{name}[{index}] repeats and is not reported");
                    let mut less = distinct.clone();
                    less[list].retain(|other| other != entry);
                    prop_assert!(
                        differs(&policy(&distinct[0], &distinct[1]), &policy(&less[0], &less[1])),
                        "{name}[{index}] changes nothing and is not reported"
                    );
                }
            }
        }
    }

    // SPEC LINT-1, DIAGNOSTIC-7
    #[test]
    fn applying_a_fix_takes_the_problem_away(
        allowed in prop::collection::vec(entry(), 0..5),
        denied in prop::collection::vec(denied_entry(), 0..5),
    ) {
        let text = text(&allowed, &denied);
        let before = Config::parse(&text).unwrap().network;
        let validation = validate_config(&text);
        for diagnostic in &validation.diagnostics {
            prop_assert_ne!(diagnostic.severity, Severity::Error);
            let Some(fix) = &diagnostic.fix else { continue };
            let fixed = format!("{}{}{}", &text[..fix.start], fix.text, &text[fix.end..]);
            let after = validate_config(&fixed);
            prop_assert!(after.is_valid(), "{}", fixed);
            if NO_EFFECT.contains(&diagnostic.code) {
                let after = Config::parse(&fixed).unwrap().network;
                let hosts = hosts(&[allowed.clone(), denied.clone()].concat());
                prop_assert!(hosts.iter().all(|host| before.check(host, 443) == after.check(host, 443)));
                // The entry is gone; another may have its number, and a lint of its own.
                continue;
            }
            let same = |other: &&Diagnostic| other.code == diagnostic.code && other.path == diagnostic.path;
            let count = |diagnostics: &[Diagnostic]| diagnostics.iter().filter(same).count();
            prop_assert!(count(&after.diagnostics) < count(&validation.diagnostics), "{} {}", text, fixed);
        }
    }
}

/// A base of 251 characters leaves 36 public names below it.
#[test]
fn the_entries_below_a_very_long_base_can_make_it_redundant() {
    let base = format!("{0}.{0}.{0}.{1}.b", "a".repeat(61), "a".repeat(63));
    assert_eq!(base.len(), 251);
    let mut names: Vec<String> = ('a'..='z').chain('0'..='9').map(|c| format!("{c}.{base}")).collect();
    let wildcard = format!("*.{base}");
    let redundant = |allowed: &[String], denied: &[String]| {
        let validation = validate_config(&text(allowed, denied));
        let found = validation.diagnostics.iter().filter(|d| d.code == Code::RedundantPattern);
        found.map(|d| d.path.clone()).collect::<Vec<_>>()
    };
    // All of them deny each other's share.
    names.push(wildcard.clone());
    assert_eq!(redundant(&[], &names).len(), 37);
    // Allowed somewhere, the names that are not public matter too.
    let long = format!("*.{}", base.split_once('.').unwrap().1);
    assert_eq!(redundant(&[long], &names).len(), 36);
    names.remove(3);
    assert_eq!(
        redundant(&[], &names),
        Vec::<String>::new()
            .into_iter()
            .chain((0..35).map(|n| format!("network.deniedDomains[{n}]")))
            .collect::<Vec<_>>()
    );
}

// SPEC LINT-15
#[test]
fn a_hundred_thousand_entries_take_seconds() {
    // A tenth without optimisation.
    let half = if cfg!(debug_assertions) { 5_000 } else { 50_000 };
    let many = |make: &dyn Fn(usize) -> String| (0..half).map(make).collect::<Vec<_>>();
    let cases = [
        (many(&|n| format!("h{n}.example.com")), many(&|n| format!("d{n}.example.com"))),
        (many(&|n| format!("h{n}.example.com")), many(&|n| format!("*.example.com:{}", n + 1))),
        (many(&|n| format!("*.h{}.w{}.example.com", n % 500, n)), vec!["*.example.com".to_owned()]),
        (many(&|_| "a.example.com".to_owned()), many(&|n| format!("{}b.c", "a.".repeat(n % 100)))),
    ];
    for (allowed, denied) in cases {
        let text = text(&allowed, &denied);
        let start = Instant::now();
        let validation = validate_config(&text);
        assert!(validation.is_valid());
        assert!(validation.diagnostics.len() <= MAX_DIAGNOSTICS + 1);
        println!(
            "{} bytes: {:?}, {} + {}",
            text.len(),
            start.elapsed(),
            validation.diagnostics.len(),
            validation.omitted
        );
        assert!(start.elapsed().as_secs() < 60);
    }
}

// SPEC LINT-12
#[test]
fn the_longest_policy_that_can_be_sent_has_no_warning() {
    let json_len =
        |entries: &[String]| NetworkPolicy::from_lists(entries.iter().map(String::as_str), []).unwrap().to_json().len();
    for (bytes, warned) in [(MAX_POLICY_BYTES, false), (MAX_POLICY_BYTES + 1, true)] {
        let mut entries: Vec<String> = (0..312).map(|n| format!("{}{n:04}.b", "a".repeat(40))).collect();
        // Its quotes, its comma and its `.b`.
        let rest = bytes - json_len(&entries) - 5;
        entries.push("b".repeat(rest) + ".b");
        assert_eq!(json_len(&entries), bytes);
        let found = validate_config(&text(&entries, &[])).diagnostics;
        assert_eq!(found.iter().any(|found| found.code == Code::TransportTooLarge), warned, "{bytes} bytes");
    }
}

// SPEC LINT-14
#[test]
fn entries_that_cover_another_together_are_not_named() {
    // So long that one character is left in front of it.
    let base = format!("{}example", "a.".repeat(122));
    let mut denied: Vec<String> = ('a'..='z').chain('0'..='9').map(|label| format!("{label}.{base}")).collect();
    denied.push(format!("*.{base}"));
    let found = validate_config(&text(&[], &denied)).diagnostics;
    let last = found.last().unwrap();
    assert_eq!((last.code, last.path.as_str()), (Code::RedundantPattern, "network.deniedDomains[36]"));
    assert!(last.message.ends_with(" changes nothing: all that it covers is covered without it"), "{}", last.message);
}

// SPEC LINT-2
#[test]
fn a_repeated_key_goes_with_its_value() {
    let text = r#"{"hostIPC": {"mode": "ask"}, "hostIPC": {}}"#;
    let found = validate_config(text).diagnostics;
    let fix = found.first().unwrap().fix.as_ref().unwrap();
    assert_eq!(format!("{}{}{}", &text[..fix.start], fix.text, &text[fix.end..]), r#"{"hostIPC": {}}"#);
}
