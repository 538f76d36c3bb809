//! Every answer is the core's own.

use policy_core as core;
use policy_host::{Decision, Denial, Error, List, Policy, Rule};

use crate::{NONE, engine};

const CONFIG: &str = r#"{
  "subagents": { "provider": "pi-subagents", "externalWorkerIsolation": "enforce" },
  "filesystem": { "additionalAllowRead": ["/opt/a", "/opt/b", "/opt/a"] },
  "network": {
    "allowedDomains": ["*.github.com:443", " registry.npmjs.org ", "140.82.112.3", "github.com"],
    "deniedDomains": ["gist.github.com", "*.example.com:22", "127.1.example", "10.0.0.1"]
  },
  "hostIPC": { "mode": "ask", "preflightCommandPrefixes": ["docker ", "ssh"], "retryOnUnixSocketError": true }
}"#;

/// Hosts of every kind, and what is none.
const HOSTS: [&str; 40] = [
    "api.github.com",
    "API.GitHub.com.",
    "github.com",
    "gist.github.com",
    "GIST.github.com.",
    "a.gist.github.com",
    "registry.npmjs.org",
    "registry.npmjs.org..",
    "example.com",
    "a.example.com",
    "127.1.example",
    "127.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "10.0.0.1",
    "0xa.1",
    "[::ffff:10.0.0.1]",
    "::1",
    "[::1]",
    "[::1%eth0]",
    "140.82.112.3",
    "0x8c.0x52.0x70.3",
    "::ffff:8c52:7003",
    "localhost",
    "a_b.example",
    "bücher.example",
    "a b",
    "",
    ".",
    "..",
    "*",
    "*.github.com",
    "github.com:443",
    "user@github.com",
    "https://github.com",
    "a..b",
    "-a.b",
    "xn--.example",
    "1.2.3.4.5",
];

const PORTS: [u16; 5] = [0, 22, 80, 443, 65535];

/// The core's decision in this crate's types.
fn native(policy: &core::NetworkPolicy, host: &str, port: u16) -> Decision {
    let rule = |rule: core::Rule<'_>| Rule {
        list: match rule.list {
            core::List::Allowed => List::Allowed,
            core::List::Denied => List::Denied,
        },
        index: rule.index,
        pattern: rule.pattern.to_owned(),
    };
    match policy.decide(host, port) {
        core::Decision::Allow { rule: by, host, port } => {
            Decision::Allow { rule: rule(by), host: host.to_string(), port }
        }
        core::Decision::Review { host, port } => Decision::Review { host: host.to_string(), port },
        core::Decision::Deny { reason, port } => Decision::Deny {
            reason: match reason {
                core::Denial::MalformedHost => Denial::MalformedHost,
                core::Denial::NotPublic { host } => Denial::NotPublic { host: host.to_string() },
                core::Denial::Rule { rule: by, host } => Denial::Rule { rule: rule(by), host: host.to_string() },
            },
            port,
        },
    }
}

fn long_hosts() -> Vec<String> {
    let label = "a".repeat(63);
    vec![
        format!("{label}.{label}.{label}.{}", "a".repeat(61)),
        format!("{label}.{label}.{label}.{}", "a".repeat(63)),
        format!("{label}.{label}.{label}.{}.", "a".repeat(63)),
        format!("{}.github.com", "a.".repeat(2000)),
        format!("{}github.com", "é".repeat(200)),
        "😀".repeat(100_000),
    ]
}

#[test]
fn decisions_are_the_cores() {
    let engine = engine();
    let native_policy = core::NetworkPolicy::from_config(CONFIG).unwrap();
    let policy = Policy::from_config(&engine, CONFIG).unwrap();
    let long = long_hosts();
    let destinations: Vec<(&str, u16)> = HOSTS
        .into_iter()
        .chain(long.iter().map(String::as_str))
        .flat_map(|host| PORTS.map(|port| (host, port)))
        .collect();
    let expected: Vec<Decision> = destinations.iter().map(|&(host, port)| native(&native_policy, host, port)).collect();
    for (&(host, port), expected) in destinations.iter().zip(&expected) {
        assert_eq!(&policy.decide(host, port), expected, "{host:?} {port}");
        assert_eq!(policy.check(host, port), expected.action(), "{host:?} {port}");
        assert_eq!(expected.port(), port);
    }
    assert_eq!(policy.decide_many(destinations.iter().copied()), expected);
    let actions: Vec<_> = expected.iter().map(Decision::action).collect();
    assert_eq!(policy.check_many(destinations.iter().copied()), actions);
    // The list holds every outcome.
    for name in ["rule", "unmatched", "malformed-host", "not-public"] {
        assert!(expected.iter().any(|decision| decision.reason() == name), "{name}");
    }
    assert_eq!(engine.stats().failed, 0);
}

