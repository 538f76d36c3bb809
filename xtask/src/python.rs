//! Installs the Python packages of the conformance hosts into a virtual environment of their own.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::files;
use crate::repo::Repo;
use crate::report::Step;
use crate::run;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(900);

/// Makes `target/python` from a requirements file, unless it was made from this very file.
pub(crate) fn install(repo: &Repo, requirements: &Path) -> Result<()> {
    let wanted = files::read(requirements)?;
    let venv = repo.venv();
    let installed = venv.join("installed-requirements.txt");
    if fs::read(&installed).is_ok_and(|old| old == wanted) {
        return Ok(());
    }
    let step = Step::start("build", "Python packages");
    files::fresh_folder(&venv)?;
    run::quiet(repo, "python-venv", tools::python()?.args(["-m", "venv"]).arg(&venv), LIMIT)?;
    let mut pip = Command::new(venv.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(requirements);
    run::quiet(repo, "pip-install", &mut pip, LIMIT)?;
    files::write_if_changed(&installed, &wanted)?;
    step.done("");
    Ok(())
}
