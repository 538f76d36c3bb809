//! The worked example, as a process of its own.

use std::env;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use policy_host::unix::{PrivateDirectory, SupervisorServer};
use policy_host::{Answer, Ask, Policy, WorkerState};

use super::{capability, supervisor};
use crate::engine;

#[test]
fn a_worker_as_a_process() {
    let engine = engine();
    let directory = PrivateDirectory::new().unwrap();
    let asks = Arc::new(Mutex::new(Vec::new()));
    let approver = {
        let asks = Arc::clone(&asks);
        move |ask: &Ask| {
            asks.lock().unwrap().push(ask.hostname.clone());
            if ask.port == 443 { Answer::Allow } else { Answer::Deny }
        }
    };
    let server = SupervisorServer::bind(directory.path().join("s"), supervisor(&engine, |_| {}), approver).unwrap();
    // Cargo builds examples beside the tests.
    let example = env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples/worker");
    let mut worker = Command::new(example)
        .arg(server.path())
        .args(["worker-1", "/repo"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let destinations = [
        r#"["OK.example.",443]"#,
        r#"["no.example",80]"#,
        r#"["Ask.example",443]"#,
        r#"["ask.example",22]"#,
        r#"["127.1",1]"#,
        r#"["é",1]"#,
    ];
    let input = format!("{}\n{}\n", capability().reveal(), destinations.join("\n"));
    worker.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success());
    let policy = Policy::from_lists(&engine, &["ok.example"], &["no.example"]).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            format!(r#"{{"fingerprint":"{}"}}"#, policy.fingerprint()).as_str(),
            r#"{"host":"OK.example.","port":443,"action":"allow","reason":"rule","index":0}"#,
            r#"{"host":"no.example","port":80,"action":"deny","reason":"rule","index":0}"#,
            r#"{"host":"Ask.example","port":443,"action":"review","reason":"unmatched","asked":"allow"}"#,
            r#"{"host":"ask.example","port":22,"action":"review","reason":"unmatched","asked":"deny"}"#,
            r#"{"host":"127.1","port":1,"action":"deny","reason":"not-public"}"#,
            r#"{"host":"é","port":1,"action":"deny","reason":"malformed-host"}"#,
        ]
    );
    assert_eq!(*asks.lock().unwrap(), ["ask.example", "ask.example"]);
    let workers = server.workers().unwrap();
    assert_eq!((workers[0].id.as_str(), workers[0].cwd.as_str()), ("worker-1", "/repo"));
    assert_eq!((workers[0].state, workers[0].requests), (WorkerState::Exited, 2));
}
