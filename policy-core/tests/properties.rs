//! The properties of the spec page `properties`, on generated policies and destinations.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod model;

use model::{Model, Outcome};
use policy_core::{Action, CanonicalHost, Config, DomainPattern, List, NetworkPolicy, Profile};
use proptest::prelude::*;
use proptest::sample::select;

/// Few labels, so that generated entries and hosts meet.
fn label() -> impl Strategy<Value = &'static str> {
    select(vec![
        "a", "b", "A", "com", "Example", "xn--a", "a_b", "0x7f", "1", "127", "256", "08", "-a", "\u{212A}", "é",
    ])
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::collection::vec(label(), 1..5).prop_map(|labels| labels.join(".")),
        2 => select(vec!["127.0.0.1", "127.1", "0x7f.1", "2130706433", "1.2.3.4", "0177.0.0.1", "8.8.8.8"]).prop_map(String::from),
        1 => select(vec!["localhost", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0::1", "2606:4700::1"]).prop_map(String::from),
    ]
}

fn entry() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        5 => name(),
        4 => name().prop_map(|base| format!("*.{base}")),
        1 => name().prop_map(|ip| format!("[{ip}]")),
        1 => Just("*".to_owned()),
    ];
    let port = prop_oneof![3 => Just(""), 1 => Just(":443"), 1 => Just(":80"), 1 => Just(":0443"), 1 => Just(":65536")];
    (host, port).prop_map(|(host, port)| format!("{host}{port}"))
}

fn list(list: List) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        entry().prop_filter("valid", move |text| DomainPattern::parse(text, list, Profile::Transport).is_ok()),
        0..8,
    )
}

fn model() -> impl Strategy<Value = Model> {
    (list(List::Allowed), list(List::Denied)).prop_map(|(allowed, denied)| Model { allowed, denied })
}

fn host() -> impl Strategy<Value = String> {
    (name(), select(vec!["", ".", ".."]), select(vec!["", "x.", ".", "A.b."]))
        .prop_map(|(name, end, start)| format!("{start}{name}{end}"))
}

fn port() -> impl Strategy<Value = u16> {
    select(vec![443, 80, 0, 65535])
}

fn compile(model: &Model) -> NetworkPolicy {
    NetworkPolicy::from_lists(model.allowed.iter().map(String::as_str), model.denied.iter().map(String::as_str))
        .unwrap()
}

fn outcome(policy: &NetworkPolicy, host: &str, port: u16) -> Outcome {
    let decision = policy.decide(host, port);
    assert_eq!(decision.action(), policy.check(host, port));
    (
        decision.action().name(),
        decision.rule().map(|rule| (rule.list.name(), rule.index)),
        decision.host().map(ToString::to_string),
    )
}

fn action(model: &Model, host: &str, port: u16) -> Action {
    compile(model).check(host, port)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_compiled_policy_answers_as_the_naive_scan(model in model(), hosts in prop::collection::vec(host(), 1..6), port in port()) {
        let policy = compile(&model);
        for host in hosts {
            prop_assert_eq!(outcome(&policy, &host, port), model.decide(&host, port), "{:?} {} {}", model, host, port);
        }
    }

    /// PROPERTY: deny wins, and a denied entry never gives more.
    #[test]
    fn adding_a_denied_entry_never_gives_more(model in model(), more in list(List::Denied), at in any::<prop::sample::Index>(), host in host(), port in port()) {
        let mut stricter = model.clone();
        for entry in more {
            stricter.denied.insert(at.index(stricter.denied.len() + 1), entry);
        }
        prop_assert!(action(&stricter, &host, port) <= action(&model, &host, port));
    }

    /// PROPERTY: taking an allowed entry away never gives more.
    #[test]
    fn removing_an_allowed_entry_never_gives_more(model in model(), at in any::<prop::sample::Index>(), host in host(), port in port()) {
        let mut stricter = model.clone();
        if !stricter.allowed.is_empty() {
            stricter.allowed.remove(at.index(model.allowed.len()));
        }
        prop_assert!(action(&stricter, &host, port) <= action(&model, &host, port));
    }

    /// PROPERTY: order and duplicates change which entry is named, never the action.
    #[test]
    fn order_and_duplicates_never_change_the_action(model in model(), host in host(), port in port()) {
        let mut other = model.clone();
        other.allowed.reverse();
        other.denied.reverse();
        other.allowed.extend(model.allowed.clone());
        other.denied.extend(model.denied.clone());
        prop_assert_eq!(action(&other, &host, port), action(&model, &host, port));
    }

    /// PROPERTY: without an allowed entry nothing is allowed.
    #[test]
    fn an_empty_allowed_list_never_allows(denied in list(List::Denied), host in host(), port in port()) {
        prop_assert_ne!(action(&Model { allowed: vec![], denied }, &host, port), Action::Allow);
    }

    /// PROPERTY: the canonical form is its own canonical form, and every spelling gets one answer.
    #[test]
    fn canonicalisation_is_idempotent(model in model(), host in prop_oneof![host(), "[-0-9A-Za-z._:%\\[\\]]{0,20}"], port in port()) {
        if let Ok(canonical) = CanonicalHost::parse(&host) {
            let text = canonical.to_string();
            // `.` has the empty canonical form, and of several trailing dots one is taken at a time.
            if !text.is_empty() && !text.ends_with('.') {
                prop_assert_eq!(CanonicalHost::parse(&text), Ok(canonical));
                prop_assert_eq!(action(&model, &text, port), action(&model, &host, port));
            }
        }
    }

    /// PROPERTY: decoding what was encoded gives the same policy.
    #[test]
    fn decode_is_the_inverse_of_encode(model in model()) {
        let policy = compile(&model);
        let decoded = NetworkPolicy::from_transport(&policy.to_json());
        prop_assert_eq!(decoded.allowed_domains().collect::<Vec<_>>(), model.allowed);
        prop_assert_eq!(decoded.denied_domains().collect::<Vec<_>>(), model.denied);
        prop_assert_eq!(decoded.fingerprint(), policy.fingerprint());
    }

    /// PROPERTY: a configuration printed is the configuration, and what a person may write a
    /// supervisor may send (PATTERN-13).
    #[test]
    fn a_printed_configuration_reads_the_same(entries in prop::collection::vec(entry(), 0..6)) {
        let text = serde_json::json!({ "network": { "deniedDomains": entries } }).to_string();
        if let Ok(config) = Config::parse(&text) {
            let printed = serde_json::to_string(&config).unwrap();
            prop_assert_eq!(&Config::parse(&printed).unwrap(), &config);
            prop_assert_eq!(NetworkPolicy::from_transport(&config.network.to_json()), config.network);
        }
    }

    /// PROPERTY: no text makes the core panic.
    #[test]
    fn any_text_is_answered(text in any::<String>(), model in model(), port in any::<u16>()) {
        let _ = Config::parse(&text);
        let _ = NetworkPolicy::from_transport(&text);
        let _ = compile(&model).decide(&text, port);
        let _ = policy_core::normalize_public_hostname(&text);
        let _ = policy_core::is_public_address(&text);
        let _ = policy_core::is_unix_socket_permission_error(&text);
        let _ = policy_core::matching_preflight_prefix(&text, [text.as_str()]);
    }
}
