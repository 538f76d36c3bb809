//! Finds the command that was typed, or prints the help.

use std::env;
use std::fmt;

use anyhow::Result;

use crate::commands::COMMANDS;
use crate::repo::Repo;
use crate::report;

/// One command of `cargo xtask`.
pub(crate) struct Command {
    /// The word that is typed.
    pub(crate) name: &'static str,
    /// What may follow it, as the help shows it.
    pub(crate) arguments: &'static str,
    /// One line for the list of commands.
    pub(crate) summary: &'static str,
    /// The rest of the command's own help.
    pub(crate) details: &'static str,
    /// Does the work; is given what follows the name.
    pub(crate) run: fn(&Repo, &[String]) -> Result<()>,
}

/// A mistake in what was typed: exit code 2 instead of 1.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Fails with a [`Usage`] error.
pub(crate) fn usage<T>(message: impl Into<String>) -> Result<T> {
    Err(Usage(message.into()).into())
}

/// Runs what the process arguments ask for.
pub(crate) fn run() -> Result<()> {
    let mut arguments = Vec::new();
    for argument in env::args_os().skip(1) {
        match argument.into_string() {
            Ok(argument) => arguments.push(argument),
            Err(argument) => return usage(format!("{} is not UTF-8", argument.display())),
        }
    }
    let Some((name, rest)) = arguments.split_first() else {
        return report::print(&help());
    };
    if is_help(name) || name == "help" {
        return report::print(&help());
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return usage(unknown(name));
    };
    if rest.iter().any(|argument| is_help(argument)) {
        return report::print(&command_help(command));
    }
    (command.run)(&Repo::find()?, rest)
}

fn unknown(name: &str) -> String {
    let meant = match nearest(name) {
        Some(command) => format!(": did you mean `{command}`?"),
        None => String::from(";"),
    };
    format!("unknown command `{name}`{meant} `cargo xtask --help` lists the commands")
}

/// The command that was most likely meant, if one is near.
fn nearest(name: &str) -> Option<&'static str> {
    COMMANDS
        .iter()
        .map(|command| (strsim::damerau_levenshtein(name, command.name), command.name))
        .filter(|&(distance, command)| distance <= if command.len() > 4 { 2 } else { 1 })
        .min()
        .map(|(_, command)| command)
}

fn is_help(argument: &str) -> bool {
    matches!(argument, "--help" | "-h")
}

fn help() -> String {
    let width = COMMANDS.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let mut text = String::from("usage: cargo xtask COMMAND [ARGUMENTS]\n\n");
    for Command { name, summary, .. } in COMMANDS {
        text.push_str(&format!("  {name:width$}  {summary}\n"));
    }
    text.push_str("\n`cargo xtask COMMAND --help` tells the arguments of a command.\n");
    text
}

fn command_help(command: &Command) -> String {
    let usage = format!("usage: cargo xtask {} {}", command.name, command.arguments);
    format!("{}\n\n{}\n\n{}\n", usage.trim_end(), command.summary, command.details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_command() {
        let help = help();
        for command in COMMANDS {
            assert!(help.contains(command.summary), "{}", command.name);
            assert!(command_help(command).contains(command.details), "{}", command.name);
        }
    }

    #[test]
    fn a_mistyped_command_is_recognised() {
        assert_eq!(nearest("tset"), Some("test"));
        assert_eq!(nearest("validater"), Some("validator"));
        assert_eq!(nearest("frobnicate"), None);
        assert!(unknown("buidl").contains("did you mean `build`?"));
    }

    #[test]
    fn names_are_unique() {
        for command in COMMANDS {
            assert_eq!(COMMANDS.iter().filter(|other| other.name == command.name).count(), 1);
            assert!(!is_help(command.name));
        }
    }
}
