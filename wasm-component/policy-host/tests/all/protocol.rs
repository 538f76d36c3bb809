//! The two state machines through the component, beside those of the core.

use policy_core as core;
use policy_host::{
    Action, Answer, Capability, Error, Output, Policy, Supervisor, SupervisorOptions, Worker, WorkerStage,
};

use crate::{NONE, engine};

fn capability() -> Capability {
    Capability::new("ab".repeat(32))
}

#[test]
fn the_defaults_are_the_cores_and_every_one_can_be_chosen() {
    let engine = engine();
    let options = engine.supervisor_options().unwrap();
    let core::SupervisorOptions { recheck, ask_timeout_ms, limits } = core::SupervisorOptions::default();
    assert_eq!((options.recheck, options.ask_timeout_ms), (recheck, ask_timeout_ms));
    let numbers = |numbers: [u32; 5]| numbers.map(|number| usize::try_from(number).unwrap());
    let policy_host::SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker } =
        options.limits;
    assert_eq!(
        numbers([connections, workers, request_ids, pending_asks, pending_asks_per_worker]),
        [limits.connections, limits.workers, limits.request_ids, limits.pending_asks, limits.pending_asks_per_worker]
    );

    // Each in its own place: what is at the limit is denied.
    let policy = Policy::from_lists(&engine, &NONE, &NONE).unwrap();
    let with = |change: &dyn Fn(&mut SupervisorOptions)| {
        let mut options = options;
        change(&mut options);
        Supervisor::new(&engine, &policy, &capability(), options).unwrap()
    };
    let mut supervisor = with(&|options| options.limits.connections = 1);
    supervisor.open().unwrap();
    supervisor.open().unwrap();
    assert!(matches!(&supervisor.poll().unwrap()[..], [Output::Reply { .. }, Output::Close { .. }]));

    let conversation = |mut supervisor: Supervisor| {
        let connection = supervisor.open().unwrap();
        let mut seen = Vec::new();
        for (number, request) in [
            r#""type":"register","workerId":"a""#,
            r#""type":"register","workerId":"b""#,
            r#""type":"network","workerId":"a","hostname":"Ask.example","port":443"#,
            r#""type":"network","workerId":"a","hostname":"ask.example","port":444"#,
            r#""type":"network","workerId":"b","hostname":"ask.example","port":445"#,
        ]
        .into_iter()
        .enumerate()
        {
            let capability = capability();
            let secret = capability.reveal();
            let line = format!(r#"{{"version":1,"capability":"{secret}","id":"{number}","cwd":"/",{request}}}"#);
            supervisor.receive_line(connection, &line, 0).unwrap();
            for output in supervisor.poll().unwrap() {
                match output {
                    Output::Reply { line, .. } => seen.push(if line.contains("allow\"") { "allow" } else { "deny" }),
                    Output::Ask(ask) => seen.push(if ask.hostname == "ask.example" { "ask" } else { "ask as sent" }),
                    _ => {}
                }
            }
        }
        (seen, supervisor.next_deadline().unwrap())
    };
    assert_eq!(conversation(with(&|_| {})), (vec!["allow", "allow", "ask", "ask", "ask"], Some(30_000)));
    let (seen, deadline) = conversation(with(&|options| options.ask_timeout_ms = 5));
    assert_eq!((seen[2], deadline), ("ask", Some(5)));
    assert_eq!(conversation(with(&|options| options.ask_timeout_ms = u64::MAX)).1, None);
    assert_eq!(conversation(with(&|options| options.recheck = false)).0[2], "ask as sent");
    assert_eq!(conversation(with(&|options| options.limits.workers = 1)).0, ["allow", "deny", "ask", "ask", "deny"]);
    assert_eq!(
        conversation(with(&|options| options.limits.request_ids = 4)).0,
        ["allow", "allow", "deny", "deny", "deny"]
    );
    assert_eq!(
        conversation(with(&|options| options.limits.pending_asks = 2)).0,
        ["allow", "allow", "ask", "ask", "deny"]
    );
    assert_eq!(
        conversation(with(&|options| options.limits.pending_asks_per_worker = 1)).0,
        ["allow", "allow", "ask", "deny", "ask"]
    );
}

