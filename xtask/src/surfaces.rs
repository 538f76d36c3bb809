//! The agent, its subagents and workers in three languages, as real processes: `host-tests/surfaces`.

use std::process::Command;

use anyhow::Result;

use crate::cargo;
use crate::python;
use crate::repo::Repo;
use crate::run;
use crate::tools;

/// Runs the tests; the npm package and the component must be there.
pub(crate) fn test(repo: &Repo) -> Result<()> {
    python::install(repo)?;
    let mut example = cargo::command(repo);
    // With the features of the crate's own tests, so that nothing is compiled twice.
    example.args(["build", "--package", "policy-host", "--features", "tokio", "--example", "worker"]);
    run::visible(&mut example)?;
    tools::node()?;
    run::visible(Command::new("node").arg(repo.host_tests().join("surfaces/run.mjs")))
}
