//! Instances are shared, reused and given back.

use std::thread;

use policy_host::{Action, Decision, Policy, PolicyEngine};

use crate::{NONE, bundled};

#[test]
fn everything_crosses_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<PolicyEngine>();
    crosses::<Policy>();
    crosses::<Decision>();
    crosses::<policy_host::Error>();
    crosses::<policy_host::BuildError>();
}

#[test]
fn one_thread_needs_one_instance() {
    let engine = crate::engine();
    for _ in 0..100 {
        assert!(engine.is_public_address("140.82.112.3"));
        let policy = Policy::from_lists(&engine, &["a.example"], &["b.example"]).unwrap();
        for _ in 0..10 {
            assert_eq!(policy.check("a.example", 443), Action::Allow);
        }
    }
    let stats = engine.stats();
    assert_eq!((stats.started, stats.failed, stats.reloaded, stats.idle), (1, 0, 0, 1), "{stats:?}");
    assert_eq!(stats.reused, 200);
}

#[test]
fn a_policy_keeps_its_engine_alive() {
    let policy = Policy::from_lists(&crate::engine(), &["a.example"], &NONE).unwrap();
    assert_eq!(policy.clone().check("a.example", 443), Action::Allow);
    drop(policy);
}

#[test]
fn no_more_is_kept_than_asked_for() {
    let engine = PolicyEngine::builder(bundled()).idle_instances(2).build().unwrap();
    let policies: Vec<_> = (0..5).map(|_| Policy::from_lists(&engine, &["a.example"], &NONE).unwrap()).collect();
    assert_eq!((engine.stats().started, engine.stats().idle), (5, 0));
    drop(policies);
    assert_eq!(engine.stats().idle, 2);
}

#[test]
fn a_large_policy_does_not_stay_in_memory() {
    let engine = crate::engine();
    let many: Vec<String> = (0..200_000).map(|number| format!("host-{number}.example.com")).collect();
    let policy = Policy::from_lists(&engine, &many, &NONE).unwrap();
    assert_eq!(policy.check("host-199999.example.com", 443), Action::Allow);
    assert_eq!(policy.allowed_domains().last(), Some("host-199999.example.com"));
    drop(policy);
    assert_eq!(engine.stats().idle, 0);
}

#[test]
fn threads_that_hammer_get_right_answers() {
    // Room to keep every instance, so that how threads are scheduled cannot change how many are started.
    let engine = PolicyEngine::builder(bundled()).instances_per_policy(3).idle_instances(100).build().unwrap();
    let shared = Policy::from_lists(&engine, &["*.shared.example:443"], &["bad.shared.example"]).unwrap();
    thread::scope(|scope| {
        for thread in 0..8 {
            let (engine, shared) = (&engine, shared.clone());
            scope.spawn(move || {
                let name = format!("only-{thread}.example");
                for round in 0..300_u16 {
                    let own = Policy::from_lists(engine, &[&name], &NONE).unwrap();
                    assert_eq!(own.check(&name, round), Action::Allow);
                    assert_eq!(shared.check(&name, round), Action::Review);
                    assert_eq!(shared.check("a.shared.example", 443), Action::Allow);
                    assert_eq!(shared.check("a.shared.example", 80), Action::Review);
                    let decision = shared.decide("bad.shared.example", round);
                    assert_eq!((decision.action(), decision.port()), (Action::Deny, round));
                    assert_eq!(decision.rule().map(|rule| rule.index), Some(0));
                    assert_eq!(engine.canonicalize_host(&name.to_uppercase()).unwrap().as_deref(), Some(name.as_str()));
                }
            });
        }
    });
    let stats = engine.stats();
    assert_eq!(stats.failed, 0, "{stats:?}");
    assert!(stats.reloaded <= 2, "one policy, three places: {stats:?}");
    // Each thread has its own policy and one call on an idle instance at a time, beside the shared policy's three.
    assert!(stats.started <= 8 * 2 + 3, "{stats:?}");
    assert!(stats.reused >= 2 * 8 * 300 - stats.started, "{stats:?}");
}
