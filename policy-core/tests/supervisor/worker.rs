//! The worker's side: SUPERVISOR-21 to SUPERVISOR-23, and both sides together.

use policy_core::{
    Action, Answer, Capability, ExchangeId, InvalidWorker, MAX_FRAME_BYTES, NetworkPolicy, Outcome, Output,
    RequestRefused, Supervisor, SupervisorOptions, Worker, WorkerStage, WorkerState,
};
use proptest::prelude::*;

use crate::support::{CAPABILITY, DENY, NETWORK, capability, policy};

fn worker() -> Worker {
    Worker::new(capability(), "w", "/repo").unwrap()
}

fn active() -> Worker {
    let mut worker = worker();
    let request = worker.register("r", 0).unwrap();
    worker.receive(request.exchange, format!("{}\n", allow("r", NETWORK)).as_bytes(), 0);
    assert_eq!(worker.poll(), Some(Outcome { exchange: request.exchange, answer: Answer::Allow }));
    assert_eq!((worker.stage(), worker.policy()), (WorkerStage::Active, &policy()));
    worker
}

fn allow(id: &str, network: &str) -> String {
    format!(r#"{{"id":"{id}","action":"allow","network":{network}}}"#)
}

/// What the exchange comes to when the stream brings `chunks` and then ends.
fn outcome<'c>(worker: &mut Worker, exchange: ExchangeId, chunks: impl IntoIterator<Item = &'c [u8]>) -> Answer {
    chunks.into_iter().for_each(|chunk| worker.receive(exchange, chunk, 1));
    worker.end(exchange);
    let outcome = worker.poll().unwrap();
    assert_eq!((outcome.exchange, worker.poll()), (exchange, None), "one outcome");
    outcome.answer
}

