//! Comparison of policies, against brute force over hosts that stand for all others.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests stop at the first surprise"
)]

use std::collections::BTreeSet;

use policy_core::{Action, NetworkPolicy, Relation, compare};
use proptest::prelude::*;

/// Names that meet each other often, of all the shapes that matter.
fn host() -> impl Strategy<Value = String> {
    let label = prop::sample::select(vec!["a", "b", "a_b", "x", "sub", "1", "0x7f", "xn--a", "A"]);
    let base = prop::sample::select(vec!["b.c", "c.d", "b.c.d", "a.b.c", "example.com", "2.3.4", "u_v.w", "127.1"]);
    prop_oneof![
        4 => base.clone().prop_map(String::from),
        4 => (label, base).prop_map(|(label, base)| format!("{label}.{base}")),
        1 => prop::sample::select(vec!["1.2.3.4", "127.0.0.1", "127.1", "localhost", "[::1]", "[::ffff:1.2.3.4]", "a..b", "user@a.b"])
            .prop_map(String::from),
    ]
}

fn entry() -> impl Strategy<Value = String> {
    let port = prop_oneof![3 => Just(""), 1 => Just(":443"), 1 => Just(":80"), 1 => Just(":1")];
    let host = prop_oneof![3 => host(), 3 => host().prop_map(|host| format!("*.{host}")), 1 => Just("*".to_owned())];
    (host, port).prop_map(|(host, port)| format!("{host}{port}"))
}

fn list() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(entry(), 0..7)
}

/// Keeps the entries that a policy accepts.
fn policy(allowed: &[String], denied: &[String]) -> NetworkPolicy {
    let fits = |entry: &&String, denied: bool| match denied {
        true => NetworkPolicy::from_lists([], [entry.as_str()]).is_ok(),
        false => NetworkPolicy::from_lists([entry.as_str()], []).is_ok(),
    };
    let allowed: Vec<&str> = allowed.iter().filter(|entry| fits(entry, false)).map(String::as_str).collect();
    let denied: Vec<&str> = denied.iter().filter(|entry| fits(entry, true)).map(String::as_str).collect();
    NetworkPolicy::from_lists(allowed, denied).unwrap()
}

/// Hosts of every region that these policies can tell apart.
fn hosts(policies: [&NetworkPolicy; 2]) -> BTreeSet<String> {
    let mut hosts: BTreeSet<String> = ["fresh.invalid", "localhost", ".", "9.9.9.9", "::9"].map(String::from).into();
    for policy in policies {
        for entry in policy.allowed_domains().chain(policy.denied_domains()) {
            let host = match entry.rsplit_once(':') {
                Some((host, port)) if port.parse::<u16>().is_ok() && !port.contains(']') => host,
                _ => entry,
            };
            let host = host.strip_prefix("*.").unwrap_or(host).to_owned();
            for prefix in ["", "fresh.", ".", "a_fresh.", "fresh.a.", "fresh.b.", "fresh.sub.", "..", "fresh.x."] {
                hosts.insert(format!("{prefix}{host}"));
            }
        }
    }
    hosts
}

const PORTS: [u16; 5] = [443, 80, 1, 22, 65535];

fn access(action: Action) -> u8 {
    match action {
        Action::Deny => 0,
        Action::Review => 1,
        Action::Allow => 2,
    }
}

/// Whether the new policy gives less somewhere, and more somewhere.
fn by_brute_force(old: &NetworkPolicy, new: &NetworkPolicy) -> (bool, bool) {
    let (mut narrower, mut wider) = (false, false);
    for host in hosts([old, new]) {
        for port in PORTS {
            let (old, new) = (access(old.check(&host, port)), access(new.check(&host, port)));
            narrower |= new < old;
            wider |= new > old;
        }
    }
    (narrower, wider)
}

