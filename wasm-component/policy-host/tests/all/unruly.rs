//! A component that misbehaves: what it does never opens anything, and never lasts.

use std::fs;
use std::time::{Duration, Instant};

use policy_host::{
    Action, Answer, Artifact, BuildError, Capability, Decision, Denial, Error, FailureKind, List, Policy, PolicyEngine,
    Supervisor, Worker,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const UNRULY: &str = include_str!("guests/unruly.wat");

/// The WIT package as one text.
fn wit() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/wit");
    let files = ["world", "config", "diagnostics", "network", "explain", "compare", "supervisor", "hosts", "host-ipc"];
    files.map(|file| fs::read_to_string(format!("{folder}/{file}.wit")).unwrap()).concat()
}

/// Makes a component of the world out of a core module.
fn component(wit: &str, module: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("policy.wit", wit).unwrap();
    let world = resolve.packages[package].worlds["policy"];
    let mut module = wat::parse_str(module).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false).unwrap();
    let mut encoder = ComponentEncoder::default();
    encoder.validate(true).module(&module).unwrap();
    encoder.encode().unwrap()
}

pub(crate) fn engine() -> PolicyEngine {
    PolicyEngine::builder(Artifact::component(component(&wit(), UNRULY)))
        .deadline(Duration::from_millis(100))
        .memory_limit(16 << 20)
        .build()
        .unwrap()
}

/// The port on which the guest does it, and what it is then.
const MISDEEDS: [(u16, FailureKind); 5] = [
    (1, FailureKind::Trap),
    (2, FailureKind::Deadline),
    (3, FailureKind::Memory),
    (4, FailureKind::Trap),
    (5, FailureKind::Trap),
];

#[test]
fn a_failed_decision_is_deny_and_the_next_one_works() {
    let engine = engine();
    let policy = Policy::from_transport(&engine, "{}").unwrap();
    let mut failed = 0;
    let text_outside = [(6, FailureKind::Trap)];
    for (port, kind) in MISDEEDS.into_iter().chain(text_outside) {
        assert_eq!(policy.decide("a.example", 443).host(), Some("a.example"));
        match policy.decide("a.example", port) {
            Decision::Deny { reason: Denial::Unavailable(failure), port: asked } => {
                assert_eq!((failure.kind(), asked), (kind, port), "{failure}");
            }
            other => panic!("port {port}: {other:?}"),
        }
        failed += 1;
        assert_eq!(engine.stats().failed, failed);
    }
    for (port, _) in MISDEEDS {
        assert_eq!(policy.check("a.example", 443), Action::Allow);
        assert_eq!(policy.check("a.example", port), Action::Deny, "port {port}");
        failed += 1;
        assert_eq!(engine.stats().failed, failed);
    }
    let stats = engine.stats();
    // Every failure but the last was followed by a question that loaded the policy again.
    assert_eq!((stats.reloaded, stats.idle), (failed - 1, 0), "{stats:?}");
}

#[test]
fn a_call_that_never_ends_ends_soon_after_the_deadline() {
    let engine = engine();
    let policy = Policy::from_transport(&engine, "{}").unwrap();
    let started = Instant::now();
    assert_eq!(policy.check("a.example", 2), Action::Deny);
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(100), "{took:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_batch_with_a_wrong_number_of_answers_is_denied() {
    let engine = engine();
    let policy = Policy::from_transport(&engine, "{}").unwrap();
    let decisions = policy.decide_many([("a.example", 443), ("b.example", 444)]);
    assert_eq!(decisions.iter().map(Decision::port).collect::<Vec<_>>(), [443, 444]);
    for decision in decisions {
        let Decision::Deny { reason: Denial::Unavailable(failure), .. } = decision else { panic!("{decision:?}") };
        assert_eq!(failure.kind(), FailureKind::Inconsistent);
    }
    assert_eq!(policy.check_many([("a.example", 443)]), [Action::Deny]);
    assert_eq!(policy.check("a.example", 443), Action::Allow);
}

#[test]
fn a_policy_that_changes_when_it_is_loaded_again_answers_no_more() {
    let engine = engine();
    // From an empty text the guest makes a policy whose fingerprint its lists do not have.
    let policy = Policy::from_transport(&engine, "").unwrap();
    assert_eq!(policy.fingerprint(), "B");
    assert_eq!(policy.check("a.example", 443), Action::Allow);
    assert_eq!(policy.check("a.example", 1), Action::Deny);
    for _ in 0..3 {
        let Decision::Deny { reason: Denial::Unavailable(failure), .. } = policy.decide("a.example", 443) else {
            panic!("another policy answers");
        };
        assert_eq!(failure.kind(), FailureKind::Inconsistent);
    }
}