#[test]
fn a_batch_may_be_empty_or_of_any_size() {
    let engine = engine();
    let native_policy = core::NetworkPolicy::from_config(CONFIG).unwrap();
    let policy = Policy::from_config(&engine, CONFIG).unwrap();
    for size in [0, 1, 1023, 1024, 1025, 5000] {
        let destinations: Vec<(&str, u16)> =
            HOSTS.into_iter().cycle().zip(PORTS.into_iter().cycle()).take(size).collect();
        let decisions = policy.decide_many(destinations.iter().copied());
        assert_eq!(decisions.len(), size);
        for (&(host, port), decision) in destinations.iter().zip(&decisions) {
            assert_eq!(decision, &native(&native_policy, host, port));
        }
    }
}

#[test]
fn a_policy_shows_its_lists() {
    let engine = engine();
    let native_policy = core::NetworkPolicy::from_config(CONFIG).unwrap();
    let policy = Policy::from_config(&engine, CONFIG).unwrap();
    assert_eq!(policy.fingerprint(), native_policy.fingerprint().to_string());
    assert_eq!(policy.to_json().unwrap(), native_policy.to_json());
    assert!(policy.allowed_domains().eq(native_policy.allowed_domains()));
    assert!(policy.denied_domains().eq(native_policy.denied_domains()));
    assert_eq!(policy.allowed_domains().len(), 4);

    let transported = Policy::from_transport(&engine, &policy.to_json().unwrap()).unwrap();
    assert_eq!(transported.fingerprint(), policy.fingerprint());
    let listed = Policy::from_lists(
        &engine,
        &policy.allowed_domains().collect::<Vec<_>>(),
        &policy.denied_domains().collect::<Vec<_>>(),
    );
    assert_eq!(listed.unwrap().fingerprint(), policy.fingerprint());
}

