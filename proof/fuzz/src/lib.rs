//! What must hold for every input: the fuzz targets call these, one function each, and `policy-core/tests/corpus.rs`
//! replays the corpus through them. A function returns when all is well and panics when something does not hold.
//!
//! The numbers are those of the specification's page `properties`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    unreachable_pub,
    missing_docs,
    reason = "checks stop at the first surprise"
)]

mod diagnostics;
#[path = "../../../policy-core/tests/model/mod.rs"]
mod model;
#[path = "../../../policy-core/tests/supervisor/state.rs"]
mod state;
mod supervisor;
mod worker;

use core::str;

use model::Model;
use policy_core::{
    Action, CanonicalHost, Config, ConfigError, Decision, DomainPattern, List, NetworkPolicy, Profile, Relation,
    compare, is_public_address, normalize_public_hostname,
};
use serde_json::Value;

pub use diagnostics::diagnostics;
pub use supervisor::supervisor;
pub use worker::worker;

/// Every target by its name: the corpus has a file for each.
pub const TARGETS: [(&str, fn(&[u8])); 6] = [
    ("config", config),
    ("transport", transport),
    ("host", host),
    ("supervisor", supervisor),
    ("worker", worker),
    ("diagnostics", diagnostics),
];

/// The text of a configuration.
pub fn config(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let json = serde_json::from_str::<Value>(text);
    let config = match Config::parse(text) {
        Ok(config) => config,
        Err(ConfigError::Json(error)) => {
            assert!(json.is_err(), "another reader takes it");
            assert!(text.is_char_boundary(error.offset));
            let before = &text[..error.offset];
            assert_eq!(error.line, 1 + before.matches('\n').count());
            assert_eq!(error.column, 1 + before.rsplit('\n').next().unwrap_or_default().chars().count());
            return;
        }
        Err(error) => {
            assert!(json.is_ok(), "another reader refuses it");
            assert!(error.to_string().starts_with("invalid pi-sandbox configuration: "));
            assert!(NetworkPolicy::from_config(text).is_err());
            return;
        }
    };
    assert!(json.is_ok(), "another reader refuses it");
    assert_eq!(NetworkPolicy::from_config(text).as_ref(), Ok(&config.network));
    // PROPERTY-17
    let printed = serde_json::to_string(&config).unwrap();
    assert_eq!(Config::parse(&printed).as_ref(), Ok(&config));
    // PROPERTY-13
    assert_eq!(NetworkPolicy::from_transport(&config.network.to_json()), config.network);
    assert!(config.filesystem.additional_allow_read.iter().all(|path| path.starts_with('/')));
    policy(&config.network);
}

/// The text of a policy that somebody sends.
pub fn transport(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let received = NetworkPolicy::from_transport(text);
    // PROPERTY-12, by another reading of the same rules.
    let expected = serde_json::from_str(text).ok().and_then(|value| read_policy(&value));
    match &expected {
        Some(model) => {
            assert!(received.allowed_domains().eq(model.allowed.iter().map(String::as_str)));
            assert!(received.denied_domains().eq(model.denied.iter().map(String::as_str)));
        }
        None => assert_eq!(received, NetworkPolicy::deny_all()),
    }
    policy(&received);
}

/// TRANSPORT-1 to TRANSPORT-3
fn read_policy(value: &Value) -> Option<Model> {
    let object = value.as_object().filter(|object| object.len() == 2)?;
    let list = |list: List| -> Option<Vec<String>> {
        let texts = object.get(list.name())?.as_array()?.iter().map(|item| item.as_str().map(String::from));
        let texts: Vec<String> = texts.collect::<Option<_>>()?;
        texts.iter().all(|text| DomainPattern::parse(text, list, Profile::Transport).is_ok()).then_some(texts)
    };
    Some(Model { allowed: list(List::Allowed)?, denied: list(List::Denied)? })
}

