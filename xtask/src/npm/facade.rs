//! Calls the build and the tests of the hand-written facade in `wasm-js/npm`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::packages;
use crate::files;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use crate::stamp::Stamp;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(600);

/// Makes the finished package. The facade's build reads the glue folder and writes the package folder.
pub(crate) fn build(repo: &Repo) -> Result<()> {
    if !is_there(repo) {
        return Ok(());
    }
    packages::install(repo, &repo.npm_project())?;
    let step = Step::start("build", "npm package");
    let package = repo.npm_package();
    let stamp = Stamp::new(repo.artifacts().join("npm/package.stamp"))
        .tree(&repo.npm_project(), &["node_modules"])?
        .tree(&repo.npm_glue(), &[])?
        .input("LICENSE", &files::read(&repo.root().join("LICENSE"))?)
        // What `lint --explain` prints.
        .input("lint.md", &files::read(&repo.root().join("policy-core/spec/lint.md"))?)
        .input("diagnostic.md", &files::read(&repo.root().join("policy-core/spec/diagnostic.md"))?);
    if stamp.is_current(&[package.join("package.json")]) {
        step.done("unchanged");
        return Ok(());
    }
    stamp.clear()?;
    files::fresh_folder(&package)?;
    run::quiet(repo, "npm-run-build", npm(repo)?.args(["run", "build"]), LIMIT)?;
    stamp.record()?;
    step.done("");
    Ok(())
}

/// Runs the facade's own tests against the finished package.
pub(crate) fn test(repo: &Repo) -> Result<()> {
    if !is_there(repo) {
        return Ok(());
    }
    run::visible(npm(repo)?.arg("test"))
}

/// Runs the tests of a packed tarball in every environment that can be had; `EXPECT_RUNTIMES` names those that must be.
pub(crate) fn test_packaging(repo: &Repo, tarball: &Path) -> Result<()> {
    run::visible(npm(repo)?.args(["run", "test:packaging"]).env("POLICY_TARBALL", tarball))
}

fn is_there(repo: &Repo) -> bool {
    let there = repo.npm_project().join("package.json").is_file();
    if !there {
        report::note("build", "npm package: skipped, there is no wasm-js/npm/package.json");
    }
    there
}

fn npm(repo: &Repo) -> Result<Command> {
    let mut npm = tools::npm()?;
    npm.current_dir(repo.npm_project());
    npm.env("POLICY_GLUE_DIR", repo.npm_glue()).env("POLICY_OUT_DIR", repo.npm_package());
    Ok(npm)
}
