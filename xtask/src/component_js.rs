//! The component transpiled to JavaScript by jco, in `wasm-component/js`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use crate::files;
use crate::npm;
use crate::repo::Repo;
use crate::report::Step;
use crate::run;
use crate::stamp::Stamp;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(300);

/// Transpiles the component, which must be there, unless this very component is.
pub(crate) fn build(repo: &Repo) -> Result<()> {
    let project = project(repo);
    npm::packages::install(repo, &project)?;
    let step = Step::start("build", "component transpiled by jco");
    let stamp = Stamp::new(repo.component().join("js.stamp"))
        .input("component", &files::read(&repo.bundled_component())?)
        .input("package-lock.json", &files::read(&project.join("package-lock.json"))?)
        .tree(&project.join("scripts"), &[])?;
    if stamp.is_current(&[project.join("generated/policy.js")]) {
        step.done("unchanged");
        return Ok(());
    }
    stamp.clear()?;
    let mut transpile = tools::npm()?;
    run::quiet(repo, "npm-run-transpile", transpile.args(["run", "transpile"]).current_dir(&project), LIMIT)?;
    stamp.record()?;
    step.done("");
    Ok(())
}

/// Runs the wrapper's own tests.
pub(crate) fn test(repo: &Repo) -> Result<()> {
    build(repo)?;
    run::visible(tools::npm()?.arg("test").current_dir(project(repo)))
}

fn project(repo: &Repo) -> PathBuf {
    repo.root().join("wasm-component/js")
}