#[test]
fn supervisor_21_the_three_requests() {
    let mut worker = worker();
    let line = |worker: &str, kind: &str, rest: &str| {
        format!(
            r#"{{"version":1,"capability":"{CAPABILITY}","id":"{worker}","type":"{kind}","workerId":"w","cwd":"/repo"{rest}}}"#
        )
    };
    assert_eq!(worker.register("r", 0).unwrap().line, line("r", "register", ""));
    let mut worker = active();
    assert_eq!(
        worker.network("n", "é\"x", 443, 0).unwrap().line,
        line("n", "network", r#","hostname":"é\"x","port":443"#)
    );
    assert_eq!(worker.unregister("u", 0).unwrap().line, line("u", "unregister", ""));
}

#[test]
fn supervisor_21_what_a_supervisor_would_refuse_is_not_built() {
    let invalid = |id: &str, cwd: &str| Worker::new(capability(), id, cwd).unwrap_err();
    assert_eq!(invalid("", "/"), InvalidWorker::Id);
    assert_eq!(invalid(&"x".repeat(129), "/"), InvalidWorker::Id);
    assert_eq!(invalid("w", "work"), InvalidWorker::Cwd);
    assert_eq!(invalid("w", &format!("/{}", "x".repeat(4096))), InvalidWorker::Cwd);

    let mut worker = active();
    let before = format!("{worker:?}");
    for (id, hostname, port, refusal) in [
        ("", "a.example", 1, RequestRefused::Id),
        (&*"x".repeat(129), "a.example", 1, RequestRefused::Id),
        ("n", "a.example", 0, RequestRefused::Destination),
        ("n", &*"h".repeat(254), 1, RequestRefused::Destination),
    ] {
        assert_eq!(worker.network(id, hostname, port, 0).unwrap_err(), refusal);
    }
    assert_eq!(worker.unregister("", 0).unwrap_err(), RequestRefused::Id);
    assert_eq!(format!("{worker:?}"), before, "a refused request changes nothing");

    let mut worker = Worker::new(capability(), "w", &format!("/{}", "\u{1}".repeat(4095))).unwrap();
    assert_eq!(worker.register("r", 0).unwrap_err(), RequestRefused::TooLong);
    assert_eq!(worker.stage(), WorkerStage::New);
}

#[test]
fn supervisor_21_each_stage_has_its_requests() {
    let refused = |worker: &mut Worker, may_register: bool, may_ask: bool| {
        let stage = worker.stage();
        let before = format!("{worker:?}");
        if !may_register {
            assert_eq!(worker.register("x", 0).unwrap_err(), RequestRefused::Stage(stage));
        }
        if !may_ask {
            assert_eq!(worker.network("x", "a.example", 1, 0).unwrap_err(), RequestRefused::Stage(stage));
            assert_eq!(worker.unregister("x", 0).unwrap_err(), RequestRefused::Stage(stage));
            assert_eq!(worker.policy(), &NetworkPolicy::deny_all(), "{stage:?}");
        }
        assert_eq!(format!("{worker:?}"), before, "{stage:?}");
    };
    let mut worker = worker();
    refused(&mut worker, true, false);
    let request = worker.register("r", 0).unwrap();
    refused(&mut worker, false, false);
    worker.receive(request.exchange, (allow("r", NETWORK) + "\n").as_bytes(), 0);
    worker.poll();
    refused(&mut worker, false, true);
    let request = worker.unregister("u", 0).unwrap();
    assert_eq!(worker.stage(), WorkerStage::Leaving);
    refused(&mut worker, false, false);
    worker.receive(request.exchange, b"{\"id\":\"u\",\"action\":\"allow\"}\n", 0);
    assert_eq!(worker.poll().unwrap().answer, Answer::Allow);
    assert_eq!(worker.stage(), WorkerStage::Stopped);
    refused(&mut worker, false, false);
}

#[test]
fn supervisor_22_a_reply_however_it_is_cut() {
    let good = "{\"id\":\"n\",\"action\":\"allow\"}";
    let padded = |bytes: usize| good.replace('}', &format!(",\"p\":\"{}\"}}\n", "p".repeat(bytes - good.len() - 7)));
    let full = padded(MAX_FRAME_BYTES);
    assert_eq!(full.len(), MAX_FRAME_BYTES + 1, "with the newline");
    let cases = [
        (format!("{good}\n"), Answer::Allow),
        (format!(" {good} \r\n"), Answer::Allow),
        (full, Answer::Allow),
        (padded(MAX_FRAME_BYTES + 1), Answer::Deny),
        ("x".repeat(MAX_FRAME_BYTES * 2), Answer::Deny),
        // Cut off before its end.
        (good.to_string(), Answer::Deny),
        (String::new(), Answer::Deny),
        ("\n".into(), Answer::Deny),
        (format!("\n{good}\n"), Answer::Deny),
        (format!("{DENY}\n"), Answer::Deny),
        ("{\"id\":\"n\",\"action\":\"deny\"}\n".into(), Answer::Deny),
        // The first line is the reply.
        (format!("{good}\n{DENY}\n"), Answer::Allow),
        (format!("{DENY}\n{good}\n"), Answer::Deny),
        // Somebody else's.
        (format!("{}\n", good.replace("\"n\"", "\"r\"")), Answer::Deny),
        (format!("{}\n", good.replace("\"id\":\"n\",", "")), Answer::Deny),
        ("not JSON\n".into(), Answer::Deny),
        (format!("{}\n", good.replace("allow", "Allow")), Answer::Deny),
        (format!("[{good}]\n"), Answer::Deny),
    ];
    for (text, expected) in cases {
        for chunk in [1, 2, 7, 16_384, 1 << 20] {
            let mut worker = active();
            let exchange = worker.network("n", "ask.example", 443, 0).unwrap().exchange;
            let shown: String = text.chars().take(60).collect();
            assert_eq!(outcome(&mut worker, exchange, text.as_bytes().chunks(chunk)), expected, "{shown} by {chunk}");
            assert_eq!(worker.stage(), WorkerStage::Active);
            worker.receive(exchange, b"{\"id\":\"n\",\"action\":\"allow\"}\n", 1);
            assert_eq!(worker.poll(), None, "the exchange is over");
        }
    }
}

#[test]
fn supervisor_22_a_reply_too_long_is_denied_at_once() {
    let mut worker = active();
    let exchange = worker.network("n", "ask.example", 443, 0).unwrap().exchange;
    worker.receive(exchange, &[b' '; MAX_FRAME_BYTES], 1);
    assert_eq!(worker.poll(), None);
    worker.receive(exchange, b" ", 1);
    assert_eq!(worker.poll(), Some(Outcome { exchange, answer: Answer::Deny }));
}

#[test]
fn supervisor_22_thirty_seconds() {
    let reply = b"{\"id\":\"n\",\"action\":\"allow\"}\n";
    for (late, expected) in [(29_999, Answer::Allow), (30_000, Answer::Deny)] {
        let mut worker = active();
        let exchange = worker.network("n", "ask.example", 443, 500).unwrap().exchange;
        assert_eq!(worker.next_deadline(), Some(30_500));
        worker.receive(exchange, &reply[..5], 600);
        worker.receive(exchange, &reply[5..], 500 + late);
        assert_eq!(worker.poll(), Some(Outcome { exchange, answer: expected }), "{late}");
        assert_eq!(worker.next_deadline(), None);
    }
    let mut worker = active();
    let first = worker.network("n", "ask.example", 443, 0).unwrap().exchange;
    let second = worker.network("m", "ask.example", 443, 10).unwrap().exchange;
    worker.expire(29_999);
    assert_eq!(worker.poll(), None);
    worker.expire(30_000);
    assert_eq!(worker.poll(), Some(Outcome { exchange: first, answer: Answer::Deny }));
    assert_eq!((worker.poll(), worker.next_deadline()), (None, Some(30_010)));
    worker.receive(first, reply, 30_001);
    assert_eq!(worker.poll(), None);
    worker.receive(second, b"{\"id\":\"m\",\"action\":\"allow\"}\n", 30_001);
    assert_eq!(worker.poll(), Some(Outcome { exchange: second, answer: Answer::Allow }));
}

#[test]
fn supervisor_23_a_registration_whose_network_is_no_policy_denies_everything() {
    for network in [
        "null",
        "{}",
        "[]",
        "\"{}\"",
        r#"{"allowedDomains":["ok.example"]}"#,
        r#"{"allowedDomains":["ok.example"],"deniedDomains":[],"extra":[]}"#,
        r#"{"allowedDomains":["ok.example"],"deniedDomains":["bad"]}"#,
        r#"{"allowedDomains":["ok.example"],"deniedDomains":null}"#,
        r#"{"allowedDomains":["*"],"deniedDomains":[]}"#,
    ] {
        let mut worker = worker();
        let exchange = worker.register("r", 0).unwrap().exchange;
        let reply = allow("r", network) + "\n";
        assert_eq!(outcome(&mut worker, exchange, [reply.as_bytes()]), Answer::Allow, "{network}");
        assert_eq!((worker.stage(), worker.policy()), (WorkerStage::Active, &NetworkPolicy::deny_all()), "{network}");
    }
    let mut worker = worker();
    let exchange = worker.register("r", 0).unwrap().exchange;
    assert_eq!(outcome(&mut worker, exchange, [b"{\"id\":\"r\",\"action\":\"allow\"}\n".as_slice()]), Answer::Allow);
    assert_eq!(worker.policy(), &NetworkPolicy::deny_all());
}

#[test]
fn supervisor_23_a_denied_registration_stops_the_worker() {
    let over = allow("r", NETWORK) + &" ".repeat(MAX_FRAME_BYTES) + "\n";
    let cut = allow("r", NETWORK);
    for reply in [&format!("{DENY}\n"), "", "x\n", &over, &cut, &(allow("other", NETWORK) + "\n")] {
        let mut worker = worker();
        let exchange = worker.register("r", 0).unwrap().exchange;
        assert_eq!(outcome(&mut worker, exchange, [reply.as_bytes()]), Answer::Deny);
        assert_eq!((worker.stage(), worker.policy()), (WorkerStage::Stopped, &NetworkPolicy::deny_all()));
    }
    let mut worker = worker();
    worker.register("r", 0).unwrap();
    worker.expire(30_000);
    assert_eq!(worker.stage(), WorkerStage::Stopped);
}

#[test]
fn leaving_denies_what_waits_and_ends_in_stopped_whatever_the_reply() {
    for reply in ["{\"id\":\"u\",\"action\":\"allow\"}\n", "{\"action\":\"deny\"}\n", ""] {
        let mut worker = active();
        let waiting = worker.network("n", "ask.example", 443, 0).unwrap().exchange;
        let exchange = worker.unregister("u", 0).unwrap().exchange;
        assert_eq!(worker.poll(), Some(Outcome { exchange: waiting, answer: Answer::Deny }));
        worker.receive(waiting, b"{\"id\":\"n\",\"action\":\"allow\"}\n", 0);
        assert_eq!(worker.poll(), None);
        outcome(&mut worker, exchange, [reply.as_bytes()]);
        assert_eq!(worker.stage(), WorkerStage::Stopped);
    }
}

#[test]
fn exchanges_are_bounded_and_leaving_needs_no_room() {
    let mut worker = active();
    let made = (0..).take_while(|number| worker.network(&format!("n{number}"), "a.example", 1, 0).is_ok()).count();
    assert_eq!(made, 4_096);
    assert_eq!(worker.network("x", "a.example", 1, 0).unwrap_err(), RequestRefused::TooManyPending);
    assert!(worker.unregister("u", 0).is_ok());
    assert_eq!(std::iter::from_fn(|| worker.poll()).count(), 4_096);
}

#[test]
fn refusals_are_told_in_words() {
    assert_eq!(Capability::parse("").unwrap_err().to_string(), "a capability has 64 hex digits");
    assert_eq!(InvalidWorker::Id.to_string(), "a `workerId` has 1 to 128 UTF-16 units");
    assert_eq!(InvalidWorker::Cwd.to_string(), "a `cwd` starts with `/` and has at most 4096 UTF-16 units");
    for (refusal, words) in [
        (RequestRefused::Stage(WorkerStage::New), "no such request while the worker is new"),
        (RequestRefused::Stage(WorkerStage::Stopped), "no such request while the worker is stopped"),
        (RequestRefused::Id, "a request id has 1 to 128 UTF-16 units"),
        (RequestRefused::Destination, "a hostname has at most 253 UTF-16 units and a port is 1 to 65535"),
        (RequestRefused::TooLong, "the request takes more than 16384 bytes"),
        (RequestRefused::TooManyPending, "4096 requests wait for their replies"),
    ] {
        assert_eq!(refusal.to_string(), words);
    }
}

#[test]
fn what_bindings_show() {
    use WorkerStage::{Active, Leaving, New, Registering, Stopped};
    for stage in [New, Registering, Active, Leaving, Stopped] {
        assert_eq!(serde_json::to_value(stage).unwrap(), stage.name());
        assert_eq!(stage.name(), format!("{stage:?}").to_lowercase());
    }
    for state in [WorkerState::Active, WorkerState::Exited] {
        assert_eq!(serde_json::to_value(state).unwrap(), state.name());
    }
    let outcome = Outcome { exchange: ExchangeId::from(7), answer: Answer::Allow };
    assert_eq!(serde_json::to_string(&outcome).unwrap(), r#"{"exchange":7,"answer":"allow"}"#);
    let request = worker().register("r", 0).unwrap();
    assert_eq!(u64::from(request.exchange), 1);
    assert!(serde_json::to_string(&request).unwrap().starts_with(r#"{"exchange":1,"line":"{\"version\":1,"#));
}

#[test]
fn nothing_prints_the_capability() {
    let mut worker = active();
    let request = worker.network("n", "a.example", 1, 0).unwrap();
    let supervisor = Supervisor::new(policy(), capability(), SupervisorOptions::default()).unwrap();
    for shown in [format!("{worker:?}"), format!("{request:?}"), format!("{supervisor:?}")] {
        assert!(!shown.contains(CAPABILITY), "{shown}");
    }
    assert_eq!(format!("{request:?}"), "OutgoingRequest { exchange: ExchangeId(2), .. }");
}

#[test]
fn both_sides_together() {
    let mut supervisor = Supervisor::new(policy(), capability(), SupervisorOptions::default()).unwrap();
    let mut worker = Worker::new(capability(), "w\"é", "/wörk").unwrap();
    let connection = supervisor.open();
    let mut exchange = |worker: &mut Worker, request: policy_core::OutgoingRequest, word: &str| {
        supervisor.receive(connection, format!("{}\n", request.line).as_bytes(), 0);
        let mut outputs = Vec::new();
        while let Some(output) = supervisor.poll() {
            match &output {
                Output::Reply { line, .. } => worker.receive(request.exchange, format!("{line}\n").as_bytes(), 0),
                Output::Ask(ask) => supervisor.answer(ask.ask, Answer::from_word(word), 0),
                _ => {}
            }
            outputs.push(output);
        }
        let outcome = worker.poll().unwrap();
        assert_eq!(outcome.exchange, request.exchange);
        outcome.answer
    };
    let request = worker.register("r", 0).unwrap();
    assert_eq!(exchange(&mut worker, request, ""), Answer::Allow);
    assert_eq!(worker.policy().fingerprint(), policy().fingerprint());
    assert_eq!(worker.policy().check("ask.example", 443), Action::Review);
    for (id, hostname, word, expected) in [
        ("1", "ask.example", "allow", Answer::Allow),
        ("2", "ask.example", "deny", Answer::Deny),
        ("3", "ok.example", "deny", Answer::Allow),
        ("4", "no.example", "allow", Answer::Deny),
        ("4", "ok.example", "allow", Answer::Deny),
        ("5", "ok.example", "allow", Answer::Allow),
    ] {
        let request = worker.network(id, hostname, 443, 0).unwrap();
        assert_eq!(exchange(&mut worker, request, word), expected, "{id}");
    }
    let request = worker.unregister("u", 0).unwrap();
    assert_eq!(exchange(&mut worker, request, ""), Answer::Allow);
    assert_eq!(worker.stage(), WorkerStage::Stopped);
}

/// Bytes near a good reply: the reply, changed a little and followed by anything.
fn near_reply() -> impl Strategy<Value = Vec<u8>> {
    let good = "{\"id\":\"n\",\"action\":\"allow\"}\n";
    let edit = (0..good.len(), any::<Option<u8>>(), any::<bool>());
    (proptest::collection::vec(edit, 0..3), proptest::collection::vec(any::<u8>(), 0..20)).prop_map(
        move |(edits, tail)| {
            let mut bytes = good.as_bytes().to_vec();
            for (at, byte, replace) in edits {
                let at = at.min(bytes.len() - 1);
                match (byte, replace) {
                    (Some(byte), true) => bytes[at] = byte,
                    (Some(byte), false) => bytes.insert(at, byte),
                    (None, _) => drop(bytes.remove(at)),
                }
            }
            bytes.extend(tail);
            bytes
        },
    )
}

proptest! {
    /// An allow comes only from a first line that is the reply to this request, and cutting changes nothing.
    #[test]
    fn a_worker_reads_the_same_however_the_stream_is_cut(bytes in near_reply(), cuts in proptest::collection::vec(1_usize..9, 1..9)) {
        let answer = |chunks: Vec<&[u8]>| {
            let mut worker = active();
            let exchange = worker.network("n", "ask.example", 443, 0).unwrap().exchange;
            outcome(&mut worker, exchange, chunks)
        };
        let mut chunks = Vec::new();
        let (mut rest, mut sizes) = (bytes.as_slice(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(*sizes.next().unwrap().min(&rest.len()));
            chunks.push(chunk);
            rest = behind;
        }
        let whole = answer(vec![bytes.as_slice()]);
        prop_assert_eq!(answer(chunks), whole);

        let first_line = bytes.split_inclusive(|&byte| byte == b'\n').next().filter(|line| line.ends_with(b"\n"));
        let says_allow = first_line.and_then(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
            .is_some_and(|reply| reply["action"] == "allow" && reply["id"] == "n");
        prop_assert_eq!(whole == Answer::Allow, says_allow);
    }
}
