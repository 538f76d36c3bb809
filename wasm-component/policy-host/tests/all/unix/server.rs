//! A supervisor among workers that do what they should not.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use policy_host::unix::{Approver, ClientError, PrivateDirectory, ServerError, SupervisorServer, WorkerClient};
use policy_host::{Action, Answer, Ask, AskId, Policy, Supervisor, WorkerRecord, WorkerState};

use super::{DENY, LIMIT, REGISTER, Raw, UNREGISTER, allowed, capability, denied, network, request, supervisor};
use crate::engine;

/// What a test sees of an approver, which answers with its hostname's word: `allow.example`, `panic.example`; with
/// `never.example` it waits until the test is over.
struct Seen {
    events: Sender<String>,
    over: Mutex<Receiver<()>>,
}

impl Approver for Seen {
    fn approve(&self, ask: &Ask) -> Answer {
        self.events.send(format!("ask {} {} {}", ask.worker_id, ask.cwd, ask.hostname)).unwrap();
        match ask.hostname.as_str() {
            "panic.example" => panic!("on purpose"),
            "never.example" => {
                // Ends when the test drops the other side.
                let _ = self.over.lock().unwrap().recv();
                Answer::Allow
            }
            hostname => Answer::from_word(hostname.trim_end_matches(".example")),
        }
    }

    fn withdrawn(&self, ask: AskId) {
        self.events.send(format!("withdrawn {}", u64::from(ask))).unwrap();
    }

    fn registered(&self, worker: &WorkerRecord) {
        self.events.send(format!("registered {}", worker.id)).unwrap();
    }

    fn unregistered(&self, worker: &WorkerRecord) {
        self.events.send(format!("unregistered {} after {}", worker.id, worker.requests)).unwrap();
    }

    fn failed(&self, error: &ServerError) {
        self.events.send(error.to_string()).unwrap();
    }
}

struct Test {
    directory: PrivateDirectory,
    server: SupervisorServer,
    events: Receiver<String>,
    _over: Sender<()>,
}

impl Test {
    fn new(supervisor: Supervisor) -> Self {
        let ((events, seen), (over, wait)) = (mpsc::channel(), mpsc::channel());
        let directory = PrivateDirectory::new().unwrap();
        let approver = Seen { events, over: Mutex::new(wait) };
        let server = SupervisorServer::bind(directory.path().join("s"), supervisor, approver).unwrap();
        Self { directory, server, events: seen, _over: over }
    }

    fn connect(&self) -> Raw {
        Raw::connect(self.server.path())
    }

    fn event(&self) -> String {
        self.events.recv_timeout(LIMIT).unwrap()
    }
}

fn test() -> Test {
    Test::new(supervisor(&engine(), |_| {}))
}

#[test]
fn a_conversation_goes_as_the_protocol_says() {
    let test = test();
    let mut raw = test.connect();
    let registered = raw.ask(&request("1", "w", REGISTER));
    assert_eq!(
        registered,
        r#"{"id":"1","action":"allow","network":{"allowedDomains":["ok.example"],"deniedDomains":["no.example"]}}"#
    );
    assert_eq!(test.event(), "registered w");
    assert_eq!(raw.ask(&request("2", "w", &network("OK.example."))), allowed("2"));
    assert_eq!(raw.ask(&request("3", "w", &network("no.example"))), denied("3"));
    assert_eq!(raw.ask(&request("4", "w", &network("127.1"))), denied("4"));
    assert_eq!(raw.ask(&request("5", "w", &network("Allow.example"))), allowed("5"));
    assert_eq!(test.event(), "ask w /w allow.example");
    assert_eq!(raw.ask(&request("6", "w", &network("deny.example"))), denied("6"));
    assert_eq!(test.event(), "ask w /w deny.example");
    assert_eq!(raw.ask(&request("7", "w", UNREGISTER)), allowed("7"));
    assert_eq!(test.event(), "unregistered w after 5");
    let workers = test.server.workers().unwrap();
    assert_eq!((workers[0].id.as_str(), workers[0].state, workers[0].requests), ("w", WorkerState::Exited, 5));
    let path = test.server.path().to_owned();
    test.server.close();
    assert_eq!(raw.rest(), "", "closed");
    assert!(!path.exists());
    assert!(test.directory.path().exists());
}

