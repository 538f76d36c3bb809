//! A worker whose supervisor does what it should not.

use std::io;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use policy_host::unix::{ClientError, PrivateDirectory, WorkerClient};
use policy_host::{Action, Answer, Error, PolicyEngine};

use super::{Raw, capability};
use crate::engine;

/// A supervisor that says what a test wants: one script for each connection, in order. `ID` stands for the request's.
struct Fake {
    _directory: PrivateDirectory,
    path: PathBuf,
    thread: JoinHandle<Vec<String>>,
}

/// What to send, in pieces; then the connection ends.
type Script = Vec<String>;

impl Fake {
    fn new(scripts: Vec<Script>) -> Self {
        let directory = PrivateDirectory::new().unwrap();
        let path = directory.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        let thread = thread::spawn(move || {
            let mut requests = Vec::new();
            for script in scripts {
                let mut raw = Raw::new(listener.accept().unwrap().0);
                let request = raw.line();
                let id: serde_json::Value = serde_json::from_str(&request).unwrap();
                for piece in script {
                    raw.send(&piece.replace("ID", id["id"].as_str().unwrap()));
                }
                requests.push(request);
            }
            requests
        });
        Self { _directory: directory, path, thread }
    }

    fn register(&self, engine: &PolicyEngine) -> Result<WorkerClient, ClientError> {
        WorkerClient::register(engine, &self.path, &capability(), "w", "/repo")
    }
}

fn script(pieces: &[&str]) -> Script {
    pieces.iter().map(|&piece| piece.to_owned()).collect()
}

fn welcome() -> Script {
    script(&[
        r#"{"id":"ID","action":"allow","network":{"allowedDomains":["ok.example"],"deniedDomains":["no.example"]}}"#,
        "\n",
    ])
}

