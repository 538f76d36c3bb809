//! Builds the programs of the workspace `bench/`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{self, Built};
use crate::repo::Repo;
use crate::report::Step;
use crate::toolchain::Toolchain;

/// The programs of one package, optimised.
pub(crate) struct Programs {
    package: &'static str,
    built: Built,
}

impl Programs {
    pub(crate) fn build(repo: &Repo, package: &'static str, features: &[&str]) -> Result<Self> {
        let step = Step::start("bench", package);
        let mut command = cargo::command(repo);
        command.args(["build", "--release", "--locked", "--package", package]).args(features);
        in_workspace(repo, &mut command, "cargo");
        let built = cargo::build(&step, &mut command)?;
        step.done(&built.note());
        Ok(Self { package, built })
    }

    pub(crate) fn find(&self, name: &str) -> Result<&Path> {
        let is_it = |file: &&PathBuf| {
            let end = file.extension().unwrap_or_default();
            file.file_stem().is_some_and(|stem| stem == name) && (end.is_empty() || end == "exe")
        };
        let file = self.built.files.iter().find(is_it);
        file.map(PathBuf::as_path).with_context(|| format!("{} made no program {name}", self.package))
    }
}

/// The core as a plain module without a component around it, compiled like the guests.
pub(crate) fn module(repo: &Repo, toolchain: &Toolchain) -> Result<PathBuf> {
    let step = Step::start("bench", "bench-module");
    let mut command = toolchain.cargo_rustc(repo);
    command.args(["--locked", "--profile", "wasm", "--package", "bench-module", "--lib"]);
    in_workspace(repo, &mut command, "wasm");
    let built = cargo::build(&step, &mut command)?;
    step.done(&built.note());
    let module = built.files.into_iter().rfind(|file| file.extension().is_some_and(|end| end == "wasm"));
    module.context("bench-module made no .wasm file")
}

fn in_workspace(repo: &Repo, command: &mut Command, target: &str) {
    command.arg("--manifest-path").arg(repo.root().join("bench/Cargo.toml"));
    if env::var_os("CARGO_TARGET_DIR").is_none() {
        command.arg("--target-dir").arg(repo.root().join("target/bench").join(target));
    }
}
