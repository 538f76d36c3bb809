//! One test for each rule that the supervisor keeps.

use policy_core::{
    Capability, ConnectionId, MAX_FRAME_BYTES, MAX_POLICY_BYTES, NetworkPolicy, PolicyTooLarge, Supervisor,
    SupervisorOptions,
};

use crate::support::{CAPABILITY, DENY, Host, NETWORK, capability, network, policy, register, unregister};

const ALLOW_9: &str = r#"{"id":"9","action":"allow"}"#;
const DENY_9: &str = r#"{"id":"9","action":"deny"}"#;

fn host() -> Host {
    Host::with_workers(SupervisorOptions::default())
}

fn without_recheck() -> Host {
    Host::with_workers(SupervisorOptions { recheck: false, ..SupervisorOptions::default() })
}

/// `text` stretched to `bytes` by a member that nobody reads.
fn padded(text: &str, bytes: usize) -> String {
    let body = text.strip_suffix('}').unwrap();
    let pad = "p".repeat(bytes - body.len() - r#","pad":""}"#.len());
    format!(r#"{body},"pad":"{pad}"}}"#)
}

#[test]
fn supervisor_1_a_frame_is_a_line_of_json() {
    let mut host = host();
    let connection = host.supervisor.open();
    for line in ["", " ", "[]", "null", "\"x\"", "{}", "{", "\u{FEFF}{}", "{}{}", "// x"] {
        assert_eq!(host.bytes(connection, format!("{line}\n")), [format!("3< {DENY}")], "{line}");
    }
    assert_eq!(host.bytes(connection, b"\xFF\n"), [format!("3< {DENY}")], "not UTF-8");
    let in_pad = network("9", "w1", "ok.example").replace("/repo\"", "/repo\",\"pad\":\"\u{0}\"");
    let not_utf8: Vec<u8> = in_pad.bytes().map(|byte| if byte == 0 { 0xC3 } else { byte }).chain([b'\n']).collect();
    assert_eq!(host.bytes(connection, not_utf8), [format!("3< {DENY}")], "not UTF-8 where nobody reads");
    let spaced = network("9", "w1", "ok.example").replace(',', " ,\t");
    assert_eq!(host.bytes(connection, format!(" {spaced} \r\n")), [format!("3< {ALLOW_9}")]);
}

#[test]
fn supervisor_1_a_whole_frame_may_hold_newlines() {
    let mut host = host();
    assert_eq!(host.alone(&network("9", "w1", "ok.example").replace(',', "\n,")), [ALLOW_9]);
}

#[test]
fn supervisor_2_16384_bytes_pass_and_one_more_ends_the_connection() {
    let text = network("9", "w1", "ok.example");
    let (full, over) = (padded(&text, MAX_FRAME_BYTES), padded(&text, MAX_FRAME_BYTES + 1));
    let ended = [format!("3< {DENY}"), "3| close".into()];

    for ending in ["", "\n"] {
        assert_eq!(host().alone(&format!("{full}{ending}")), [ALLOW_9]);
        let mut host = host();
        let connection = host.supervisor.open();
        assert_eq!(host.line(connection, &format!("{over}{ending}")), ended);
        assert_eq!(host.line(connection, &text), Vec::<String>::new(), "the connection is gone");
        assert_eq!(host.alone(&text), [ALLOW_9], "the id was not used up");
    }
    for chunk in [1, 1000, MAX_FRAME_BYTES, 1 << 20] {
        let mut host = host();
        let connection = host.supervisor.open();
        let mut outputs = Vec::new();
        for bytes in format!("{full}\n{over}\n{text}\n").as_bytes().chunks(chunk) {
            outputs.extend(host.bytes(connection, bytes));
        }
        assert_eq!(outputs, [format!("3< {ALLOW_9}"), ended[0].clone(), ended[1].clone()], "chunks of {chunk}");
        assert_eq!(host.bytes(connection, format!("{text}\n")), Vec::<String>::new());
        assert_eq!(host.close(connection), Vec::<String>::new());
    }
}

#[test]
fn supervisor_2_a_line_that_never_ends_is_cut_off_once() {
    let mut host = host();
    let connection = host.supervisor.open();
    let outputs: Vec<String> = (0..1000).flat_map(|_| host.bytes(connection, [b' '; 100])).collect();
    assert_eq!(outputs, [format!("3< {DENY}"), "3| close".into()]);
}

#[test]
fn supervisor_2_what_waits_on_the_connection_is_denied_before_it_ends() {
    let mut host = host();
    let connection = host.supervisor.open();
    host.bytes(connection, network("9", "w1", "ask.example") + "\n");
    assert_eq!(
        host.bytes(connection, [b' '; MAX_FRAME_BYTES + 1]),
        [format!("3< {DENY_9}"), "withdrawn 1".into(), format!("3< {DENY}"), "3| close".into()]
    );
    assert_eq!(host.answer(1, "allow"), Vec::<String>::new());
}

#[test]
fn supervisor_4_the_capability_is_compared_as_text() {
    let upper = CAPABILITY.to_uppercase();
    let mut host = host();
    let text = network("9", "w1", "ok.example");
    for wrong in ["", "wrong", &upper, &CAPABILITY.replacen('0', "1", 1), &format!("{CAPABILITY} ")] {
        assert_eq!(host.alone(&text.replace(CAPABILITY, wrong)), [DENY], "{wrong}");
    }
    assert_eq!(host.alone(&text), [ALLOW_9]);

    let mut shouting =
        Supervisor::new(policy(), Capability::parse(&upper).unwrap(), SupervisorOptions::default()).unwrap();
    let connection = shouting.open();
    shouting.receive_line(connection, &register("r", "w"), 0);
    assert!(crate::support::drain(&mut shouting).iter().map(crate::support::show).eq([format!("1< {DENY}")]));
}

#[test]
fn supervisor_9_a_refusal_changes_nothing_whatever_it_is_for() {
    let mut host = without_recheck();
    host.alone(&register("r3", "w3"));
    host.alone(&unregister("u3", "w3"));
    let text = network("9", "w1", "ask.example");
    let mut refused: Vec<String> = [
        ("version", "1"),
        ("capability", ""),
        ("id", ""),
        ("workerId", ""),
        ("cwd", ""),
        ("hostname", ""),
        ("port", "4"),
    ]
    .iter()
    .map(|(member, start)| {
        let (quoted, other) = (format!("\"{member}\":"), format!("\"not_{member}\":"));
        assert!(text.contains(&format!("{quoted}{start}")) || text.contains(&quoted));
        text.replace(&quoted, &other)
    })
    .collect();
    refused.extend([
        text.replace("\"type\":", "\"tipe\":"),
        text.replace("\"network\"", "\"bogus\""),
        text.replace("w1", "w9"),
        text.replace("w1", "w3"),
        text.replace("/repo", "/other"),
        text.replace("/repo", "/repo/"),
        text.replace("443", "0"),
        text.replace("443", "\"443\""),
        text.replace("ask.example", &"h".repeat(254)),
        register("9", "w1"),
        register("9", "w3"),
        register("9", "w1").replace("/repo", "/other"),
        register("r1", "w9"),
        unregister("9", "w9"),
        unregister("9", "w3"),
        unregister("9", "w1").replace("/repo", "/other"),
        unregister("u3", "w1"),
        text.replace("\"9\"", "\"r1\""),
        text.replace("}", ""),
    ]);
    for line in refused {
        let connection = host.supervisor.open();
        let before = host.state();
        assert_eq!(host.line(connection, &line), [format!("{}< {DENY}", u64::from(connection))], "{line}");
        assert_eq!(host.state(), before, "{line}");
        host.close(connection);
    }
    assert_eq!(host.alone(&text), ["ask 1 ask.example:443 for w1 in /repo"], "the id is still free");
}

#[test]
fn supervisor_8_other_members_are_ignored() {
    let mut host = host();
    assert_eq!(host.alone(&network("9", "w1", "ok.example").replace("{\"v", "{\"x\":{\"y\":[1]},\"v")), [ALLOW_9]);
}

#[test]
fn supervisor_10_an_id_is_accepted_once_by_any_worker() {
    let mut host = host();
    assert_eq!(host.alone(&network("9", "w1", "no.example")), [DENY_9]);
    for line in [
        network("9", "w1", "ok.example"),
        network("9", "w2", "ok.example"),
        network("r1", "w2", "ok.example"),
        register("9", "w3"),
        unregister("9", "w2"),
    ] {
        assert_eq!(host.alone(&line), [DENY], "{line}");
    }
    assert_eq!(host.alone(&unregister("10", "w1")), [r#"{"id":"10","action":"allow"}"#, "unregistered w1 at 0"]);
    assert_eq!(host.alone(&network("10", "w2", "ok.example")), [DENY]);
}

#[test]
fn supervisor_11_a_registration_is_answered_with_the_lists() {
    let mut host = Host::new(SupervisorOptions::default());
    host.now = 77;
    assert_eq!(
        host.alone(&register("a\\\"\\u0001é", "w1")),
        [format!(r#"{{"id":"a\"\u0001é","action":"allow","network":{NETWORK}}}"#), "registered w1 at 77".into()]
    );
    assert_eq!(host.workers(), [r#"{"id":"w1","cwd":"/repo","state":"active","requests":0}"#]);
    assert_eq!(host.alone(&register("b", "w1")), [DENY]);
}

#[test]
fn supervisor_13_a_denied_request_counts_and_uses_its_id_up() {
    let mut host = host();
    for (id, hostname) in [("a", "no.example"), ("b", ""), ("c", "10.0.0.1"), ("d", "ok.example")] {
        assert!(host.alone(&network(id, "w1", hostname))[0].starts_with(&format!("{{\"id\":\"{id}\"")));
        assert_eq!(host.alone(&network(id, "w1", hostname)), [DENY]);
    }
    assert_eq!(host.workers()[0], r#"{"id":"w1","cwd":"/repo","state":"active","requests":4}"#);
    // Counted when it is asked, not when it is answered.
    host.alone(&network("e", "w1", "ask.example"));
    assert!(host.workers()[0].ends_with("5}"));
    assert_eq!(host.alone(&network("e", "w1", "ask.example")), [DENY]);
    host.answer(1, "deny");
    assert!(host.workers()[0].ends_with("5}"));
}

#[test]
fn supervisor_14_the_policy_answers_first_and_the_approver_sees_the_canonical_host() {
    let mut host = host();
    assert_eq!(host.alone(&network("9", "w1", "OK.example.")), [ALLOW_9]);
    assert_eq!(host.alone(&network("b", "w1", "NO.example")), [r#"{"id":"b","action":"deny"}"#]);
    assert_eq!(host.alone(&network("c", "w1", "Ask.Example.")), ["ask 1 ask.example:443 for w1 in /repo"]);
    assert_eq!(host.alone(&network("d", "w1", "0x7f.1")), [r#"{"id":"d","action":"deny"}"#]);
}

#[test]
fn supervisor_15_without_recheck_the_approver_sees_everything_as_sent() {
    let mut host = without_recheck();
    for (number, hostname) in ["OK.example.", "NO.example", "Ask.Example.", "0x7f.1", "", " é"].iter().enumerate() {
        let ask = number + 1;
        assert_eq!(
            host.alone(&network(&ask.to_string(), "w1", hostname)),
            [format!("ask {ask} {hostname}:443 for w1 in /repo")]
        );
    }
}

#[test]
fn supervisor_16_only_the_word_allow_allows() {
    for (word, reply) in [("allow", ALLOW_9), ("Allow", DENY_9), ("allow ", DENY_9), ("", DENY_9), ("deny", DENY_9)] {
        let mut host = host();
        host.alone(&network("9", "w1", "ask.example"));
        assert_eq!(host.answer(1, word), [format!("3< {reply}")], "{word:?}");
        assert_eq!(host.answer(1, "allow"), Vec::<String>::new(), "one answer");
    }
}

#[test]
fn supervisor_17_an_exited_worker_is_out_for_good() {
    let mut host = host();
    host.now = 5;
    assert_eq!(host.alone(&unregister("9", "w1")), [ALLOW_9, "unregistered w1 at 5"]);
    assert_eq!(host.workers()[0], r#"{"id":"w1","cwd":"/repo","state":"exited","requests":0}"#);
    for line in [register("a", "w1"), network("a", "w1", "ok.example"), unregister("a", "w1")] {
        assert_eq!(host.alone(&line), [DENY], "{line}");
    }
    let worker = host.supervisor.workers().next().unwrap();
    assert_eq!((worker.registered_at, worker.exited_at), (0, Some(5)));
}

#[test]
fn supervisor_18_unregistering_denies_what_waits_on_every_connection_and_nothing_else() {
    let mut host = host();
    host.alone(&network("a", "w1", "ask.example"));
    host.alone(&network("b", "w2", "ask.example"));
    host.alone(&network("c", "w1", "ask.example"));
    assert_eq!(
        host.alone(&unregister("9", "w1")),
        [
            r#"3< {"id":"a","action":"deny"}"#,
            "withdrawn 1",
            r#"5< {"id":"c","action":"deny"}"#,
            "withdrawn 3",
            ALLOW_9,
            "unregistered w1 at 0"
        ]
    );
    assert_eq!(host.answer(1, "allow"), Vec::<String>::new());
    assert_eq!(host.answer(2, "allow"), [r#"4< {"id":"b","action":"allow"}"#]);
}

#[test]
fn supervisor_18_a_connection_that_ends_takes_its_asks_along_and_nothing_else() {
    let mut host = host();
    let (first, second) = (host.supervisor.open(), host.supervisor.open());
    for (connection, id) in [(first, "a"), (second, "b"), (first, "c")] {
        host.line(connection, &network(id, "w1", "ask.example"));
    }
    assert_eq!(host.close(first), ["withdrawn 1", "withdrawn 3"]);
    for late in [1, 3] {
        assert_eq!(host.answer(late, "allow"), Vec::<String>::new());
    }
    assert_eq!(host.answer(2, "allow"), [r#"4< {"id":"b","action":"allow"}"#]);
    // The ids are used up all the same, and the worker is as it was.
    assert_eq!(host.alone(&network("a", "w1", "ok.example")), [DENY]);
    assert_eq!(host.alone(&network("9", "w1", "ok.example")), [ALLOW_9]);
}

#[test]
fn supervisor_19_a_policy_that_no_reply_could_carry_is_an_error() {
    // 42 bytes around the one entry.
    let of_bytes = |bytes: usize| {
        let entry = format!("{}.example", "a".repeat(bytes - 42 - ".example".len()));
        NetworkPolicy::from_lists([entry.as_str()], []).unwrap()
    };
    assert_eq!(of_bytes(MAX_POLICY_BYTES).to_json().len(), MAX_POLICY_BYTES);
    let make = |bytes| Supervisor::new(of_bytes(bytes), capability(), SupervisorOptions::default());
    let mut supervisor = make(MAX_POLICY_BYTES).unwrap();
    let connection = supervisor.open();
    supervisor.receive_line(connection, &register(&"\\u0001".repeat(128), "w"), 0);
    let Some(policy_core::Output::Reply { line, .. }) = supervisor.poll() else { panic!() };
    assert!(line.contains("allow") && line.len() <= MAX_FRAME_BYTES, "{}", line.len());

    let error = make(MAX_POLICY_BYTES + 1).unwrap_err();
    assert_eq!(error, PolicyTooLarge { bytes: 15_361, limit: 15_360 });
    assert_eq!(error.to_string(), "policy too large: 15361 bytes, limit 15360");
}

#[test]
fn supervisor_20_inputs_that_name_nothing_change_nothing() {
    let mut host = host();
    host.alone(&network("a", "w1", "ask.example"));
    let before = host.state();
    for number in [0, 1, 2, 4, u64::MAX] {
        let unknown = ConnectionId::from(number);
        assert!(host.bytes(unknown, network("9", "w1", "ok.example") + "\n").is_empty());
        assert!(host.line(unknown, &network("9", "w1", "ok.example")).is_empty());
        assert!(host.line(unknown, &" ".repeat(MAX_FRAME_BYTES + 1)).is_empty());
        assert!(host.close(unknown).is_empty());
    }
    for number in [0, 2, u64::MAX] {
        assert!(host.answer(number, "allow").is_empty());
    }
    assert!(host.expire().is_empty());
    assert_eq!(host.state(), before);
}

#[test]
fn supervisor_24_a_request_that_waits_holds_up_no_other() {
    let mut host = host();
    let connection = host.supervisor.open();
    let pipelined =
        [network("a", "w1", "ask.example"), network("b", "w2", "ok.example"), network("c", "w1", "ask.example")];
    assert_eq!(
        host.bytes(connection, pipelined.join("\n") + "\n"),
        [
            "ask 1 ask.example:443 for w1 in /repo",
            r#"3< {"id":"b","action":"allow"}"#,
            "ask 2 ask.example:443 for w1 in /repo"
        ]
    );
    assert_eq!(host.answer(2, "allow"), [r#"3< {"id":"c","action":"allow"}"#]);
    assert_eq!(host.answer(1, "deny"), [r#"3< {"id":"a","action":"deny"}"#]);
    assert_eq!(host.bytes(connection, network("d", "w1", "ok.example") + "\n"), [r#"3< {"id":"d","action":"allow"}"#]);
}

#[test]
fn supervisor_24_a_whole_life_in_one_chunk() {
    let mut host = Host::new(SupervisorOptions::default());
    let connection = host.supervisor.open();
    let life = [register("a", "w"), network("b", "w", "ask.example"), unregister("c", "w"), register("d", "w")];
    assert_eq!(
        host.bytes(connection, life.join("\n") + "\n"),
        [
            format!(r#"1< {{"id":"a","action":"allow","network":{NETWORK}}}"#),
            "registered w at 0".into(),
            "ask 1 ask.example:443 for w in /repo".into(),
            r#"1< {"id":"b","action":"deny"}"#.into(),
            "withdrawn 1".into(),
            r#"1< {"id":"c","action":"allow"}"#.into(),
            "unregistered w at 0".into(),
            format!("1< {DENY}"),
        ]
    );
}

#[test]
fn supervisor_28_an_unfinished_line_is_nothing() {
    let mut host = host();
    let connection = host.supervisor.open();
    let before = host.workers();
    assert!(host.bytes(connection, unregister("9", "w1")).is_empty());
    assert!(host.close(connection).is_empty());
    assert_eq!(host.workers(), before);
    assert_eq!(host.alone(&network("9", "w1", "ok.example")), [ALLOW_9]);
}

#[test]
fn supervisor_26_an_ask_that_nobody_answers_in_time_is_denied() {
    let mut host = host();
    host.now = 1_000;
    host.alone(&network("9", "w1", "ask.example"));
    assert_eq!(host.supervisor.next_deadline(), Some(31_000));
    host.now = 30_999;
    assert!(host.expire().is_empty());
    host.now = 31_000;
    assert_eq!(host.expire(), [format!("3< {DENY_9}"), "withdrawn 1".into()]);
    assert_eq!(host.answer(1, "allow"), Vec::<String>::new());
    assert_eq!(host.supervisor.next_deadline(), None);
}

#[test]
fn supervisor_26_a_late_allow_is_deny_even_if_nobody_expired_the_ask() {
    for (now, reply) in [(29_999, ALLOW_9), (30_000, DENY_9), (u64::MAX, DENY_9)] {
        let mut host = host();
        host.alone(&network("9", "w1", "ask.example"));
        host.now = now;
        assert_eq!(host.answer(1, "allow"), [format!("3< {reply}")], "{now}");
    }
}

#[test]
fn supervisor_26_the_host_may_wait_for_ever() {
    let mut host = Host::with_workers(SupervisorOptions { ask_timeout_ms: u64::MAX, ..SupervisorOptions::default() });
    host.now = 10;
    host.alone(&network("9", "w1", "ask.example"));
    assert_eq!(host.supervisor.next_deadline(), None);
    host.now = u64::MAX - 1;
    assert!(host.expire().is_empty());
    assert_eq!(host.answer(1, "allow"), [format!("3< {ALLOW_9}")]);
}

#[test]
fn a_shutdown_denies_what_waits_and_takes_nobody_in() {
    let mut host = host();
    let (first, second) = (host.supervisor.open(), host.supervisor.open());
    host.line(second, &network("9", "w1", "ask.example"));
    host.supervisor.shutdown();
    assert_eq!(host.outputs(), ["3| close", &format!("4< {DENY_9}"), "withdrawn 1", "4| close"]);
    assert!(host.line(first, &network("a", "w1", "ok.example")).is_empty());
    assert!(host.answer(1, "allow").is_empty());
    let late = host.supervisor.open();
    assert_eq!(host.outputs(), [format!("5< {DENY}"), "5| close".into()]);
    assert!(host.line(late, &network("a", "w1", "ok.example")).is_empty());
    host.supervisor.shutdown();
    assert!(host.outputs().is_empty());
}

#[test]
fn outputs_serialise_with_their_type() {
    let mut host = host();
    let connection = host.supervisor.open();
    let lines = [network("9", "w1", "ask.example"), unregister("u", "w1")].join("\n") + "\n";
    host.supervisor.receive(connection, lines.as_bytes(), 7);
    host.supervisor.receive(connection, &[0; MAX_FRAME_BYTES + 1], 7);
    let shown: Vec<String> = crate::support::drain(&mut host.supervisor)
        .iter()
        .map(|output| serde_json::to_string(output).unwrap())
        .collect();
    assert_eq!(
        shown,
        [
            r#"{"type":"ask","ask":1,"connection":3,"hostname":"ask.example","port":443,"cwd":"/repo","workerId":"w1"}"#,
            r#"{"type":"reply","connection":3,"line":"{\"id\":\"9\",\"action\":\"deny\"}"}"#,
            r#"{"type":"withdrawn","ask":1}"#,
            r#"{"type":"reply","connection":3,"line":"{\"id\":\"u\",\"action\":\"allow\"}"}"#,
            r#"{"type":"unregistered","worker":{"id":"w1","cwd":"/repo","state":"exited","requests":1},"at":7}"#,
            r#"{"type":"reply","connection":3,"line":"{\"action\":\"deny\"}"}"#,
            r#"{"type":"close","connection":3}"#,
        ]
    );
}
