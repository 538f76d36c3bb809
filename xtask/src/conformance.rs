//! What the hosts of the conformance tests need beyond the artifacts: npm packages and a browser.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Result;

use crate::apt;
use crate::npm;
use crate::python;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(900);

/// The names under which `host-tests/run` looks for a browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Installs everything, as far as this machine lets it. A host without its tool is left out of the tests, unless
/// `EXPECT_HOSTS` names it.
pub(crate) fn prepare(repo: &Repo) -> Result<()> {
    if repo.host_tests().join("package-lock.json").is_file() {
        npm::packages::install(repo, &repo.host_tests())?;
    }
    let requirements = repo.host_tests().join("requirements.txt");
    if requirements.is_file() {
        python::install(repo, &requirements)?;
    }
    transpile(repo)?;
    find_browser(repo)
}

/// The runner itself makes what its host `jco` runs.
fn transpile(repo: &Repo) -> Result<()> {
    if tools::on_path("node").is_some() {
        let mut host = Command::new(repo.host_tests().join("run"));
        run::quiet(repo, "jco-transpile", host.arg("jco").stdin(Stdio::null()), LIMIT)?;
    }
    Ok(())
}

fn find_browser(repo: &Repo) -> Result<()> {
    if std::env::var_os("CHROMIUM").is_some() || BROWSERS.iter().any(|name| tools::on_path(name).is_some()) {
        return Ok(());
    }
    if !(apt::is_there() && apt::is_root()) {
        report::note("test", "no Chromium: left out (on Debian, as root: `apt-get install -y chromium`)");
        return Ok(());
    }
    let step = Step::start("test", "apt-get install of Chromium (about 100 MB)");
    apt::install(repo, &["chromium"])?;
    step.done("");
    Ok(())
}