fn check_comparison(old: &NetworkPolicy, new: &NetworkPolicy) {
    let comparison = compare(old, new);
    let (narrower, wider) = (!comparison.narrower.is_empty(), !comparison.wider.is_empty());
    let relation = match (narrower, wider) {
        (false, false) => Relation::Equal,
        (true, false) => Relation::Narrower,
        (false, true) => Relation::Wider,
        (true, true) => Relation::Incomparable,
    };
    assert_eq!(comparison.relation, relation);
    assert_eq!(new.is_no_wider_than(old), !wider);
    for (witnesses, sign) in [(&comparison.narrower, false), (&comparison.wider, true)] {
        let mut seen = BTreeSet::new();
        for witness in witnesses {
            assert!(witness.port > 0);
            assert_eq!(old.check(&witness.host, witness.port), witness.old, "{witness:?}");
            assert_eq!(new.check(&witness.host, witness.port), witness.new, "{witness:?}");
            assert_eq!(access(witness.new) > access(witness.old), sign, "{witness:?}");
            assert_ne!(witness.new, witness.old);
            assert!(seen.insert((&witness.host, witness.port)), "{witness:?} twice");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1024) })]

    // SPEC COMPARE-1, COMPARE-2, COMPARE-3, COMPARE-6
    #[test]
    fn agrees_with_brute_force(lists in [list(), list(), list(), list()]) {
        let [old_allowed, old_denied, new_allowed, new_denied] = &lists;
        let (old, new) = (policy(old_allowed, old_denied), policy(new_allowed, new_denied));
        check_comparison(&old, &new);
        let comparison = compare(&old, &new);
        prop_assert_eq!(
            (!comparison.narrower.is_empty(), !comparison.wider.is_empty()),
            by_brute_force(&old, &new),
            "{:?} {:?}", old, new
        );
        let back = compare(&new, &old);
        prop_assert_eq!(comparison.narrower.is_empty(), back.wider.is_empty());
        prop_assert_eq!(comparison.wider.is_empty(), back.narrower.is_empty());
    }

    // SPEC COMPARE-4
    #[test]
    fn a_small_change_is_seen(allowed in list(), denied in list(), entry in entry(), deny in any::<bool>()) {
        let old = policy(&allowed, &denied);
        let (mut allowed, mut denied) = (allowed, denied);
        if deny { denied.push(entry) } else { allowed.push(entry) }
        let new = policy(&allowed, &denied);
        check_comparison(&old, &new);
        let comparison = compare(&old, &new);
        prop_assert_eq!((!comparison.narrower.is_empty(), !comparison.wider.is_empty()), by_brute_force(&old, &new));
        // PROPERTY-3, PROPERTY-4
        let wrong_way = if deny { comparison.wider } else { comparison.narrower };
        prop_assert_eq!(wrong_way, []);
    }
}

/// A base of so many characters.
fn base(len: usize) -> String {
    let mut base = "a".repeat(len % 64 + 64).split_at(62).0.to_owned();
    while base.len() < len {
        let room = len - base.len();
        base = match room {
            1 => format!("{base}a"),
            _ => format!("{}.{base}", "a".repeat((room - 1).min(61))),
        };
    }
    assert_eq!(base.len(), len);
    base
}

fn lists<'a>(allowed: &'a [String], denied: &'a [String]) -> NetworkPolicy {
    NetworkPolicy::from_lists(allowed.iter().map(String::as_str), denied.iter().map(String::as_str)).unwrap()
}

/// All public names below a base that is so long that few are left.
fn all_below(base: &str, wild: bool) -> Vec<String> {
    let letters = || ('a'..='z').chain('0'..='9');
    let one = letters().map(|c| format!("{c}.{base}"));
    let two = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
    let mut all: Vec<String> = one.collect();
    if base.len() <= 250 {
        all.extend(two.map(|label| format!("{label}.{base}")));
    }
    if base.len() <= 249 {
        let middle = || letters().chain(['-']);
        for a in letters() {
            all.extend(
                middle()
                    .flat_map(|b| letters().map(move |c| format!("{a}{b}{c}")))
                    .map(|label| format!("{label}.{base}")),
            );
            if wild {
                all.push(format!("*.{a}.{base}"));
            } else {
                all.extend(letters().map(|b| format!("{b}.{a}.{base}")));
            }
        }
    }
    all
}

// SPEC COMPARE-2
#[test]
fn a_base_may_be_so_long_that_its_names_are_all_named() {
    // The last two have 50,000 names below them: too slow without optimisation.
    let cases = [(251, false), (250, false), (249, false), (249, true)];
    for &(len, wild) in &cases[..if cfg!(debug_assertions) { 2 } else { 4 }] {
        let base = base(len);
        {
            let mut named = all_below(&base, wild);
            let wildcard = vec![format!("*.{base}")];
            // Denied by the wildcard or one by one: the same, since what is left over is no public name.
            let (by_wildcard, one_by_one) = (lists(&[], &wildcard), lists(&[], &named));
            assert_eq!(compare(&by_wildcard, &one_by_one).relation, Relation::Equal, "{len}");
            // All but one.
            let missing = named.remove(5);
            let comparison = compare(&by_wildcard, &lists(&[], &named));
            assert_eq!(comparison.relation, Relation::Wider);
            assert_eq!(comparison.wider.len(), 1);
            assert_eq!(comparison.wider[0].host, missing);
            check_comparison(&by_wildcard, &lists(&[], &named));
            // Allowed, the leftovers differ: a wildcard allows names that are not public too.
            let named = all_below(&base, wild);
            let comparison = compare(&lists(&wildcard, &[]), &lists(&named, &[]));
            assert_eq!(comparison.relation, Relation::Narrower);
            assert_eq!(comparison.narrower[0].host, format!(".{base}"));
        }
    }
}