#[test]
fn what_breaks_a_rule_is_denied_and_disturbs_nobody() {
    let test = test();
    let mut good = test.connect();
    good.ask(&request("1", "good", REGISTER));
    let secret = capability();
    let secret = secret.reveal();
    let allowed_host = network("ok.example");
    let wrong = [
        // Capabilities: wrong, in another case, cut short, missing, of another type.
        request("9", "good", &format!(r#"{allowed_host},"capability":"{}""#, "f".repeat(64))),
        request("9", "good", &format!(r#"{allowed_host},"capability":"{}""#, secret.to_uppercase())),
        request("9", "good", &format!(r#"{allowed_host},"capability":"{}""#, secret.split_at(63).0)),
        request("9", "good", &format!(r#"{allowed_host},"capability":null"#)),
        request("9", "good", &allowed_host).replace("capability", "capabilities"),
        // A worker that was never registered, is registered already, lies about its directory.
        request("9", "nobody", &allowed_host),
        request("9", "good", REGISTER),
        request("9", "good", &format!(r#"{allowed_host},"cwd":"/elsewhere""#)),
        // A replay.
        request("1", "good", &allowed_host),
        // Ports, versions, and what is no request at all.
        request("9", "good", r#""type":"network","hostname":"ok.example","port":65979"#),
        request("9", "good", r#""type":"network","hostname":"ok.example","port":"443""#),
        request("9", "good", &format!(r#"{allowed_host},"version":2"#)),
        "{\n".into(),
        "\n".into(),
        "null\n".into(),
    ];
    let mut raw = test.connect();
    for line in &wrong {
        assert_eq!(raw.ask(line), DENY, "{line}");
    }
    raw.0.get_mut().set_nonblocking(false).unwrap();
    assert_eq!(good.ask(&request("9", "good", &allowed_host)), allowed("9"), "no id was used up");
    assert_eq!(raw.ask(&request("10", "good", &allowed_host)), allowed("10"), "the connection goes on");
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    let test = test();
    let mut raw = test.connect();
    // Byte by byte.
    for byte in request("1", "w", REGISTER).chars() {
        raw.send(byte.encode_utf8(&mut [0; 4]));
    }
    assert!(raw.line().starts_with(r#"{"id":"1","action":"allow""#));
    // Two lines in one chunk, and the beginning of a third.
    let third = request("4", "w", &network("ok.example"));
    let (begin, end) = third.split_at(50);
    raw.send(&[&request("2", "w", &network("ok.example")), &request("3", "w", &network("no.example")), begin].concat());
    assert_eq!((raw.line(), raw.line()), (allowed("2"), denied("3")));
    assert_eq!(raw.ask(end), allowed("4"));
    // A line that does not end is nothing.
    raw.send(begin);
    drop(raw);
    let mut raw = test.connect();
    assert_eq!(raw.ask(&third.replace(r#""id":"4""#, r#""id":"5""#)), allowed("5"));
    assert_eq!(test.server.workers().unwrap()[0].requests, 4);
}

#[test]
fn a_line_over_the_limit_ends_its_connection_only() {
    let test = test();
    let mut good = test.connect();
    good.ask(&request("1", "w", REGISTER));
    for (length, ends) in [(16_384, "\n"), (16_385, "\n"), (16_385, ""), (16_384, "")] {
        let mut raw = test.connect();
        let line = request("2", "w", &network("ok.example"));
        let padded = format!("{line:<length$}").replace('\n', " ");
        raw.send(&(padded + ends));
        let too_long = length > 16_384;
        match (too_long, ends) {
            (false, "\n") => assert_eq!(raw.line(), allowed("2")),
            (true, _) => assert_eq!(raw.rest(), format!("{DENY}\n")),
            // Not ended, and within the limit: nothing yet.
            (false, _) => {}
        }
    }
    assert_eq!(good.ask(&request("3", "w", &network("ok.example"))), allowed("3"));
}

#[test]
fn an_approver_that_panics_denies() {
    let test = test();
    let mut raw = test.connect();
    raw.ask(&request("1", "w", REGISTER));
    assert_eq!(test.event(), "registered w");
    assert_eq!(raw.ask(&request("2", "w", &network("panic.example"))), denied("2"));
    assert_eq!(test.event(), "ask w /w panic.example");
    assert_eq!(raw.ask(&request("3", "w", &network("allow.example"))), allowed("3"));
}

#[test]
fn an_approver_that_never_answers_runs_out_of_time() {
    let test = Test::new(supervisor(&engine(), |options| options.ask_timeout_ms = 100));
    let mut raw = test.connect();
    raw.ask(&request("1", "w", REGISTER));
    assert_eq!(raw.ask(&request("2", "w", &network("never.example"))), denied("2"));
    let events: Vec<String> = (0..3).map(|_| test.event()).collect();
    assert!(events.contains(&"withdrawn 1".into()), "{events:?}");
    assert_eq!(raw.ask(&request("3", "w", &network("ok.example"))), allowed("3"));
}

#[test]
fn no_request_waits_for_another() {
    let test = test();
    let (mut raw, mut other) = (test.connect(), test.connect());
    raw.ask(&request("1", "w", REGISTER));
    raw.send(&request("2", "w", &network("never.example")));
    assert_eq!(raw.ask(&request("3", "w", &network("ok.example"))), allowed("3"));
    assert_eq!(other.ask(&request("4", "w", &network("allow.example"))), allowed("4"));
    // The waiting one is denied when its worker leaves.
    other.send(&request("5", "w", UNREGISTER));
    assert_eq!(raw.line(), denied("2"));
    assert_eq!(other.line(), allowed("5"));
}

#[test]
fn an_ask_whose_worker_has_gone_is_withdrawn() {
    let test = test();
    let mut raw = test.connect();
    raw.ask(&request("1", "w", REGISTER));
    assert_eq!(test.event(), "registered w");
    raw.send(&request("2", "w", &network("never.example")));
    assert_eq!(test.event(), "ask w /w never.example");
    drop(raw);
    assert_eq!(test.event(), "withdrawn 1");
    assert_eq!(test.server.workers().unwrap()[0].state, WorkerState::Active, "a connection is no worker");
}

#[test]
fn a_supervisor_that_closes_denies_what_waits() {
    let test = test();
    let mut raw = test.connect();
    raw.ask(&request("1", "w", REGISTER));
    assert_eq!(test.event(), "registered w");
    raw.send(&request("2", "w", &network("never.example")));
    assert_eq!(test.event(), "ask w /w never.example");
    let path = test.server.path().to_owned();
    test.server.close();
    assert_eq!(raw.rest(), denied("2") + "\n");
    assert!(!path.exists());
}

#[test]
fn whoever_takes_no_replies_holds_up_only_himself() {
    let test = test();
    let mut greedy = test.connect();
    greedy.ask(&request("1", "w", REGISTER));
    let sender = thread::spawn(move || {
        // Until nobody reads them any more: the buffers on the way are full, and nothing of it is kept.
        let stream = greedy.0.get_mut();
        stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        let lines = "\n".repeat(1 << 16);
        let sent = (0..4096).find(|_| stream.write_all(lines.as_bytes()).is_err());
        (sent, greedy)
    });
    let mut good = test.connect();
    for number in 0..200 {
        let id = format!("g{number}");
        assert_eq!(good.ask(&request(&id, "w", &network("ok.example"))), allowed(&id));
    }
    let (stopped, greedy) = sender.join().unwrap();
    assert!(stopped.is_some(), "256 MiB were read from somebody who takes no replies");
    drop(greedy);
    assert_eq!(good.ask(&request("last", "w", &network("ok.example"))), allowed("last"));
}

#[test]
fn many_who_flood_hold_up_nobody() {
    let test = test();
    let mut good = test.connect();
    good.ask(&request("1", "w", REGISTER));
    let lines = "\n".repeat(1 << 16);
    let mut floods: Vec<UnixStream> = (0..128).map(|_| UnixStream::connect(test.server.path()).unwrap()).collect();
    thread::scope(|scope| {
        for stream in &mut floods {
            // Until the connection has ended, or takes no more.
            stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
            scope.spawn(|| while stream.write_all(lines.as_bytes()).is_ok() {});
        }
        for number in 0..100 {
            let id = format!("g{number}");
            assert_eq!(good.ask(&request(&id, "w", &network("ok.example"))), allowed(&id));
        }
    });
    assert_eq!(good.ask(&request("last", "w", &network("ok.example"))), allowed("last"));
}

#[test]
fn two_hundred_workers_at_once() {
    let engine = engine();
    let test = Test::new(supervisor(&engine, |_| {}));
    let path = test.server.path();
    thread::scope(|scope| {
        for number in 0..200 {
            let engine = &engine;
            scope.spawn(move || {
                let id = format!("worker-{number}");
                let worker = WorkerClient::register(engine, path, &capability(), &id, "/repo").unwrap();
                assert_eq!(worker.check("ok.example", 443), Action::Allow);
                assert_eq!(worker.check("allow.example", 443), Action::Review);
                assert_eq!(worker.ask("allow.example", 443).unwrap(), Answer::Allow);
                assert_eq!(worker.ask("deny.example", 443).unwrap(), Answer::Deny);
                assert_eq!(worker.unregister().unwrap(), Answer::Allow);
            });
        }
    });
    let workers = test.server.workers().unwrap();
    assert_eq!(workers.len(), 200);
    assert!(workers.iter().all(|worker| worker.state == WorkerState::Exited && worker.requests == 2));
    let asks = test.events.try_iter().filter(|event| event.starts_with("ask ")).count();
    assert_eq!(asks, 400);
}

#[test]
fn at_the_limit_of_connections_a_new_one_is_denied() {
    let test = Test::new(supervisor(&engine(), |options| options.limits.connections = 1));
    let mut first = test.connect();
    first.ask(&request("1", "w", REGISTER));
    assert_eq!(test.connect().rest(), format!("{DENY}\n"));
    assert_eq!(first.ask(&request("2", "w", &network("ok.example"))), allowed("2"));
    drop(first);
    // The place is free as soon as the end has been seen.
    let worker = (0..10_000).find_map(|_| {
        let mut raw = test.connect();
        let answer = raw.ask(&request("3", "w", &network("ok.example")));
        (answer == allowed("3")).then_some(())
    });
    assert!(worker.is_some());
}

#[test]
fn a_socket_lies_where_nobody_else_can_exchange_it() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    assert_eq!(fs::metadata(directory.path()).unwrap().permissions().mode() & 0o777, 0o700);
    let bind =
        |path: &std::path::Path| SupervisorServer::bind(path, supervisor(&engine, |_| {}), |_: &Ask| Answer::Allow);

    let open = directory.path().join("open");
    fs::create_dir(&open).unwrap();
    for mode in [0o755, 0o701, 0o710] {
        fs::set_permissions(&open, Permissions::from_mode(mode)).unwrap();
        let error = bind(&open.join("s")).unwrap_err();
        assert!(error.to_string().starts_with("other users can enter "), "{error}");
        assert!(!open.join("s").exists());
    }
    // What is there already stays.
    let taken = directory.path().join("taken");
    let listener = UnixListener::bind(&taken).unwrap();
    assert_eq!(bind(&taken).unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    drop(listener);
    // What somebody put in the socket's place is not taken away.
    let path = directory.path().join("s");
    let server = bind(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "another file").unwrap();
    server.close();
    assert_eq!(fs::read_to_string(&path).unwrap(), "another file");
    let gone = directory.path().to_owned();
    drop(directory);
    assert!(!gone.exists());
}

#[test]
fn a_supervisor_whose_engine_fails_ends_everything() {
    // This guest traps on a single byte.
    let engine = crate::unruly::engine();
    let policy = Policy::from_transport(&engine, "{}").unwrap();
    let options = engine.supervisor_options().unwrap();
    let test = Test::new(Supervisor::new(&engine, &policy, &capability(), options).unwrap());
    let (mut idle, mut guilty) = (test.connect(), test.connect());
    assert_eq!(test.server.workers().unwrap().len(), 0);
    guilty.send("\n");
    assert_eq!((guilty.rest(), idle.rest()), (String::new(), String::new()));
    assert!(test.event().starts_with("the supervisor has ended and denies everything: the policy engine trapped"));
    assert!(matches!(test.server.workers(), Err(ServerError::Ended)));
    assert!(!test.server.path().exists());
    let worker = WorkerClient::register(&crate::engine(), test.server.path(), &capability(), "w", "/");
    assert!(matches!(worker, Err(ClientError::Io(_))), "{worker:?}");
}

#[test]
fn a_closure_is_an_approver() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let approver = {
        let asked = Arc::clone(&asked);
        move |ask: &Ask| {
            asked.lock().unwrap().push(ask.hostname.clone());
            Answer::Allow
        }
    };
    let server = SupervisorServer::bind(directory.path().join("s"), supervisor(&engine, |_| {}), approver).unwrap();
    let worker = WorkerClient::register(&engine, server.path(), &capability(), "w", "/").unwrap();
    assert_eq!(worker.ask("ask.example", 443).unwrap(), Answer::Allow);
    assert_eq!(*asked.lock().unwrap(), ["ask.example"]);
}
