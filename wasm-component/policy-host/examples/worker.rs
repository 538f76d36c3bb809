//! A worker in Rust: joins a supervisor, decides by its policy, and asks it about the rest.
//!
//! ```sh
//! cargo run --example worker -- SOCKET WORKER-ID CWD < input
//! ```
//!
//! The first line of the input is the capability, since everybody can read a command line. Each further line is a
//! destination in JSON, such as `["api.github.com", 443]`. The first line of the output is the fingerprint of the
//! policy; each further one says what becomes of a destination, in order.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io::{self, BufRead as _, Write as _};

use policy_host::unix::WorkerClient;
use policy_host::{Answer, Capability, Decision, PolicyEngine};
use serde::Serialize;

#[derive(Serialize)]
struct Said<'a> {
    host: &'a str,
    port: u16,
    action: &'static str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<&'static str>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [socket, worker_id, cwd] = &arguments[..] else { return Err("usage: worker SOCKET WORKER-ID CWD".into()) };
    let mut lines = io::stdin().lock().lines();
    let capability = Capability::new(lines.next().ok_or("the first line is the capability")??);
    let worker = WorkerClient::register(&PolicyEngine::new()?, socket, &capability, worker_id, cwd)?;
    say(&BTreeMap::from([("fingerprint", worker.fingerprint()?)]))?;
    // Leaves also when a line is no destination.
    let answered = lines.try_for_each(|line| answer(&worker, &line?));
    worker.unregister()?;
    answered
}

fn answer(worker: &WorkerClient, line: &str) -> Result<(), Box<dyn Error>> {
    let (host, port): (String, u16) = serde_json::from_str(line)?;
    let decision = worker.decide(&host, port);
    let asked = match &decision {
        // About the canonical host, which is also the one to connect to.
        Decision::Review { host, port } => Some(worker.ask(host, *port).unwrap_or_else(|error| {
            eprintln!("worker: {error}");
            Answer::Deny
        })),
        _ => None,
    };
    let index = decision.rule().map(|rule| rule.index);
    let (action, reason, asked) = (decision.action().name(), decision.reason(), asked.map(Answer::name));
    say(&Said { host: &host, port, action, reason, index, asked })
}

fn say(line: &impl Serialize) -> Result<(), Box<dyn Error>> {
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, line)?;
    writeln!(output)?;
    Ok(output.flush()?)
}
