//! Compiles a guest crate to a core WebAssembly module.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cargo;
use crate::files;
use crate::repo::Repo;
use crate::report::Step;
use crate::toolchain::Toolchain;

/// SHA-256 as a loop instead of unrolled: 6 KB less code, and fingerprints are taken once a policy.
const COMPACT_SHA: &str = "--cfg=sha2_backend_soft=\"compact\"";

/// Builds a guest and returns the module.
///
/// Each guest is a cargo call of its own: in one call cargo would give both the union of their features, and
/// one guest's code would depend on the other's. The crate type is given here, not in the manifest: beside an rlib,
/// cargo makes the cdylib without link-time optimisation, and the component's exports have no native linker names.
pub(crate) fn build(repo: &Repo, toolchain: &Toolchain, package: &str) -> Result<Vec<u8>> {
    let step = Step::start("build", &format!("guest {package}"));
    let mut command = toolchain.cargo_rustc(repo);
    command.args(["--locked", "--profile", "wasm", "--package", package, "--lib", "--crate-type", "cdylib"]);
    command.arg("--target-dir").arg(repo.wasm_target());
    let mut flags = remapped_paths(repo, toolchain)?;
    for flag in [COMPACT_SHA].iter().chain(toolchain.flags()) {
        flags.push("\u{1f}");
        flags.push(flag);
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags);
    let built = cargo::build(&step, &mut command)?;
    let module = built.files.iter().rfind(|file| file.extension().is_some_and(|end| end == "wasm"));
    let module = module.with_context(|| format!("{package} made no .wasm file"))?;
    let bytes = files::read(module)?;
    step.done(&built.note());
    Ok(bytes)
}

/// Compiler flags that keep this machine's folders out of the module, so that the same bytes come out anywhere.
fn remapped_paths(repo: &Repo, toolchain: &Toolchain) -> Result<OsString> {
    let sysroot = toolchain.ask_rustc(&["--print", "sysroot"])?;
    let version = toolchain.ask_rustc(&["--version", "--verbose"])?;
    let library = format!("/rustc/{}", commit(&version));
    let mut folders = vec![(repo.root().to_owned(), "/pi-sandbox-policy"), (cargo_home()?, "/cargo")];
    let source = Path::new(&sysroot).join("lib/rustlib/src/rust");
    if let Ok(real) = source.canonicalize() {
        folders.push((real, &library));
    }
    folders.push((source, &library));
    Ok(encoded_flags(&folders))
}

/// `CARGO_ENCODED_RUSTFLAGS` separates by the unit separator. Of several prefixes rustc takes the last that fits.
fn encoded_flags(folders: &[(PathBuf, &str)]) -> OsString {
    let mut flags = OsString::new();
    for (from, to) in folders {
        if !flags.is_empty() {
            flags.push("\u{1f}");
        }
        flags.push("--remap-path-prefix=");
        flags.push(from);
        flags.push("=");
        flags.push(to);
    }
    flags
}

/// The compiler's own name for its source, as its ready-made libraries have it too.
fn commit(version: &str) -> &str {
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
    commit.filter(|hash| *hash != "unknown").unwrap_or("source")
}

/// Where cargo keeps what it downloads.
pub(crate) fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = env::home_dir().context("no home folder: set CARGO_HOME")?;
    Ok(home.join(".cargo"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_separated_by_the_unit_separator() {
        let flags = encoded_flags(&[("/home/a b".into(), "/x"), ("/c".into(), "/y")]);
        assert_eq!(flags, "--remap-path-prefix=/home/a b=/x\u{1f}--remap-path-prefix=/c=/y");
    }

    #[test]
    fn the_compiler_names_its_commit() {
        assert_eq!(commit("rustc 1.95.0\ncommit-hash: 5980\nhost: x"), "5980");
        assert_eq!(commit("rustc 1.95.0\ncommit-hash: unknown\n"), "source");
        assert_eq!(commit(""), "source");
    }
}
