//! Installs what a `package-lock.json` names.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::files;
use crate::repo::Repo;
use crate::report::Step;
use crate::run;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(900);
/// A copy of the lock file as it was installed, kept inside `node_modules` so that it goes along with it.
const INSTALLED_LOCK: &str = "node_modules/.installed-lock.json";

/// `npm ci`, unless this very lock file is installed.
pub(crate) fn install(repo: &Repo, project: &Path) -> Result<()> {
    let lock = files::read(&project.join("package-lock.json"))?;
    let installed = project.join(INSTALLED_LOCK);
    if fs::read(&installed).is_ok_and(|old| old == lock) {
        return Ok(());
    }
    let name = project.strip_prefix(repo.root()).unwrap_or(project).display().to_string();
    let step = Step::start("build", &format!("npm packages of {name}"));
    let mut ci = tools::npm()?;
    ci.args(["ci", "--no-audit", "--no-fund"]).current_dir(project);
    run::quiet(repo, &format!("npm-ci-{}", name.replace('/', "-")), &mut ci, LIMIT)?;
    files::write_if_changed(&installed, &lock)?;
    step.done("");
    Ok(())
}
