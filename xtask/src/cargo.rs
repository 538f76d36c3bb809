//! Calls cargo from inside `cargo xtask`.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::repo::Repo;
use crate::report::Step;
use crate::run;

/// What `cargo run` sets for the program it starts, and what a cargo below must not see: build scripts would
/// take it for their own, and every change of it makes cargo compile again.
const LEFT_BEHIND: [&str; 3] = ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "RUST_RECURSION_COUNT"];

/// The cargo that started xtask, in the root folder.
pub(crate) fn command(repo: &Repo) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repo.root());
    clean(&mut command);
    command
}

/// Removes what `cargo run` leaves in the environment of xtask.
pub(crate) fn clean(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let left_behind =
            name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || LEFT_BEHIND.contains(&name));
        if left_behind {
            command.env_remove(name);
        }
    }
}

/// What a build made.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Built {
    /// Every file, in the order in which cargo names them.
    pub(crate) files: Vec<PathBuf>,
    /// How many crates had to be compiled: none when nothing changed.
    pub(crate) compiled: usize,
}

impl Built {
    /// For the end of a step.
    pub(crate) fn note(&self) -> String {
        match self.compiled {
            0 => "unchanged".to_owned(),
            1 => "1 crate compiled".to_owned(),
            several => format!("{several} crates compiled"),
        }
    }

    /// Takes in one line of cargo's JSON messages. Anything but a finished crate is of no interest here.
    fn add(&mut self, message: &str) {
        let Ok(message) = serde_json::from_str::<Value>(message) else { return };
        if message.get("reason").and_then(Value::as_str) != Some("compiler-artifact") {
            return;
        }
        if message.get("fresh").and_then(Value::as_bool) == Some(false) {
            self.compiled += 1;
        }
        let files = message.get("filenames").and_then(Value::as_array);
        self.files.extend(files.into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from));
    }
}

/// Runs a `cargo build` or `cargo rustc`. Compiler messages are shown; cargo's own progress becomes that of the step.
pub(crate) fn build(step: &Step, command: &mut Command) -> Result<Built> {
    command.args(["--quiet", "--message-format=json-render-diagnostics"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| run::cannot_start(command))?;
    let mut built = Built::default();
    if let Some(messages) = child.stdout.take() {
        for message in BufReader::new(messages).lines() {
            built.add(&message.context("cannot read cargo's messages")?);
            step.progress(built.note());
        }
    }
    let status = child.wait().context("lost sight of cargo")?;
    if !status.success() {
        bail!("`{}` failed ({status})", run::shown(command));
    }
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_messages_tell_files_and_work() {
        let mut built = Built::default();
        built.add(r#"{"reason":"compiler-artifact","filenames":["/t/liba.rlib"],"fresh":true}"#);
        assert_eq!(built.note(), "unchanged");
        built.add(r#"{"reason":"compiler-artifact","filenames":["/t/b.wasm","/t/libb.rlib"],"fresh":false}"#);
        built.add(r#"{"reason":"build-finished","success":true}"#);
        built.add("a build script talks");
        assert_eq!(built.files, ["/t/liba.rlib", "/t/b.wasm", "/t/libb.rlib"].map(PathBuf::from));
        assert_eq!(built.note(), "1 crate compiled");
    }
}