#[test]
fn a_policy_that_does_not_decode_denies_everything() {
    let engine = engine();
    for text in ["", "null", "{}", r#"{"allowedDomains":["a.b"]}"#, r#"{"allowedDomains":["*"],"deniedDomains":[]}"#] {
        let policy = Policy::from_transport(&engine, text).unwrap();
        assert_eq!(policy.to_json().unwrap(), r#"{"allowedDomains":[],"deniedDomains":["*"]}"#);
        assert_eq!(policy.check("a.b", 443), policy_host::Action::Deny);
    }
}

#[test]
fn errors_say_what_the_core_says() {
    let engine = engine();
    for text in [
        "",
        "{\"network\":\n  {\"é\": 1,}}",
        "[]",
        r#"{"b":1,"a":2}"#,
        r#"{"network":{"allowedDomains":["a.b","*"]}}"#,
        r#"{"network":{"deniedDomains":[" a.b ","a.b","localhost"]}}"#,
    ] {
        let expected = core::Config::parse(text).unwrap_err();
        let Err(Error::Config(error)) = engine.parse_config(text) else { panic!("{text:?}") };
        assert_eq!(error.message, expected.to_string());
        match (&expected, error.position) {
            (core::ConfigError::Json(json), Some(position)) => {
                assert_eq!((json.offset, json.line, json.column), (position.offset, position.line, position.column));
                assert!(error.to_string().starts_with("invalid JSON at line "));
            }
            (core::ConfigError::Json(_), None) | (_, Some(_)) => panic!("{text:?}"),
            (_, None) => assert_eq!(error.to_string(), error.message),
        }
        assert_eq!(Policy::from_config(&engine, text).unwrap_err(), Error::Config(error));
    }

    let lists: [(&[&str], &[&str]); 3] =
        [(&["a.b", "bad"], &[]), (&["a.b"], &["c.d", "*", "*.x"]), (&["bad"], &["bad"])];
    for (allowed, denied) in lists {
        let expected = core::NetworkPolicy::from_lists(allowed.iter().copied(), denied.iter().copied()).unwrap_err();
        let Err(Error::Lists(error)) = Policy::from_lists(&engine, allowed, denied) else { panic!("{allowed:?}") };
        assert_eq!(error.message, expected.to_string());
        let core::InvalidLists::Pattern { list, index } = expected else { panic!("{expected:?}") };
        assert_eq!(error.entry.map(|(list, index)| (list.name(), index)), Some((list.name(), index)));
    }
    assert_eq!(engine.stats().failed, 0, "an error is an answer");
}

#[test]
fn a_configuration_comes_out_whole() {
    let config = engine().parse_config(CONFIG).unwrap();
    let expected = core::Config::parse(CONFIG).unwrap();
    assert_eq!(config.subagents.provider.name(), "pi-subagents");
    assert_eq!(config.subagents.external_worker_isolation.name(), "enforce");
    assert_eq!(config.filesystem.additional_allow_read, expected.filesystem.additional_allow_read);
    assert!(config.network.allowed_domains.iter().eq(expected.network.allowed_domains()));
    assert!(config.network.denied_domains.iter().eq(expected.network.denied_domains()));
    assert_eq!(config.host_ipc.mode.name(), "ask");
    assert_eq!(config.host_ipc.preflight_command_prefixes, expected.host_ipc.preflight_command_prefixes);
    assert!(config.host_ipc.retry_on_unix_socket_error);

    let defaults = engine().parse_config("{}").unwrap();
    assert_eq!(defaults.subagents.provider.name(), "builtin");
    assert_eq!(defaults.subagents.external_worker_isolation.name(), "off");
    assert_eq!(defaults.host_ipc.mode.name(), "off");
}

#[test]
fn names_and_addresses_are_judged_as_by_the_core() {
    let engine = engine();
    let long = long_hosts();
    for host in HOSTS.into_iter().chain(long.iter().map(String::as_str)) {
        let canonical = core::CanonicalHost::parse(host).ok().map(|host| host.to_string());
        assert_eq!(engine.canonicalize_host(host).unwrap(), canonical, "{host:?}");
        assert_eq!(engine.normalize_public_hostname(host).unwrap(), core::normalize_public_hostname(host), "{host:?}");
        assert_eq!(engine.is_public_address(host), core::is_public_address(host), "{host:?}");
    }
    assert!(!engine.check_addresses(&NONE));
    assert!(engine.check_addresses(&["140.82.112.3", "2606:4700::1"]));
    assert!(!engine.check_addresses(&["140.82.112.3".to_owned(), "10.0.0.1".to_owned()]));
    let spaced = format!("{}a.b{}", " ".repeat(1000), " ".repeat(1000));
    assert_eq!(engine.normalize_public_hostname(&spaced).unwrap().as_deref(), Some("a.b"));
}

#[test]
fn the_gate_for_host_ipc_answers_as_the_core() {
    let engine = engine();
    assert_eq!(engine.matching_preflight_prefix("git push", &["gi", "git"]).unwrap().as_deref(), Some("git"));
    assert_eq!(engine.matching_preflight_prefix("git push", &["push"]).unwrap(), None);
    assert_eq!(engine.matching_preflight_prefix("git", &NONE).unwrap(), None);
    assert_eq!(engine.matching_preflight_prefix(" ", &[""]).unwrap().as_deref(), Some(""));
    assert!(engine.is_unix_socket_permission_error("connect: Operation not permitted").unwrap());
    assert!(!engine.is_unix_socket_permission_error("connect: refused").unwrap());
}

#[test]
fn explanations_comparisons_and_diagnostics_are_the_cores() {
    let engine = engine();
    let native_policy = core::NetworkPolicy::from_config(CONFIG).unwrap();
    let policy = Policy::from_config(&engine, CONFIG).unwrap();
    for (host, port) in HOSTS.into_iter().flat_map(|host| [(host, 443), (host, 22)]) {
        let (native, explanation) = (native_policy.explain(host, port), policy.explain(host, port).unwrap());
        assert_eq!(explanation.decision, policy.decide(host, port));
        assert_eq!(explanation.summary, native.summary);
        assert_eq!((explanation.matches_omitted, explanation.misses_omitted), (0, 0));
        let steps =
            explanation.steps.iter().map(|step| (step.step.as_str(), step.host.as_str(), step.message.as_str()));
        assert!(steps.eq(native.steps.iter().map(|step| (step.step, step.host.as_str(), step.message))), "{host}");
        let matches = explanation.matches.iter().map(|one| (one.rule.index, one.rule.pattern.as_str(), one.decides));
        assert!(matches.eq(native.matches.iter().map(|one| (one.rule.index, one.rule.pattern, one.decides))));
        let misses = explanation.misses.iter().map(|miss| (miss.kind.as_str(), &miss.message, &miss.suggestion));
        assert!(misses.eq(native.misses.iter().map(|miss| (miss.kind, &miss.message, &miss.suggestion))));
    }

    for lists in [[&["a.b"][..], &[]], [&["*.github.com"], &["gist.github.com"]], [&["github.com"], &["*"]]] {
        let [allowed, denied] = lists;
        let other = Policy::from_lists(&engine, allowed, denied).unwrap();
        let native_other = core::NetworkPolicy::from_lists(allowed.iter().copied(), denied.iter().copied()).unwrap();
        let (native, comparison) = (core::compare(&native_policy, &native_other), policy.compare(&other).unwrap());
        assert_eq!(comparison.relation.name(), native.relation.name());
        for (ours, natives) in [(comparison.narrower, native.narrower), (comparison.wider, native.wider)] {
            let plain = |host: &str, port: u16, old: &str, new: &str| format!("{host}:{port} {old} {new}");
            let ours = ours.iter().map(|one| plain(&one.host, one.port, one.old.name(), one.new.name()));
            assert!(ours.eq(natives.iter().map(|one| plain(&one.host, one.port, one.old.name(), one.new.name()))));
        }
        assert_eq!(other.is_no_wider_than(&policy), native_other.is_no_wider_than(&native_policy));
        assert!(other.is_no_wider_than(&other));
    }

    for text in [
        CONFIG,
        "{",
        "{\"é\": 1, \"network\": {\"allowedDomain\": [\"https://a.b/c\"]}}",
        "{\"network\":{\"allowedDomains\":[\"a.b/\",\" A.b \"]}}",
    ] {
        let (native, validation) = (core::validate_config(text), engine.validate_config(text).unwrap());
        assert_eq!(validation.is_valid(), native.is_valid());
        assert_eq!(validation.error.map(|error| error.message), native.compat_error().map(ToString::to_string));
        assert_eq!(validation.omitted, native.omitted);
        assert_eq!(validation.diagnostics.len(), native.diagnostics.len());
        for (ours, native) in validation.diagnostics.into_iter().zip(native.diagnostics) {
            assert_eq!((ours.severity.name(), ours.code.as_str()), (native.severity.name(), native.code.name()));
            assert_eq!((ours.path, ours.message, ours.help), (native.path, native.message, native.help));
            assert_eq!((ours.start, ours.end, ours.line), (native.start, native.end, native.line));
            assert_eq!((ours.column, ours.column_utf16), (native.column, native.column_utf16));
            assert_eq!(
                ours.fix.map(|fix| (fix.start, fix.end, fix.text)),
                native.fix.map(|fix| (fix.start, fix.end, fix.text))
            );
        }
    }
    for (list, native_list, index) in [(List::Allowed, core::List::Allowed, 1), (List::Denied, core::List::Denied, 9)] {
        let place = engine.locate_entry(CONFIG, list, index).unwrap();
        let native = core::locate_entry(CONFIG, native_list, index);
        assert_eq!(
            place.map(|place| (place.start, place.end, place.line)),
            native.map(|place| (place.start, place.end, place.line))
        );
    }
    assert_eq!(engine.locate_entry(CONFIG, List::Allowed, usize::MAX).unwrap(), None);
    assert_eq!(engine.config_schema().unwrap(), core::config_schema());
    assert_eq!(engine.stats().failed, 0);
}