/// What holds for one policy by itself.
fn policy(policy: &NetworkPolicy) {
    // PROPERTY-11
    let json = policy.to_json();
    let again = NetworkPolicy::from_transport(&json);
    assert_eq!((again.to_json(), again.fingerprint()), (json.clone(), policy.fingerprint()));
    assert_eq!(serde_json::to_string(policy).unwrap(), json);
    let lists = NetworkPolicy::from_lists(policy.allowed_domains(), policy.denied_domains()).unwrap();
    assert_eq!(lists, *policy);
    let model = model_of(policy);
    // Destinations near its own entries.
    let entries = policy.allowed_domains().chain(policy.denied_domains()).take(8);
    for near in entries.flat_map(|entry| [entry.to_owned(), entry.replace('*', "a"), entry.replacen("*.", "", 1)]) {
        let host = near.rsplit_once(':').map_or(near.as_str(), |(host, _)| host);
        for port in [0, 443] {
            destination(policy, &model, host, port);
        }
    }
}

fn model_of(policy: &NetworkPolicy) -> Model {
    Model {
        allowed: policy.allowed_domains().map(String::from).collect(),
        denied: policy.denied_domains().map(String::from).collect(),
    }
}

/// A port, a host, and entries with `+` (allowed) or `-` (denied) in front, a line each.
pub fn host(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let port = lines.next().and_then(|port| port.parse().ok()).unwrap_or(443);
    let host = lines.next().unwrap_or_default();
    let mut model = Model::default();
    for line in lines.take(16) {
        if let Some(text) = line.strip_prefix('+').filter(|text| entry(text, List::Allowed)) {
            model.allowed.push(text.into());
        } else if let Some(text) = line.strip_prefix('-').filter(|text| entry(text, List::Denied)) {
            model.denied.push(text.into());
        }
    }
    canonical(host);
    let policy = compile(&model);
    destination(&policy, &model, host, port);
    changed(&policy, &model, host, port);
}

/// Whether the transport level takes an entry.
fn entry(text: &str, list: List) -> bool {
    let parsed = DomainPattern::parse(text, list, Profile::Transport);
    if let Ok(pattern) = parsed {
        // PROPERTY-10
        assert_eq!(pattern.as_str(), text);
        assert_eq!(DomainPattern::parse(pattern.as_str(), list, Profile::Transport), parsed);
        assert!(pattern.port().is_none_or(|port| text.ends_with(&format!(":{port}"))));
    } else {
        // PROPERTY-13
        assert!(DomainPattern::parse(text, list, Profile::Config).is_err());
    }
    parsed.is_ok()
}

fn canonical(text: &str) {
    let public = normalize_public_hostname(text);
    let Ok(host) = CanonicalHost::parse(text) else {
        assert!(!is_public_address(text) || text.contains('['));
        return;
    };
    let name = host.as_str();
    // PROPERTY-9
    assert!(name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '-' | ':')), "{name:?}");
    assert!(text.len() <= 255);
    // PROPERTY-8
    if !name.is_empty() && !name.ends_with('.') {
        assert_eq!(CanonicalHost::parse(name), Ok(host));
    }
    match host.ip() {
        Some(ip) => {
            assert_eq!(name.parse(), Ok(ip));
            assert!(!matches!(ip, core::net::IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some()));
        }
        None => assert_eq!(name, text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase()),
    }
    if let Some(public) = public.filter(|_| host.ip().is_none()) {
        assert_eq!(public, name);
    }
}

fn compile(model: &Model) -> NetworkPolicy {
    NetworkPolicy::from_lists(model.allowed.iter().map(String::as_str), model.denied.iter().map(String::as_str))
        .unwrap()
}

/// What holds for one destination under one policy.
fn destination(policy: &NetworkPolicy, model: &Model, host: &str, port: u16) {
    let decision = policy.decide(host, port);
    let (action, rule) = (decision.action(), decision.rule());
    // PROPERTY-16
    let (name, entry, canonical) = model.decide(host, port);
    assert_eq!(action.name(), name);
    assert_eq!(rule.map(|rule| (rule.list.name(), rule.index)), entry);
    assert_eq!(decision.host().map(CanonicalHost::as_str), canonical.as_deref());
    assert_eq!(policy.check(host, port), action);
    // explain agrees with decide
    explained(policy, model, host, port);
    match decision {
        // PROPERTY-6
        Decision::Deny { .. } if canonical.is_none() => {
            assert_eq!(NetworkPolicy::deny_all().decide(host, port).host(), None);
        }
        // PROPERTY-14
        Decision::Review { host, .. } => {
            assert_eq!(normalize_public_hostname(host.as_str()).as_deref(), Some(host.as_str()));
            assert_eq!(CanonicalHost::parse(host.as_str()), Ok(host));
        }
        // PROPERTY-15
        Decision::Allow { rule, host, .. } => {
            assert!(host.ip().is_none() || !rule.pattern.starts_with("*."));
            assert!(model.allowed.contains(&rule.pattern.to_owned()));
        }
        Decision::Deny { .. } => {}
    }
}

