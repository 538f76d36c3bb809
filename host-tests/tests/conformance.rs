//! Every vector on every host of this machine, each a trial of its own, and every host's bytes
//! beside those of the native one.
//!
//! `HOSTS=node,python` narrows the run; `EXPECT_HOSTS=…` makes it fail when one of them is missing.
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;

use host_tests::vectors::{self, Vector};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let vectors = Arc::new(vectors::all());
    let mut trials = Vec::new();
    let native = Arc::new(HostRun::new("native"));
    let hosts = hosts();
    for host in &hosts {
        let run = if host == "native" { Arc::clone(&native) } else { Arc::new(HostRun::new(host)) };
        for (at, vector) in vectors.iter().enumerate() {
            let (run, vectors) = (Arc::clone(&run), Arc::clone(&vectors));
            let name = format!("{host}/{}", vector.name);
            trials.push(Trial::test(name, move || answers_exactly(&run, &vectors, at)));
        }
        let (run, native, vectors) = (run, Arc::clone(&native), Arc::clone(&vectors));
        trials.push(Trial::test(format!("{host}/same-bytes-as-native"), move || {
            let answers = run.answers(&vectors)?.iter().zip(native.answers(&vectors)?);
            match answers.filter(|(own, native)| own != native).count() {
                0 => Ok(()),
                count => Err(format!("{count} answers differ").into()),
            }
        }));
    }
    let missing: Vec<String> = listed("EXPECT_HOSTS").unwrap_or_default().difference(&hosts).cloned().collect();
    trials.push(Trial::test("all-expected-hosts-are-here", move || {
        if missing.is_empty() { Ok(()) } else { Err(format!("missing on this machine: {}", missing.join(", ")).into()) }
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn answers_exactly(run: &HostRun, vectors: &[Vector], at: usize) -> Result<(), Failed> {
    let (vector, answer) = (&vectors[at], &run.answers(vectors)?[at]);
    if *answer == vector.expect {
        return Ok(());
    }
    Err(format!("request  {}\nexpected {}\nanswered {answer}", vector.request, vector.expect).into())
}

/// One run of a host over all vectors, made when the first trial asks for it.
struct HostRun {
    host: String,
    answers: OnceLock<Result<Vec<String>, String>>,
}

impl HostRun {
    fn new(host: &str) -> Self {
        Self { host: host.to_owned(), answers: OnceLock::new() }
    }

    fn answers(&self, vectors: &[Vector]) -> Result<&[String], Failed> {
        self.answers.get_or_init(|| ask(&self.host, vectors)).as_deref().map_err(Failed::from)
    }
}

fn ask(host: &str, vectors: &[Vector]) -> Result<Vec<String>, String> {
    let mut child = Command::new(runner())
        .arg(host)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{host}: {error}"))?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let requests: String = vectors.iter().flat_map(|vector| [vector.request.as_str(), "\n"]).collect();
    let writer = thread::spawn(move || stdin.write_all(requests.as_bytes()));
    let output = child.wait_with_output().map_err(|error| format!("{host}: {error}"))?;
    let written = writer.join().expect("the writer does not panic");
    if !output.status.success() {
        return Err(format!("{host}: {}", output.status));
    }
    written.map_err(|error| format!("{host}: {error}"))?;
    let answers: Vec<String> = String::from_utf8(output.stdout)
        .map_err(|error| format!("{host}: {error}"))?
        .lines()
        .map(String::from)
        .collect();
    if answers.len() != vectors.len() {
        return Err(format!("{host}: {} requests, {} answers", vectors.len(), answers.len()));
    }
    Ok(answers)
}

fn hosts() -> BTreeSet<String> {
    listed("HOSTS").unwrap_or_else(|| {
        let list = Command::new(runner()).arg("--list").output().expect("host-tests/run is there");
        String::from_utf8_lossy(&list.stdout).lines().map(String::from).collect()
    })
}

fn listed(variable: &str) -> Option<BTreeSet<String>> {
    let value = env::var(variable).ok()?;
    Some(value.split([',', ' ']).filter(|host| !host.is_empty()).map(String::from).collect())
}

fn runner() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("run")
}
