//! The same for async programs: what differs is how an approver runs and how a request is given up.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use policy_host::unix::PrivateDirectory;
use policy_host::unix::tokio::{Approver, SupervisorServer, WorkerClient};
use policy_host::{Action, Answer, Ask, WorkerRecord};
use tokio::time::timeout;

use super::{DENY, LIMIT, REGISTER, Raw, capability, network, request, supervisor};
use crate::engine;

struct Seen(Sender<String>);

/// Tells when it is dropped: by its end, or because it was aborted.
struct Told(Sender<String>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.send("over".into()).unwrap();
    }
}

impl Approver for Seen {
    async fn approve(&self, ask: Ask) -> Answer {
        let _told = Told(self.0.clone());
        self.0.send(format!("ask {}", ask.hostname)).unwrap();
        match ask.hostname.as_str() {
            "panic.example" => panic!("on purpose"),
            "never.example" => pending().await,
            hostname => Answer::from_word(hostname.trim_end_matches(".example")),
        }
    }

    fn registered(&self, worker: &WorkerRecord) {
        self.0.send(format!("registered {}", worker.id)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_asks_and_leaves() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let (events, seen) = mpsc::channel();
    let path = directory.path().join("s");
    let server = SupervisorServer::bind(&path, supervisor(&engine, |_| {}), Seen(events)).unwrap();
    let event = || seen.recv_timeout(LIMIT).unwrap();

    let worker = WorkerClient::register(&engine, &path, &capability(), "w", "/repo").await.unwrap();
    assert_eq!(event(), "registered w");
    assert_eq!(worker.check("ok.example", 443), Action::Allow);
    assert_eq!(worker.decide("other.example", 443).action(), Action::Review);
    for (host, answer) in
        [("allow.example", Answer::Allow), ("deny.example", Answer::Deny), ("panic.example", Answer::Deny)]
    {
        assert_eq!(worker.ask(host, 443).await.unwrap(), answer, "{host}");
        assert_eq!((event(), event()), (format!("ask {host}"), "over".into()));
    }
    let all = worker.ask("allow.example", 443);
    let (one, other) = tokio::join!(all, worker.ask("deny.example", 444));
    assert_eq!((one.unwrap(), other.unwrap()), (Answer::Allow, Answer::Deny));
    assert_eq!(server.workers().await.unwrap()[0].requests, 5);
    assert_eq!(worker.unregister().await.unwrap(), Answer::Allow);
    assert_eq!(worker.check("ok.example", 443), Action::Deny);
    server.close().await;
    assert!(!path.exists());
    let error = WorkerClient::register(&engine, &path, &capability(), "v", "/repo").await.unwrap_err();
    assert!(error.to_string().starts_with("no answer from the supervisor: "), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_that_takes_too_long_is_aborted() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let (events, seen) = mpsc::channel();
    let impatient = supervisor(&engine, |options| options.ask_timeout_ms = 500);
    let server = SupervisorServer::bind(directory.path().join("s"), impatient, Seen(events)).unwrap();
    let worker = WorkerClient::register(&engine, server.path(), &capability(), "w", "/repo").await.unwrap();
    assert_eq!(worker.ask("never.example", 443).await.unwrap(), Answer::Deny);
    assert_eq!(worker.decide("ok.example", 443).action(), Action::Allow);
    let event = || seen.recv_timeout(LIMIT).unwrap();
    assert_eq!((event(), event(), event()), ("registered w".into(), "ask never.example".into(), "over".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_given_up_is_withdrawn() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let (events, seen) = mpsc::channel();
    let path = directory.path().join("s");
    let server = SupervisorServer::bind(&path, supervisor(&engine, |_| {}), Seen(events)).unwrap();
    let worker = WorkerClient::register(&engine, &path, &capability(), "w", "/repo").await.unwrap();
    let worker = Arc::new(worker);
    let asking = tokio::spawn({
        let worker = Arc::clone(&worker);
        async move { worker.ask("never.example", 443).await }
    });
    let event = || seen.recv_timeout(LIMIT).unwrap();
    assert_eq!((event(), event()), ("registered w".into(), "ask never.example".into()));
    asking.abort();
    assert_eq!(event(), "over");
    assert_eq!(worker.ask("allow.example", 443).await.unwrap(), Answer::Allow);
    drop(server);
    // Dropped, it ends soon after.
    let gone = async {
        while path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LIMIT, gone).await.unwrap();
}

#[test]
fn without_a_runtime_nothing_is_allowed() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let approver = |_: Ask| async { Answer::Allow };
    let bind = || SupervisorServer::bind(directory.path().join("s"), supervisor(&engine, |_| {}), approver);
    assert_eq!(bind().unwrap_err().kind(), io::ErrorKind::Other);

    // One that ends takes its approvers with it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(async { bind().unwrap() });
    drop(runtime);
    let mut raw = Raw::connect(server.path());
    raw.ask(&request("1", "w", REGISTER));
    assert_eq!(raw.ask(&request("2", "w", &network("ask.example"))), r#"{"id":"2","action":"deny"}"#);
    assert_eq!(raw.ask("{}\n"), DENY);
}
