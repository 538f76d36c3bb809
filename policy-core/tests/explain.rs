//! Explanations: they say what the decision says, and what they suggest works.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests stop at the first surprise"
)]

use std::time::Instant;

use policy_core::{Action, CanonicalHost, Decision, DomainPattern, List, NetworkPolicy, Profile};
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    let label = prop::sample::select(vec!["", "a.", "b.", "a_b.", "1.", "x.a."]);
    let base =
        prop::sample::select(vec!["b.c", "b.c.d", "2.3.4", "127.1", "127.0.0.1", "1.2.3.4", "localhost", "a.b.c"]);
    (label, base).prop_map(|(label, base)| format!("{label}{base}"))
}

fn entry() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        4 => name(), 3 => name().prop_map(|name| format!("*.{name}")), 1 => Just("*".to_owned()),
        1 => Just("[::ffff:1.2.3.4]".to_owned()), 1 => Just("[::1]".to_owned()),
    ];
    (host, prop::sample::select(vec!["", "", ":80", ":443"])).prop_map(|(host, port)| format!("{host}{port}"))
}

fn host() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => name(),
        2 => name().prop_map(|name| name.to_uppercase() + "."),
        1 => "[a-z.:\\[\\]%@/ é]{0,6}",
        1 => prop::sample::select(vec!["[::1]", "0:0::1", "::ffff:1.2.3.4", "[1.2.3.4]", "0x7f.1.", ".", "..", "", "2130706433", "[::FFFF:7F00:1]"])
            .prop_map(String::from),
    ]
}

fn policy(allowed: &[String], denied: &[String]) -> NetworkPolicy {
    let fits = |list| move |entry: &&String| DomainPattern::parse(entry, list, Profile::Transport).is_ok();
    let allowed = allowed.iter().filter(fits(List::Allowed)).map(String::as_str).collect::<Vec<_>>();
    let denied = denied.iter().filter(fits(List::Denied)).map(String::as_str).collect::<Vec<_>>();
    NetworkPolicy::from_lists(allowed, denied).unwrap()
}

fn entries(policy: &NetworkPolicy, list: List) -> Vec<&str> {
    match list {
        List::Allowed => policy.allowed_domains().collect(),
        List::Denied => policy.denied_domains().collect(),
    }
}

/// Whether an entry matches, by a decision of a policy that has nothing else.
fn matches(entry: &str, list: List, host: &str, port: u16) -> bool {
    let alone = match list {
        List::Allowed => NetworkPolicy::from_lists([entry], []),
        List::Denied => NetworkPolicy::from_lists([], [entry]),
    };
    alone.unwrap().decide(host, port).rule().is_some()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2048) })]

    // SPEC EXPLAIN-1, EXPLAIN-3, EXPLAIN-4, EXPLAIN-5, EXPLAIN-6
    #[test]
    fn an_explanation_agrees_with_the_decision(
        allowed in prop::collection::vec(entry(), 0..6),
        denied in prop::collection::vec(entry(), 0..4),
        host in host(),
        port in prop::sample::select(vec![0_u16, 22, 80, 443]),
    ) {
        let policy = policy(&allowed, &denied);
        let decision = policy.decide(&host, port);
        let explanation = policy.explain(&host, port);
        prop_assert_eq!(&explanation.decision, &decision);
        prop_assert_eq!((explanation.matches_omitted, explanation.misses_omitted), (0, 0));
        prop_assert!(!explanation.summary.is_empty());
        // Every entry that matches, by the decision of each alone.
        let malformed = CanonicalHost::parse(&host).is_err();
        let mut expected = Vec::new();
        for list in [List::Denied, List::Allowed] {
            for (index, entry) in entries(&policy, list).into_iter().enumerate() {
                if !malformed && matches(entry, list, &host, port) {
                    expected.push((list, index));
                }
            }
        }
        let found: Vec<_> = explanation.matches.iter().map(|found| (found.rule.list, found.rule.index)).collect();
        prop_assert_eq!(found, expected);
        let deciding: Vec<_> = explanation.matches.iter().filter(|found| found.decides).map(|found| found.rule).collect();
        prop_assert_eq!(deciding, decision.rule().into_iter().collect::<Vec<_>>());
        // The steps end at the host that was judged.
        let last = explanation.steps.last().map_or(host.as_str(), |step| step.host.as_str());
        match decision.host() {
            Some(judged) => prop_assert_eq!(last, judged.as_str()),
            None => prop_assert!(explanation.steps.is_empty() && explanation.misses.is_empty()),
        }
        let mut before = host.clone();
        for step in &explanation.steps {
            prop_assert_ne!(&step.host, &before);
            before.clone_from(&step.host);
        }
        // A suggestion does what it says.
        prop_assert!(explanation.misses.is_empty() || decision.rule().is_none());
        for miss in &explanation.misses {
            prop_assert!(!matches(miss.rule.pattern, miss.rule.list, &host, port));
            let Some(entry) = &miss.suggestion else { continue };
            prop_assert!(DomainPattern::parse(entry, miss.rule.list, Profile::Config).is_ok());
            let mut lists = [entries(&policy, List::Allowed), entries(&policy, List::Denied)];
            lists[usize::from(miss.rule.list == List::Denied)].push(entry);
            let with = NetworkPolicy::from_lists(lists[0].iter().copied(), lists[1].iter().copied()).unwrap();
            let action = if miss.rule.list == List::Allowed { Action::Allow } else { Action::Deny };
            let decision = with.decide(&host, port);
            prop_assert_eq!(decision.action(), action);
            prop_assert_eq!(decision.rule().unwrap().pattern, entry);
        }
    }
}

// SPEC EXPLAIN-7, EXPLAIN-8
#[test]
fn long_lists_are_cut_and_take_no_time() {
    let many: Vec<String> = (0..100_000).map(|n| format!("h{n}.a.example.com")).collect();
    let start = Instant::now();
    let policy = NetworkPolicy::from_lists(many.iter().map(String::as_str), []).unwrap();
    let explanation = policy.explain("a.example.com", 443);
    assert_eq!((explanation.misses.len(), explanation.misses_omitted), (20, 99_980));
    assert!(matches!(explanation.decision, Decision::Review { .. }));
    let policy = NetworkPolicy::from_lists([], (0..50).map(|_| "*")).unwrap();
    let explanation = policy.explain("a.example.com", 443);
    assert_eq!((explanation.matches.len(), explanation.matches_omitted), (20, 30));
    assert!(explanation.matches[0].decides);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
