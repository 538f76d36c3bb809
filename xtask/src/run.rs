//! Runs other programs.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::repo::Repo;
use crate::report;

/// How many lines of a failed tool's log are shown.
const LOG_TAIL: usize = 40;
const POLL: Duration = Duration::from_millis(20);

/// Runs a program whose output is for the reader.
pub(crate) fn visible(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a program whose output matters only when it fails: it goes to `target/xtask/logs/NAME.log`.
pub(crate) fn quiet(repo: &Repo, name: &str, command: &mut Command, limit: Duration) -> Result<()> {
    let log_path = repo.logs().join(format!("{name}.log"));
    fs::create_dir_all(repo.logs()).with_context(|| format!("cannot make {}", repo.logs().display()))?;
    let log = File::create(&log_path).with_context(|| format!("cannot write {}", log_path.display()))?;
    let errors = log.try_clone().context("cannot share the log file")?;
    let outcome = wait(command.stdin(Stdio::null()).stdout(log).stderr(errors), limit)?;
    let reason = match outcome {
        Some(status) if status.success() => return Ok(()),
        Some(status) => status.to_string(),
        None => format!("no end after {} s", limit.as_secs()),
    };
    let tail = tail(&log_path);
    if !tail.is_empty() {
        report::line(&tail);
    }
    bail!("`{}` failed ({reason}); all of its output is in {}", shown(command), log_path.display());
}

/// The standard output of a program.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed ({}): {}", shown(command), output.status, errors.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed text that is not UTF-8", shown(command)))
}

/// The command as one would type it: without the folder of the program.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or(command.get_program()).display().to_string();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.display().to_string());
    }
    text
}

/// Why a program did not even start.
pub(crate) fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", command.get_program().display())
}

/// None when the time is over; the program is ended then.
fn wait(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    let mut child = command.spawn().with_context(|| cannot_start(command))?;
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().with_context(|| format!("lost sight of `{}`", shown(command)))? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            // It may have ended by itself in this moment, which is fine too.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn tail(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(LOG_TAIL);
    lines.get(start..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_is_standard_output() {
        assert_eq!(output(&mut shell("echo one; echo two >&2")).unwrap(), "one\n");
    }

    #[test]
    fn a_failure_tells_what_was_run_and_why() {
        let error = output(&mut shell("echo broken >&2; exit 3")).unwrap_err().to_string();
        assert!(error.contains("sh -c") && error.contains("exit status: 3") && error.contains("broken"), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = output(&mut Command::new("no-such-program-here")).unwrap_err().to_string();
        assert_eq!(error, "cannot start `no-such-program-here`");
    }

    #[test]
    fn a_command_is_shown_without_the_folder_of_the_program() {
        assert_eq!(shown(Command::new("/usr/bin/cargo").args(["build", "--package", "a"])), "cargo build --package a");
    }

    #[test]
    fn waiting_has_an_end() {
        let started = Instant::now();
        assert!(wait(&mut shell("exec sleep 30"), Duration::from_millis(100)).unwrap().is_none());
        assert!(started.elapsed() < Duration::from_secs(10));
        assert!(wait(&mut shell("exit 0"), Duration::from_secs(10)).unwrap().unwrap().success());
    }
}
