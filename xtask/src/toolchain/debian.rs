//! Debian's compiler for browsers: `rustc-web` and its companions.
//!
//! They bring no standard library for `wasm32-unknown-unknown`, but its source, so cargo builds it along
//! (`-Zbuild-std`, which is why `RUSTC_BOOTSTRAP` is set).

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::apt;
use crate::cargo;
use crate::repo::Repo;

const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const LINKER: &str = "/usr/bin/wasm-ld-19";

/// What points at another toolchain, or would change the bytes that come out.
const OTHER_TOOLCHAIN: [&str; 10] = [
    "CARGO",
    "RUSTC",
    "RUSTDOC",
    "RUSTUP_TOOLCHAIN",
    "LD_LIBRARY_PATH",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_RUSTFLAGS",
];

/// Whether all packages are installed. Debian has other packages with a `/usr/bin/rustc`, so dpkg is asked.
pub(crate) fn is_installed() -> bool {
    apt::are_installed(&PACKAGES)
}

/// Installs the packages.
pub(crate) fn install(repo: &Repo) -> Result<()> {
    apt::install(repo, &PACKAGES)
}

/// A `cargo rustc` that builds the standard library along.
pub(crate) fn cargo_rustc(repo: &Repo) -> Command {
    let mut command = Command::new(CARGO);
    command.current_dir(repo.root());
    cargo::clean(&mut command);
    use_debian(&mut command);
    command.env("RUSTC", RUSTC);
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER);
    command.args(["rustc", "-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]);
    command
}

/// A panic is a trap either way; without its message nobody could read a sixteenth of the module goes. Needs a standard
/// library that is built along.
pub(crate) const FLAGS: [&str; 2] = ["-Zunstable-options", "-Cpanic=immediate-abort"];

/// Debian's rustc.
pub(crate) fn rustc() -> Command {
    let mut command = Command::new(RUSTC);
    use_debian(&mut command);
    command
}

fn use_debian(command: &mut Command) {
    for name in OTHER_TOOLCHAIN {
        command.env_remove(name);
    }
    let mut path = OsString::from("/usr/bin:");
    path.push(env::var_os("PATH").unwrap_or_default());
    command.env("PATH", path);
}
