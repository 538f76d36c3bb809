//! Asks the runtimes, through `host-tests/run`: JSON lines in, JSON lines out.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo;
use crate::repo::Repo;
use crate::report::Step;
use crate::run;

/// The runtimes that are shown; the first is the one the others are held against.
pub(crate) const RUNTIMES: [&str; 3] = ["native", "node", "wasmtime"];

/// What each runtime answered to one request, byte for byte, in the order of [`RUNTIMES`].
pub(crate) struct Answers {
    lines: Vec<String>,
}

impl Answers {
    pub(crate) fn new(lines: Vec<String>) -> Self {
        Self { lines }
    }

    pub(crate) fn agree(&self) -> bool {
        self.lines.iter().all(|line| line == self.first())
    }

    /// The native one.
    pub(crate) fn first(&self) -> &str {
        self.lines.first().map_or("", String::as_str)
    }

    /// With the names of the runtimes.
    pub(crate) fn by_runtime(&self) -> impl Iterator<Item = (&'static str, &str)> {
        RUNTIMES.into_iter().zip(self.lines.iter().map(String::as_str))
    }

    /// All on one line, for an error.
    pub(crate) fn listed(&self) -> String {
        let listed: Vec<String> = self.by_runtime().map(|(runtime, line)| format!("{runtime} says {line}")).collect();
        listed.join(", ")
    }
}

/// Asks every runtime the same; one [`Answers`] for each request.
pub(crate) fn ask_all(repo: &Repo, what: &str, requests: &[Value]) -> Result<Vec<Answers>> {
    let step = Step::start("demo", &format!("{what} through {}", RUNTIMES.join(", ")));
    let mut input = String::new();
    for request in requests {
        input.push_str(&request.to_string());
        input.push('\n');
    }
    let mut answers: Vec<Answers> = requests.iter().map(|_| Answers::new(Vec::new())).collect();
    for runtime in RUNTIMES {
        let lines = ask(repo, runtime, &input)?;
        if lines.len() != requests.len() {
            bail!("the runtime {runtime} gave {} answers to {} requests", lines.len(), requests.len());
        }
        for (answer, line) in answers.iter_mut().zip(lines) {
            answer.lines.push(line);
        }
    }
    step.done("");
    Ok(answers)
}

fn ask(repo: &Repo, runtime: &str, input: &str) -> Result<Vec<String>> {
    let mut command = Command::new(repo.host_tests().join("run"));
    command.arg(runtime).current_dir(repo.root());
    cargo::clean(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| run::cannot_start(&command))?;
    let requests = child.stdin.take();
    // Written beside the reading: a runtime may answer before it has read everything.
    let output = thread::scope(|scope| {
        scope.spawn(move || {
            // One that ends early is told by the number of its answers.
            requests.map(|mut requests| requests.write_all(input.as_bytes()))
        });
        child.wait_with_output()
    });
    let output = output.with_context(|| format!("lost sight of the runtime {runtime}"))?;
    if !output.status.success() {
        bail!("the runtime {runtime} failed ({})", output.status);
    }
    let text =
        String::from_utf8(output.stdout).with_context(|| format!("the runtime {runtime} did not answer in UTF-8"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_agree_byte_for_byte() {
        let answers = |lines: &[&str]| Answers::new(lines.iter().map(|line| (*line).to_owned()).collect());
        assert!(answers(&["{}", "{}", "{}"]).agree());
        let split = answers(&["{}", "{ }", "{}"]);
        assert!(!split.agree());
        assert_eq!(split.listed(), "native says {}, node says { }, wasmtime says {}");
    }
}