/// The explanation has the same decision, every entry that matches, and only suggestions that would help.
fn explained(policy: &NetworkPolicy, model: &Model, host: &str, port: u16) {
    let explanation = policy.explain(host, port);
    assert_eq!(explanation.decision, policy.decide(host, port));
    let mut matching = Vec::new();
    if let Some(host) = explanation.decision.host() {
        for (list, entries) in [(List::Denied, &model.denied), (List::Allowed, &model.allowed)] {
            let fits =
                |entry: &str| model::matches(entry, list == List::Denied, host.as_str(), host.ip().is_some(), port);
            let found = entries.iter().enumerate().filter(|(_, entry)| fits(entry)).map(|(index, _)| (list, index));
            matching.extend(found);
        }
    }
    assert_eq!(explanation.matches.len() + explanation.matches_omitted, matching.len());
    for (found, (list, index)) in explanation.matches.iter().zip(matching) {
        assert_eq!((found.rule.list, found.rule.index), (list, index));
        assert_eq!(found.decides, explanation.decision.rule() == Some(found.rule));
    }
    for miss in explanation.misses {
        let Some(suggestion) = miss.suggestion else { continue };
        assert!(DomainPattern::parse(&suggestion, miss.rule.list, Profile::Config).is_ok(), "{suggestion}");
        assert!(policy_core::pattern_matches_destination(&suggestion, host, port), "{suggestion}");
    }
}

/// What holds when a policy is changed a little.
fn changed(policy: &NetworkPolicy, model: &Model, host: &str, port: u16) {
    let action = policy.check(host, port);
    // PROPERTY-5
    assert_ne!(compile(&Model { allowed: vec![], denied: model.denied.clone() }).check(host, port), Action::Allow);
    // PROPERTY-2
    let reversed = |list: &[String]| list.iter().rev().chain(list).cloned().collect();
    let shuffled = compile(&Model { allowed: reversed(&model.allowed), denied: reversed(&model.denied) });
    assert_eq!(shuffled.check(host, port), action);
    assert_eq!(compare(policy, &shuffled).relation, Relation::Equal);
    // PROPERTY-3, PROPERTY-4
    let mut stricter =
        vec![Model { allowed: model.allowed.clone(), denied: [&model.denied[..], &["*".into()]].concat() }];
    if let Some((_, allowed)) = model.allowed.split_first() {
        stricter.push(Model { allowed: allowed.to_vec(), denied: model.denied.clone() });
    }
    if let Some((_, denied)) = model.denied.split_first() {
        let wider = compile(&Model { allowed: model.allowed.clone(), denied: denied.to_vec() });
        assert!(wider.check(host, port) >= action);
        compared(&wider, policy);
    }
    for stricter in stricter {
        let stricter = compile(&stricter);
        assert!(stricter.check(host, port) <= action);
        compared(policy, &stricter);
    }
}

/// `compare` finds that `new` gives no more than `old`, and its witnesses are real.
fn compared(old: &NetworkPolicy, new: &NetworkPolicy) {
    let comparison = compare(old, new);
    assert!(matches!(comparison.relation, Relation::Equal | Relation::Narrower), "{:?}", comparison.relation);
    assert!(comparison.wider.is_empty() && new.is_no_wider_than(old));
    assert_eq!(comparison.narrower.is_empty(), comparison.relation == Relation::Equal);
    for witness in comparison.narrower {
        assert_eq!(old.check(&witness.host, witness.port), witness.old);
        assert_eq!(new.check(&witness.host, witness.port), witness.new);
        assert!(witness.new < witness.old && witness.port > 0);
    }
}