#[test]
fn what_cannot_be_made_is_refused_with_the_cores_words() {
    let engine = engine();
    let options = engine.supervisor_options().unwrap();
    let refused = |error: Error| if let Error::Refused(reason) = error { reason } else { panic!("{error}") };
    let policy = Policy::from_lists(&engine, &NONE, &NONE).unwrap();
    for wrong in ["", "ab", &"g".repeat(64)] {
        let wrong = Capability::new(wrong);
        let reason = refused(Supervisor::new(&engine, &policy, &wrong, options).unwrap_err());
        assert_eq!(reason, core::InvalidCapability.to_string());
        assert_eq!(refused(Worker::new(&engine, &wrong, "w", "/").unwrap_err()), reason);
    }
    let long: Vec<String> = (0..1000).map(|number| format!("host-{number}.example.com")).collect();
    let policy = Policy::from_lists(&engine, &long, &NONE).unwrap();
    let reason = refused(Supervisor::new(&engine, &policy, &capability(), options).unwrap_err());
    assert!(reason.starts_with("policy too large: "), "{reason}");
    assert_eq!(refused(Worker::new(&engine, &capability(), "", "/").unwrap_err()), core::InvalidWorker::Id.to_string());
    let mut worker = Worker::new(&engine, &capability(), "w", "/").unwrap();
    assert_eq!(
        refused(worker.network("1", "a.example", 443, 0).unwrap_err()),
        "no such request while the worker is new"
    );
    assert_eq!(engine.stats().failed, 0, "a refusal is an answer");
    assert!(!format!("{:?}", capability()).contains("abab"), "a secret is not printed");
}

#[test]
fn a_worker_decides_by_the_policy_of_its_stage() {
    let engine = engine();
    let policy = Policy::from_lists(&engine, &["ok.example:443"], &["no.example"]).unwrap();
    let mut supervisor =
        Supervisor::new(&engine, &policy, &capability(), engine.supervisor_options().unwrap()).unwrap();
    let mut worker = Worker::new(&engine, &capability(), "w", "/repo").unwrap();
    let connection = supervisor.open().unwrap();
    let deny_all = Policy::from_transport(&engine, "").unwrap();
    let mut answers = |worker: &mut Worker, exchange, line: &str, now| {
        supervisor.receive(connection, format!("{line}\n").as_bytes(), now).unwrap();
        for output in supervisor.poll().unwrap() {
            if let Output::Reply { line, .. } = output {
                // Byte by byte.
                for byte in format!("{line}\n").as_bytes() {
                    worker.receive(exchange, &[*byte], now).unwrap();
                }
            }
        }
        worker.poll().unwrap()
    };

    assert_eq!(worker.check("ok.example", 443), Action::Deny);
    assert_eq!(worker.fingerprint().unwrap(), deny_all.fingerprint());
    let request = worker.register("1", 0).unwrap();
    assert!(!format!("{request:?}").contains("abab"), "a line holds the secret");
    assert_eq!(worker.stage().unwrap(), WorkerStage::Registering);
    assert_eq!(worker.check("ok.example", 443), Action::Deny);
    assert_eq!(answers(&mut worker, request.exchange, &request.line, 0)[0].answer, Answer::Allow);
    assert_eq!(worker.stage().unwrap(), WorkerStage::Active);
    assert_eq!(worker.fingerprint().unwrap(), policy.fingerprint());
    for (host, port) in [("ok.example", 443), ("OK.example.", 444), ("no.example", 1), ("a b", 443), ("127.1", 80)] {
        assert_eq!(worker.decide(host, port), policy.decide(host, port), "{host}:{port}");
        assert_eq!(worker.check(host, port), policy.check(host, port), "{host}:{port}");
    }
    let request = worker.network("2", "ok.example", 443, 1).unwrap();
    assert_eq!(answers(&mut worker, request.exchange, &request.line, 1)[0].answer, Answer::Allow);
    let late = worker.network("3", "ok.example", 443, 2).unwrap();
    assert_eq!(worker.next_deadline().unwrap(), Some(30_002));
    worker.expire(30_002).unwrap();
    assert_eq!(worker.poll().unwrap()[0].answer, Answer::Deny);
    assert!(answers(&mut worker, late.exchange, &late.line, 30_003).is_empty(), "over is over");
    let request = worker.unregister("4", 30_004).unwrap();
    assert_eq!(worker.check("ok.example", 443), Action::Deny);
    assert_eq!(answers(&mut worker, request.exchange, &request.line, 30_005)[0].answer, Answer::Allow);
    assert_eq!(worker.stage().unwrap(), WorkerStage::Stopped);
    assert_eq!(worker.fingerprint().unwrap(), deny_all.fingerprint());
    let records = supervisor.workers().unwrap();
    assert_eq!((records[0].id.as_str(), records[0].requests, records[0].exited_at), ("w", 2, Some(30_005)));
}

#[test]
fn a_stream_of_any_length_is_handed_over_in_pieces() {
    let engine = engine();
    let policy = Policy::from_lists(&engine, &NONE, &NONE).unwrap();
    let mut supervisor =
        Supervisor::new(&engine, &policy, &capability(), engine.supervisor_options().unwrap()).unwrap();
    let connection = supervisor.open().unwrap();
    let line = " ".repeat(16_000) + "\n";
    supervisor.receive(connection, line.repeat(15).as_bytes(), 0).unwrap();
    assert_eq!(supervisor.poll().unwrap().len(), 15);
    supervisor.receive(connection, "a".repeat(64 << 20).as_bytes(), 0).unwrap();
    assert!(matches!(&supervisor.poll().unwrap()[..], [Output::Reply { .. }, Output::Close { .. }]));
}