#[test]
fn elsewhere_a_failure_is_an_error() {
    let engine = engine();
    let policy = Policy::from_transport(&engine, "{}").unwrap();
    let failed = |error: Error| if let Error::Failed(failure) = error { failure.kind() } else { panic!("{error}") };
    assert_eq!(failed(Policy::from_config(&engine, "{}").unwrap_err()), FailureKind::Trap);
    assert_eq!(failed(engine.parse_config("{}").unwrap_err()), FailureKind::Trap);
    assert_eq!(policy.to_json().unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(engine.canonicalize_host("a.b").unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(engine.normalize_public_hostname("a.b").unwrap_err().kind(), FailureKind::Deadline);
    assert_eq!(engine.matching_preflight_prefix("a", &["a"]).unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(engine.is_unix_socket_permission_error("a").unwrap_err().kind(), FailureKind::Trap);
    assert!(!engine.is_public_address("140.82.112.3"), "no answer is no");
    assert!(engine.check_addresses(&["140.82.112.3"]));
    assert_eq!(engine.stats().failed, 8);
    assert_eq!(engine.config_schema().unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(engine.validate_config("{}").unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(engine.locate_entry("{}", List::Allowed, 0).unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(policy.explain("a.example", 443).unwrap_err().kind(), FailureKind::Trap);
    assert_eq!(policy.compare(&policy).unwrap_err().kind(), FailureKind::Trap);
    assert!(!policy.is_no_wider_than(&policy), "no answer is no");
    assert_eq!(engine.stats().failed, 14);
    assert_eq!(policy.check("a.example", 443), Action::Allow);
}

#[test]
fn a_supervisor_that_failed_is_at_its_end() {
    let engine = engine();
    let policy = Policy::from_transport(&engine, "{}").unwrap();
    let options = engine.supervisor_options().unwrap();
    for (time, kind) in MISDEEDS.into_iter().filter(|(time, _)| *time != 4) {
        let mut supervisor = Supervisor::new(&engine, &policy, &Capability::new(""), options).unwrap();
        let connection = supervisor.open().unwrap();
        supervisor.expire(443).unwrap();
        let failed = engine.stats().failed;
        let failure = supervisor.expire(time.into()).unwrap_err();
        assert_eq!(failure.kind(), kind, "{failure}");
        // Nothing reaches the instance any more, and everything says why.
        assert_eq!(supervisor.open().unwrap_err(), failure);
        assert_eq!(supervisor.receive(connection, b"{}\n", 443).unwrap_err(), failure);
        assert_eq!(supervisor.receive_line(connection, "{}", 443).unwrap_err(), failure);
        assert_eq!(supervisor.answer(1.into(), Answer::Allow, 443).unwrap_err(), failure);
        assert_eq!(supervisor.close(connection).unwrap_err(), failure);
        assert_eq!(supervisor.expire(443).unwrap_err(), failure);
        assert_eq!(supervisor.next_deadline().unwrap_err(), failure);
        assert_eq!(supervisor.shutdown().unwrap_err(), failure);
        assert_eq!(supervisor.poll().unwrap_err(), failure);
        assert_eq!(supervisor.workers().unwrap_err(), failure);
        assert_eq!(engine.stats().failed, failed + 1, "one call failed; the others were not made");
    }
    assert_eq!(policy.check("a.example", 443), Action::Allow);
}

#[test]
fn a_worker_that_failed_denies_for_good() {
    let engine = engine();
    let mut worker = Worker::new(&engine, &Capability::new(""), "w", "/").unwrap();
    assert_eq!(worker.check("a.example", 443), Action::Allow);
    // What the policy does, the worker's decision does: deny, and the end.
    let Decision::Deny { reason: Denial::Unavailable(failure), port: 1 } = worker.decide("a.example", 1) else {
        panic!("it answered")
    };
    assert_eq!(failure.kind(), FailureKind::Trap);
    assert_eq!(worker.check("a.example", 443), Action::Deny);
    assert_eq!(
        worker.decide("a.example", 443),
        Decision::Deny { reason: Denial::Unavailable(failure.clone()), port: 443 }
    );
    assert_eq!(worker.stage().unwrap_err(), failure);
    assert_eq!(worker.fingerprint().unwrap_err(), failure);
    assert_eq!(worker.register("1", 0).unwrap_err(), Error::Failed(failure.clone()));
    assert_eq!(worker.network("1", "a.example", 443, 0).unwrap_err(), Error::Failed(failure.clone()));
    assert_eq!(worker.receive(1.into(), b"{}\n", 0).unwrap_err(), failure);
    assert_eq!(worker.poll().unwrap_err(), failure);
}

#[test]
fn a_component_of_another_world_is_refused() {
    let importing = wat::parse_str(r#"(component (import "outside" (func)))"#).unwrap();
    let empty = wat::parse_str("(component)").unwrap();
    // The same names, but `check` answers with a number.
    let wit = wit();
    let check = "check: func(host: string, port: u16) -> ";
    let changed = wit.replace(&format!("{check}action;"), &format!("{check}u32;"));
    assert_ne!(changed, wit);
    for bytes in [importing, empty, component(&changed, UNRULY)] {
        let error = PolicyEngine::builder(Artifact::component(bytes)).build().unwrap_err();
        assert!(matches!(error, BuildError::World { .. }), "{error}");
    }
}
