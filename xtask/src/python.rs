//! The component in Python: wasmtime's package in a virtual environment of its own, and the module's tests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::files;
use crate::repo::Repo;
use crate::report::Step;
use crate::run;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(900);

/// Makes `target/python` from the requirements of the conformance host, unless it was made from this very file.
pub(crate) fn install(repo: &Repo) -> Result<()> {
    let requirements = repo.host_tests().join("requirements.txt");
    let wanted = files::read(&requirements)?;
    let installed = repo.venv().join("installed-requirements.txt");
    if fs::read(&installed).is_ok_and(|old| old == wanted) {
        return Ok(());
    }
    let step = Step::start("build", "Python packages");
    files::fresh_folder(&repo.venv())?;
    run::quiet(repo, "python-venv", tools::python()?.args(["-m", "venv"]).arg(repo.venv()), LIMIT)?;
    let mut pip = Command::new(interpreter(repo));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(requirements);
    run::quiet(repo, "pip-install", &mut pip, LIMIT)?;
    files::write_if_changed(&installed, &wanted)?;
    step.done("");
    Ok(())
}

/// Runs the tests of the Python module; the component must be there.
pub(crate) fn test(repo: &Repo) -> Result<()> {
    install(repo)?;
    let mut tests = Command::new(interpreter(repo));
    tests.args(["-m", "unittest", "discover", "-s", "wasm-component/python/tests"]).current_dir(repo.root());
    run::visible(&mut tests)
}

fn interpreter(repo: &Repo) -> PathBuf {
    repo.venv().join("bin/python3")
}
