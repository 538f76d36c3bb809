//! Looks at the machine.

use std::env;
use std::fs;
use std::process::Command;

use anyhow::Result;

use super::choice::{FORCE, Facts, Forced};
use super::{TARGET, debian};
use crate::apt;
use crate::run;
use crate::tools;

/// Everything the choice depends on.
pub(crate) fn gather() -> Result<Facts> {
    let forced = env::var(FORCE).unwrap_or_default();
    Ok(Facts {
        target_installed: target_installed(),
        rustup: tools::on_path("rustup").is_some(),
        rustup_forbidden: env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0"),
        debian_ready: debian::is_installed(),
        apt: apt::is_there(),
        root: apt::is_root(),
        forced: Forced::parse(&forced)?,
    })
}

/// Whether the toolchain in use has the target. rustc prints the folder even when nothing is there.
pub(crate) fn target_installed() -> bool {
    let Ok(folder) = run::output(current_rustc().args(["--print", "target-libdir", "--target", TARGET])) else {
        return false;
    };
    let Ok(entries) = fs::read_dir(folder.trim()) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
}

/// The rustc of the toolchain in use.
pub(crate) fn current_rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}
