//! The compiler for `wasm32-unknown-unknown`: found, or installed.

mod choice;
mod debian;
mod facts;
mod rustup;

use std::process::Command;

use anyhow::{Result, bail};

use crate::cargo;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use choice::Way;

/// The target of both guests.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that can make WebAssembly.
pub(crate) enum Toolchain {
    /// The toolchain in use, with the target's standard library.
    Current,
    /// Debian's `-web` packages: a compiler and the standard library's source, which is built along.
    Debian,
}

impl Toolchain {
    /// Finds a toolchain; installs one when there is none.
    pub(crate) fn find(repo: &Repo) -> Result<Self> {
        let ways = choice::ways(&facts::gather()?)?;
        for way in ways {
            match take(repo, way) {
                Ok(toolchain) => return Ok(toolchain),
                Err(error) => {
                    report::note("build", &format!("toolchain: {} did not work: {error:#}", way.name()));
                }
            }
        }
        bail!(choice::HOW_TO_INSTALL)
    }

    /// A `cargo rustc` for the target: the build of one crate, with a word in how.
    pub(crate) fn cargo_rustc(&self, repo: &Repo) -> Command {
        let mut command = match self {
            Self::Current => {
                let mut command = cargo::command(repo);
                command.arg("rustc");
                command
            }
            Self::Debian => debian::cargo_rustc(repo),
        };
        command.args(["--target", TARGET]);
        command
    }

    /// Compiler flags that only this toolchain takes.
    pub(crate) fn flags(&self) -> &'static [&'static str] {
        match self {
            Self::Current => &[],
            Self::Debian => &debian::FLAGS,
        }
    }

    /// Asks this toolchain's rustc.
    pub(crate) fn ask_rustc(&self, arguments: &[&str]) -> Result<String> {
        let mut command = match self {
            Self::Current => facts::current_rustc(),
            Self::Debian => debian::rustc(),
        };
        Ok(run::output(command.args(arguments))?.trim().to_owned())
    }
}

fn take(repo: &Repo, way: Way) -> Result<Toolchain> {
    let step = Step::start("build", &format!("toolchain: {}", way.name()));
    let toolchain = match way {
        Way::Installed => Toolchain::Current,
        Way::AddTarget => {
            rustup::add_target(repo)?;
            if !facts::target_installed() {
                bail!("rustup ended well, but {TARGET} is still not there");
            }
            Toolchain::Current
        }
        Way::DebianReady => Toolchain::Debian,
        Way::InstallDebian => {
            debian::install(repo)?;
            Toolchain::Debian
        }
    };
    step.done(&toolchain.ask_rustc(&["--version"])?);
    Ok(toolchain)
}
