//! Deadline and memory limit, reached with real inputs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use policy_host::{Action, Builder, Denial, Error, FailureKind, Policy, PolicyEngine};

use crate::{NONE, bundled};

fn builder() -> Builder {
    PolicyEngine::builder(bundled())
}

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("host-{number}.example.com")).collect()
}

fn kind(error: &Error) -> Option<FailureKind> {
    if let Error::Failed(failure) = error { Some(failure.kind()) } else { None }
}

#[test]
fn a_policy_that_takes_too_long_to_read_is_no_policy() {
    let engine = builder().load_deadline(Duration::from_millis(20)).build().unwrap();
    let started = Instant::now();
    let error = Policy::from_lists(&engine, &many(400_000), &NONE).unwrap_err();
    assert_eq!(kind(&error), Some(FailureKind::Deadline), "{error}");
    assert!(started.elapsed() < Duration::from_secs(30));
    // On a busy machine a small policy may take that long, too, but not every time.
    let small = || Policy::from_lists(&engine, &["a.example"], &NONE).ok();
    let policy = (0..100).find_map(|_| small()).unwrap();
    assert_eq!(policy.check("a.example", 443), Action::Allow);
}

#[test]
fn a_policy_that_needs_too_much_memory_is_no_policy() {
    let engine = builder().memory_limit(4 << 20).build().unwrap();
    let error = Policy::from_lists(&engine, &many(100_000), &NONE).unwrap_err();
    assert_eq!(kind(&error), Some(FailureKind::Memory), "{error}");
    assert!(error.to_string().starts_with("the policy engine ran out of memory: "), "{error}");
    let long = format!("{{\"network\":{{\"allowedDomains\":[\"{}\"]}}}}", "a".repeat(8 << 20));
    assert_eq!(kind(&Policy::from_config(&engine, &long).unwrap_err()), Some(FailureKind::Memory));
    assert_eq!(kind(&engine.parse_config(&long).unwrap_err()), Some(FailureKind::Memory));
    assert_eq!(Policy::from_transport(&engine, &long).unwrap_err().kind(), FailureKind::Memory);
    assert!(!engine.is_public_address(&long), "no answer is no");
    assert!(!engine.check_addresses(&[&long]));
    assert_eq!(engine.normalize_public_hostname(&long).unwrap_err().kind(), FailureKind::Memory);
    assert_eq!(engine.stats().failed, 7);

    let policy = Policy::from_lists(&engine, &many(1000), &NONE).unwrap();
    assert_eq!(policy.check("host-999.example.com", 443), Action::Allow);
}

/// The least memory, in pages, in which a policy of `entries` can be read and asked once.
fn just_enough(entries: &[String]) -> usize {
    let works = |pages: usize| {
        let Ok(engine) = builder().memory_limit(pages << 16).build() else { return false };
        let policy = Policy::from_lists(&engine, entries, &NONE);
        policy.is_ok_and(|policy| policy.check("host-7.example.com", 443) == Action::Allow)
    };
    let (mut too_few, mut enough) = (0, 1024);
    assert!(works(enough));
    while enough - too_few > 1 {
        let pages = usize::midpoint(too_few, enough);
        if works(pages) { enough = pages } else { too_few = pages }
    }
    enough << 16
}

#[test]
fn a_decision_without_memory_is_deny_and_the_next_one_works() {
    let entries = many(8);
    let told = Arc::new(Mutex::new(Vec::new()));
    let engine = builder()
        .memory_limit(just_enough(&entries))
        .on_failure({
            let told = Arc::clone(&told);
            move |failure| told.lock().unwrap().push(failure.kind())
        })
        .build()
        .unwrap();
    let policy = Policy::from_lists(&engine, &entries, &NONE).unwrap();
    // A batch of the longest hosts takes half a megabyte.
    let long = format!("{}.example.com", "a.".repeat(121));
    let batch = || (0..8192).map(|_| (long.as_str(), 443));
    let decisions = policy.decide_many(batch());
    assert_eq!(decisions.len(), 8192);
    let denied = decisions.iter().filter(|decision| decision.reason() == "unavailable").count();
    assert!(denied > 0, "the limit was not reached");
    for decision in &decisions {
        match decision {
            policy_host::Decision::Deny { reason: Denial::Unavailable(failure), port: 443 } => {
                assert_eq!(failure.kind(), FailureKind::Memory);
            }
            other => assert_eq!(other.action(), Action::Review),
        }
    }
    assert!(told.lock().unwrap().iter().all(|&kind| kind == FailureKind::Memory));
    let failed = engine.stats().failed;
    assert!(failed > 0 && failed == u64::try_from(told.lock().unwrap().len()).unwrap());

    // The policy is loaded again, and all is as before.
    assert_eq!(policy.check("host-6.example.com", 443), Action::Allow);
    assert_eq!(policy.decide("host-7.example.com", 443).rule().unwrap().index, 7);
    assert!(engine.stats().reloaded > 0);
    assert_eq!(engine.stats().failed, failed);
}

#[test]
fn long_texts_leave_nothing_behind() {
    let engine = builder().build().unwrap();
    let policy = Policy::from_lists(&engine, &NONE, &NONE).unwrap();
    let long = "a".repeat(100 << 20);
    assert_eq!(policy.decide(&long, 443).reason(), "malformed-host");
    assert_eq!(policy.decide_many([(long.as_str(), 443)]).first().unwrap().reason(), "malformed-host");
    assert_eq!(engine.canonicalize_host(&long).unwrap(), None);
    // This one has to be read whole; its instance is not kept.
    let idle = engine.stats().idle;
    assert_eq!(engine.normalize_public_hostname(long.get(..10 << 20).unwrap()).unwrap(), None);
    assert_eq!(engine.stats().idle, idle.saturating_sub(1));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let text = |builder: Builder| builder.build().unwrap_err().to_string();
    assert_eq!(text(builder().deadline(Duration::ZERO)), "the setting deadline needs at least a millisecond");
    assert_eq!(text(builder().load_deadline(Duration::ZERO)), "the setting load_deadline needs at least a millisecond");
    assert_eq!(text(builder().instances_per_policy(0)), "the setting instances_per_policy needs at least one");
    let small = text(builder().memory_limit(1 << 16));
    assert!(
        small.starts_with("the component does not run with these settings: the policy engine ran out of memory"),
        "{small}"
    );
    builder().deadline(Duration::MAX).load_deadline(Duration::MAX).idle_instances(0).build().unwrap();
}

#[test]
fn the_one_who_is_told_may_ask_again() {
    let again: Arc<Mutex<Option<Policy>>> = Arc::default();
    let answers = Arc::new(AtomicUsize::new(0));
    let engine = builder()
        .memory_limit(4 << 20)
        .instances_per_policy(1)
        .on_failure({
            let (again, answers) = (Arc::clone(&again), Arc::clone(&answers));
            move |_| {
                let policy = again.lock().unwrap().clone();
                if policy.is_some_and(|policy| policy.check("a.example", 443) == Action::Allow) {
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            }
        })
        .build()
        .unwrap();
    let policy = Policy::from_lists(&engine, &["a.example"], &NONE).unwrap();
    *again.lock().unwrap() = Some(policy.clone());
    engine.normalize_public_hostname(&"a".repeat(8 << 20)).unwrap_err();
    assert_eq!(answers.load(Ordering::Relaxed), 1);
}
