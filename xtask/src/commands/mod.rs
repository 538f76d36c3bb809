//! The commands of `cargo xtask`, one module each.

mod bench;
mod build;
mod demo;
mod differential;
mod dist;
mod suffixes;
mod test;
mod validator;

use crate::cli::Command;

/// Every command, in the order in which the help lists them.
pub(crate) const COMMANDS: &[Command] = &[
    demo::COMMAND,
    validator::COMMAND,
    build::COMMAND,
    dist::COMMAND,
    test::COMMAND,
    differential::COMMAND,
    suffixes::COMMAND,
    bench::COMMAND,
];