// SPEC COMPARE-2
#[test]
fn nothing_is_below_a_base_that_is_longer_than_a_host() {
    let empty = NetworkPolicy::default();
    for (len, denied, allowed) in [
        (251, Relation::Narrower, Relation::Wider),
        (252, Relation::Equal, Relation::Wider),
        (253, Relation::Equal, Relation::Wider),
        (254, Relation::Equal, Relation::Wider),
        (255, Relation::Equal, Relation::Equal),
        (300, Relation::Equal, Relation::Equal),
    ] {
        let wildcard = [format!("*.{}", base(len))];
        assert_eq!(compare(&empty, &lists(&[], &wildcard)).relation, denied, "{len}");
        assert_eq!(compare(&empty, &lists(&wildcard, &[])).relation, allowed, "{len}");
        check_comparison(&empty, &lists(&wildcard, &[]));
    }
    for (len, allowed) in [(253, Relation::Wider), (255, Relation::Wider), (256, Relation::Equal)] {
        assert_eq!(compare(&empty, &lists(&[base(len)], &[])).relation, allowed, "{len}");
    }
}

// SPEC COMPARE-1
#[test]
fn every_port_is_every_port() {
    let all: Vec<String> = (1..=u16::MAX).map(|port| format!("a.b:{port}")).collect();
    let whole = vec!["a.b".to_owned()];
    // Port 0 is no destination of a comparison.
    assert_eq!(compare(&lists(&whole, &[]), &lists(&all, &[])).relation, Relation::Equal);
    assert_eq!(compare(&lists(&[], &whole), &lists(&[], &all)).relation, Relation::Equal);
    let comparison = compare(&lists(&whole, &[]), &lists(&all[1..], &[]));
    assert_eq!(comparison.narrower.len(), 1);
    assert_eq!(comparison.narrower[0].port, 1);
}

// SPEC COMPARE-4
#[test]
fn each_difference_of_the_rules_has_its_witness() {
    let strings = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let old = lists(&strings(&["*.example.com", "a.org"]), &strings(&["b.example.com", "*.c.example.com", "d.org"]));
    let new = lists(&strings(&["*.example.com:443", "e.org:8443"]), &strings(&["x.example.com", "*.c.example.com"]));
    let comparison = compare(&old, &new);
    let show = |witnesses: &[policy_core::Witness]| {
        witnesses.iter().map(|w| format!("{}:{} {}>{}", w.host, w.port, w.old.name(), w.new.name())).collect::<Vec<_>>()
    };
    assert_eq!(
        show(&comparison.narrower),
        ["x.example.com:80 allow>deny", "sub.example.com:80 allow>review", "a.org:443 allow>review"]
    );
    assert_eq!(
        show(&comparison.wider),
        // The first one answers for the new allowed entry as well as for the denied one that is gone.
        [
            "b.example.com:443 deny>allow",
            "e.org:8443 review>allow",
            "b.example.com:80 deny>review",
            "d.org:443 deny>review"
        ]
    );
    assert_eq!(comparison.relation, Relation::Incomparable);
}

// SPEC COMPARE-7
#[test]
fn large_policies_are_compared_in_n_log_n() {
    // Every combination of ports below many names: the pairs would be 25 million.
    let wild: Vec<String> = (1..=5000).map(|port| format!("*.example.com:{port}")).collect();
    let names: Vec<String> = (0..5000).map(|n| format!("h{n}.example.com")).collect();
    let start = std::time::Instant::now();
    let comparison = compare(&lists(&names, &[]), &lists(&names, &wild));
    // Each denied entry takes away what was allowed, and what was asked about.
    assert_eq!(comparison.narrower.len(), 10_000);
    let comparison = compare(&lists(&names, &wild), &lists(&wild, &[names.clone(), wild.clone()].concat()));
    assert_eq!(comparison.relation, Relation::Narrower);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