#[test]
fn a_reply_is_read_however_it_comes() {
    let engine = engine();
    let whole = welcome().concat();
    let bytes: Script = r#"{"id":"#.chars().map(String::from).chain([r#""ID","action":"allow","#.into()]).collect();
    let bytes = [
        bytes,
        r#""network":{"allowedDomains":["ok.example"],"deniedDomains":[]}}"#.chars().map(String::from).collect(),
        script(&["\n"]),
    ]
    .concat();
    for pieces in [
        vec![whole.clone()],
        bytes,
        // The first line counts; what follows is nobody's.
        vec![format!("{whole}{{\"action\":\"deny\"}}\n")],
        vec![whole, "garbage without an end".into()],
    ] {
        let fake = Fake::new(vec![pieces, script(&[r#"{"id":"ID","action":"allow"}"#, "\n"])]);
        let worker = fake.register(&engine).unwrap();
        assert_eq!(worker.check("ok.example", 443), Action::Allow);
        assert_eq!(worker.check("other.example", 443), Action::Review);
        assert_eq!(worker.ask("other.example", 443).unwrap(), Answer::Allow);
        let requests = fake.thread.join().unwrap();
        let sent: Vec<serde_json::Value> =
            requests.iter().map(|request| serde_json::from_str(request).unwrap()).collect();
        assert_eq!((&sent[0]["type"], &sent[1]["type"]), (&"register".into(), &"network".into()));
        assert_eq!((&sent[1]["workerId"], &sent[1]["cwd"]), (&"w".into(), &"/repo".into()));
        assert_eq!(sent[1]["capability"], capability().reveal());
        assert_ne!(sent[0]["id"], sent[1]["id"]);
    }
}

#[test]
fn a_registration_that_is_not_understood_is_none() {
    let engine = engine();
    for reply in [
        "{\"action\":\"deny\"}\n",
        "{\"id\":\"ID\",\"action\":\"deny\"}\n",
        "{\"id\":\"another\",\"action\":\"allow\",\"network\":{\"allowedDomains\":[\"ok.example\"],\"deniedDomains\":[]}}\n",
        "{\"id\":\"ID\",\"action\":\"Allow\"}\n",
        "{\"id\":\"ID\",\"action\":\"allow\"\n",
        "\n",
        &format!("{:<16400}\n", welcome()[0]),
        &"x".repeat(20_000),
    ] {
        let fake = Fake::new(vec![script(&[reply])]);
        assert!(matches!(fake.register(&engine), Err(ClientError::Denied)), "{reply}");
    }
}

#[test]
fn a_policy_that_does_not_decode_denies_everything() {
    let engine = engine();
    for network in [
        r#"{"allowedDomains":["ok.example"],"deniedDomains":[],"extra":1}"#,
        r#"{"allowedDomains":["ok.example"]}"#,
        r#"{"allowedDomains":["ok.example","*"],"deniedDomains":[]}"#,
        r#"{"allowedDomains":["ok.example"],"deniedDomains":"no.example"}"#,
        "null",
    ] {
        let reply = format!("{{\"id\":\"ID\",\"action\":\"allow\",\"network\":{network}}}\n");
        let worker = Fake::new(vec![vec![reply]]).register(&engine).unwrap();
        assert_eq!(worker.check("ok.example", 443), Action::Deny, "{network}");
        assert_eq!(worker.check("other.example", 443), Action::Deny);
    }
}

#[test]
fn a_connection_that_ends_without_a_reply_is_no_answer() {
    let engine = engine();
    for pieces in [&[][..], &[r#"{"id":"ID","action":"allow"}"#], &[r#"{"id":"ID","act"#]] {
        let fake = Fake::new(vec![welcome(), script(pieces), script(&["{\"id\":\"ID\",\"action\":\"allow\"}\n"])]);
        let worker = fake.register(&engine).unwrap();
        let error = worker.ask("other.example", 443).unwrap_err();
        assert!(matches!(error, ClientError::Io(_)), "{error}");
        assert!(error.to_string().starts_with("no answer from the supervisor: "), "{error}");
        // The next request has a connection of its own.
        assert_eq!(worker.ask("other.example", 443).unwrap(), Answer::Allow);
    }
}

#[test]
fn without_a_supervisor_nothing_is_allowed() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let nowhere = directory.path().join("s");
    let register = |path: &PathBuf| WorkerClient::register(&engine, path, &capability(), "w", "/repo");
    let Err(ClientError::Io(error)) = register(&nowhere) else { panic!("registered with nobody") };
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    drop(UnixListener::bind(&nowhere).unwrap());
    let Err(ClientError::Io(error)) = register(&nowhere) else { panic!("registered with nobody") };
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    let Err(ClientError::Io(_)) = register(&directory.path().join("s".repeat(200))) else { panic!("too long a path") };

    // A worker that loses its supervisor goes on with its policy, and no ask is allowed.
    let fake = Fake::new(vec![welcome()]);
    let worker = fake.register(&engine).unwrap();
    fake.thread.join().unwrap();
    assert_eq!(worker.check("ok.example", 443), Action::Allow);
    assert!(matches!(worker.ask("other.example", 443), Err(ClientError::Io(_))));
    assert!(matches!(worker.unregister(), Err(ClientError::Io(_))));
    assert_eq!(worker.check("ok.example", 443), Action::Deny, "it has left");
    assert!(matches!(worker.ask("other.example", 443), Err(ClientError::Policy(Error::Refused(_)))));
}

#[test]
fn what_a_supervisor_would_refuse_is_not_sent() {
    let engine = engine();
    let fake = Fake::new(vec![welcome()]);
    let worker = fake.register(&engine).unwrap();
    for (host, port) in [("a".repeat(254).as_str(), 443), ("other.example", 0)] {
        let Err(ClientError::Policy(Error::Refused(reason))) = worker.ask(host, port) else { panic!("sent") };
        assert_eq!(reason, "a hostname has at most 253 UTF-16 units and a port is 1 to 65535");
    }
}
