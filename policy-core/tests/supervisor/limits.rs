//! SUPERVISOR-27: what a supervisor keeps is bounded, and a full one denies.

use policy_core::{MAX_FRAME_BYTES, SupervisorLimits, SupervisorOptions};

use crate::support::{DENY, Host, network, register, unregister};

fn host(limits: SupervisorLimits) -> Host {
    Host::new(SupervisorOptions { limits, ..SupervisorOptions::default() })
}

fn allowed(outputs: &[String]) -> bool {
    outputs.first().is_some_and(|output| output.contains(r#""action":"allow""#))
}

#[test]
fn connections_over_the_limit_are_denied_and_ended() {
    let mut host = host(SupervisorLimits { connections: 2, ..SupervisorLimits::default() });
    let first = host.supervisor.open();
    host.supervisor.open();
    assert!(host.outputs().is_empty());
    let third = host.supervisor.open();
    assert_eq!(host.outputs(), [format!("3< {DENY}"), "3| close".into()]);
    assert!(host.line(third, &register("a", "w")).is_empty());
    host.close(first);
    assert!(allowed(&host.alone(&register("a", "w"))), "a place is free again");
}

#[test]
fn the_sixteenth_refused_line_ends_its_connection() {
    let mut host = host(SupervisorLimits::default());
    let connection = host.supervisor.open();
    let outputs = host.bytes(connection, [b'\n'; 16_384]);
    assert_eq!(outputs.len(), 17);
    assert!(outputs[..16].iter().all(|output| *output == format!("1< {DENY}")));
    assert_eq!(outputs[16], "1| close");
    assert!(host.line(connection, &register("a", "w")).is_empty(), "nothing comes after the end");
    // Fifteen are no harm, and neither are those of another connection.
    let connection = host.supervisor.open();
    assert_eq!(host.bytes(connection, [b'\n'; 15]).len(), 15);
    let other = host.supervisor.open();
    assert_eq!(host.bytes(other, [b'\n'; 15]).len(), 15);
    assert!(allowed(&host.line(connection, &register("a", "w"))));
}

#[test]
fn exited_workers_keep_their_places() {
    let mut host = host(SupervisorLimits { workers: 2, ..SupervisorLimits::default() });
    assert!(allowed(&host.alone(&register("a", "w1"))));
    assert!(allowed(&host.alone(&unregister("b", "w1"))));
    assert!(allowed(&host.alone(&register("c", "w2"))));
    let before = host.state();
    let connection = host.supervisor.open();
    assert_eq!(host.line(connection, &register("d", "w3")), [format!("4< {DENY}")]);
    host.close(connection);
    assert_eq!(host.state().len(), before.len());
    assert_eq!(host.alone(&register("d", "w1")), [DENY], "the exited one is not forgotten");
    assert!(allowed(&host.alone(&network("d", "w2", "ok.example"))), "the id was not used up");
}

#[test]
fn without_room_for_ids_nothing_is_accepted_but_leaving() {
    let mut host = host(SupervisorLimits { request_ids: 6, ..SupervisorLimits::default() });
    assert!(allowed(&host.alone(&register("a", "w1"))));
    assert!(allowed(&host.alone(&register("b", "w2"))));
    assert!(allowed(&host.alone(&network("c", "w1", "ok.example"))));
    // Three used, two kept for unregistering, one left: too few for a worker that must be able to leave.
    assert_eq!(host.alone(&register("d", "w3")), [DENY]);
    assert!(allowed(&host.alone(&network("d", "w1", "ok.example"))));
    let workers = host.workers();
    assert_eq!(host.alone(&network("e", "w1", "ok.example")), [DENY]);
    assert_eq!(host.workers(), workers);
    for id in ["a", "b", "c", "d"] {
        assert_eq!(host.alone(&unregister(id, "w1")), [DENY], "{id} is not forgotten");
    }
    assert!(allowed(&host.alone(&unregister("e", "w1"))));
    assert_eq!(host.alone(&network("f", "w2", "ok.example")), [DENY], "its place is used up, not free");
    assert_eq!(host.alone(&unregister("e", "w2")), [DENY]);
    assert!(allowed(&host.alone(&unregister("f", "w2"))));
    assert_eq!(host.alone(&register("g", "w3")), [DENY]);
}

#[test]
fn a_worker_that_leaves_gives_back_nothing_but_the_place_kept_for_leaving() {
    let mut host = host(SupervisorLimits { request_ids: 4, ..SupervisorLimits::default() });
    for (register_id, unregister_id, worker) in [("a", "b", "w1"), ("c", "d", "w2")] {
        assert!(allowed(&host.alone(&register(register_id, worker))), "{worker}");
        assert!(allowed(&host.alone(&unregister(unregister_id, worker))), "{worker}");
    }
    assert_eq!(host.alone(&register("e", "w3")), [DENY]);
}

#[test]
fn asks_over_the_limit_are_denied_and_counted() {
    let limits = SupervisorLimits { pending_asks: 3, pending_asks_per_worker: 2, ..SupervisorLimits::default() };
    let mut host = host(limits);
    host.alone(&register("a", "w1"));
    host.alone(&register("b", "w2"));
    let asks = |outputs: &[String]| outputs[0].starts_with("ask ");
    assert!(asks(&host.alone(&network("1", "w1", "x.example"))));
    assert!(asks(&host.alone(&network("2", "w1", "x.example"))));
    assert_eq!(host.alone(&network("3", "w1", "x.example")), [r#"{"id":"3","action":"deny"}"#], "one worker's share");
    assert!(asks(&host.alone(&network("4", "w2", "x.example"))), "the other is not held up");
    assert_eq!(host.alone(&network("5", "w2", "x.example")), [r#"{"id":"5","action":"deny"}"#], "all together");
    assert_eq!(host.alone(&network("5", "w2", "x.example")), [DENY], "its id is used up");
    assert!(allowed(&host.alone(&network("6", "w2", "ok.example"))), "what the policy decides needs no place");
    assert!(host.workers()[0].ends_with(r#""requests":3}"#));
    host.answer(1, "deny");
    assert!(asks(&host.alone(&network("7", "w1", "x.example"))));
}

#[test]
fn every_way_an_ask_can_end_frees_its_place() {
    let limits = SupervisorLimits { pending_asks: 1, pending_asks_per_worker: 1, ..SupervisorLimits::default() };
    let mut host = host(limits);
    host.alone(&register("a", "w1"));
    for round in 0..50_u64 {
        let id = format!("n{round}");
        let connection = host.supervisor.open();
        let outputs = host.line(connection, &network(&id, "w1", "x.example"));
        assert!(outputs[0].starts_with("ask "), "{round}: {outputs:?}");
        match round % 4 {
            0 => assert!(allowed(&host.answer(round + 1, "allow"))),
            1 => drop(host.close(connection)),
            2 => {
                host.now += 30_000;
                assert_eq!(host.expire().len(), 2);
            }
            _ => assert_eq!(host.bytes(connection, [b'x'; MAX_FRAME_BYTES + 1]).len(), 4),
        }
        assert_eq!(host.supervisor.next_deadline(), None);
    }
}

/// Pages of memory in use, where the system tells.
fn resident_bytes() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// In a process of its own: what other tests take at the same time is not the supervisor's.
#[test]
fn memory_stays_within_what_the_limits_say() {
    let test = std::env::current_exe().unwrap();
    let run = std::process::Command::new(test)
        .args(["--ignored", "--exact", "limits::memory_of_a_supervisor_that_is_full"])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
#[ignore = "run by `memory_stays_within_what_the_limits_say`"]
fn memory_of_a_supervisor_that_is_full() {
    const MIB: u64 = 1 << 20;
    let limits = SupervisorLimits { connections: 64, workers: 16, request_ids: 2_000, ..SupervisorLimits::default() };
    let mut host = host(limits);
    let before = resident_bytes();

    // 64 connections that send 4 MiB each without a newline, again and again: at most 1 MiB is held at once.
    let chunk = [b'x'; 4096];
    for _ in 0..4 {
        let connections: Vec<_> = (0..80).map(|_| host.supervisor.open()).collect();
        host.outputs();
        for _ in 0..1024 {
            for connection in &connections {
                host.supervisor.receive(*connection, &chunk, 0);
                while host.supervisor.poll().is_some() {}
            }
        }
    }
    // Workers with the longest names and directories there are, more of them than fit.
    let connection = host.supervisor.open();
    let long = "\u{4E00}".repeat(125);
    for number in 100..200 {
        let line = register(&format!("{number}"), &format!("{number}{long}"));
        host.line(connection, &line.replace("/repo", &format!("/{}", "\u{4E00}".repeat(4095))));
    }
    assert_eq!(host.supervisor.workers().len(), 16);
    // More ids than fit, of the longest kind.
    host.close(connection);
    let connection = host.supervisor.open();
    let worker = format!("100{long}");
    let cwd = format!("/{}", "\u{4E00}".repeat(4095));
    let mut accepted = 0;
    for number in 10_000..13_000 {
        let line =
            network(&format!("{number}{}", "\u{4E00}".repeat(123)), &worker, "ok.example").replace("/repo", &cwd);
        accepted += usize::from(allowed(&host.line(connection, &line)));
    }
    // 16 registrations, and 16 places kept for leaving.
    assert_eq!(accepted, 2_000 - 16 - 16);

    if let (Some(before), Some(after)) = (before, resident_bytes()) {
        assert!(after < before + 24 * MIB, "{before} bytes grew to {after}");
    }
}

#[test]
fn a_flood_of_bad_lines_leaves_nothing_behind() {
    let [mut flooded, mut quiet] = [(); 2].map(|()| Host::with_workers(SupervisorOptions::default()));
    let connection = flooded.supervisor.open();
    let outputs = flooded.bytes(connection, vec![b'\n'; 100_000]);
    assert_eq!(outputs.len(), 17, "sixteen denials and the end");
    let connection = quiet.supervisor.open();
    quiet.close(connection);
    assert_eq!(flooded.state(), quiet.state());
}
