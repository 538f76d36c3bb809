//! Finds the tools that are not Rust's, and says what to do when one is missing.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run;

/// A program of the machine and the oldest version that will do.
struct Tool {
    name: &'static str,
    oldest: (u32, u32),
    advice: &'static str,
}

const NODE: Tool =
    Tool { name: "node", oldest: (20, 0), advice: "install Node.js 20 or newer, with npm, from https://nodejs.org" };
const NPM: Tool = Tool { name: "npm", oldest: (9, 0), advice: NODE.advice };
const PYTHON: Tool = Tool {
    name: "python3",
    oldest: (3, 11),
    advice: "install Python 3.11 or newer, on Debian `apt-get install -y python3 python3-venv`",
};

/// Makes sure that Node.js is there.
pub(crate) fn node() -> Result<()> {
    find(&NODE).map(drop)
}

/// Node.js and npm; a command that runs npm.
pub(crate) fn npm() -> Result<Command> {
    node()?;
    find(&NPM).map(Command::new)
}

/// Python 3.
pub(crate) fn python() -> Result<Command> {
    find(&PYTHON).map(Command::new)
}

/// Where the PATH has a program.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

fn find(tool: &Tool) -> Result<PathBuf> {
    let Tool { name, advice, .. } = *tool;
    let program = on_path(name).with_context(|| format!("{name} is not on the PATH: {advice}"))?;
    let printed = run::output(Command::new(&program).arg("--version"))?;
    match version(&printed) {
        Some(found) if found >= tool.oldest => Ok(program),
        _ => bail!("`{name} --version` says {}: {advice}", printed.trim()),
    }
}

/// The first two numbers of `v20.1.0`, `11.2.0` or `Python 3.11.7`.
fn version(printed: &str) -> Option<(u32, u32)> {
    let numbers = printed.trim().trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut parts = numbers.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_tools_print() {
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(version("11.19.1"), Some((11, 19)));
        assert_eq!(version("Python 3.11.7\n"), Some((3, 11)));
        assert_eq!(version("command not found"), None);
        assert_eq!(version(""), None);
    }

    #[test]
    fn a_missing_tool_comes_with_advice() {
        let missing = Tool { name: "no-such-program-here", oldest: (1, 0), advice: "make one" };
        assert_eq!(find(&missing).unwrap_err().to_string(), "no-such-program-here is not on the PATH: make one");
    }

    #[test]
    fn an_old_tool_comes_with_advice() {
        let old = Tool { name: "cargo", oldest: (u32::MAX, 0), advice: "get a newer one" };
        assert!(find(&old).unwrap_err().to_string().ends_with(": get a newer one"));
    }
}
