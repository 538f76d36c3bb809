//! Everything this repository does beyond plain cargo: `cargo xtask` builds the WebAssembly artifacts, runs
//! every check and shows the hosts side by side.
//!
//! To add a command, write a module in `commands/` with a `COMMAND` and list it in `commands/mod.rs`.

mod apt;
mod cargo;
mod cli;
mod commands;
mod component;
mod component_js;
mod conformance;
mod digest;
mod dist;
mod files;
mod guest;
mod lock;
mod npm;
mod python;
mod repo;
mod report;
mod run;
mod sections;
mod sizes;
mod stamp;
mod surfaces;
mod toolchain;
mod tools;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::error(&error);
            if error.is::<cli::Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
