//! What the hosts of the conformance tests need beyond the artifacts: npm and Python packages, a browser.

use anyhow::Result;

use crate::apt;
use crate::component_js;
use crate::npm;
use crate::python;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::tools;

/// The names under which `host-tests/run` looks for a browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Installs everything, as far as this machine lets it. A host without its tool is left out of the tests, unless
/// `EXPECT_HOSTS` names it.
pub(crate) fn prepare(repo: &Repo) -> Result<()> {
    npm::packages::install(repo, &repo.host_tests())?;
    component_js::build(repo)?;
    python::install(repo)?;
    find_browser(repo)
}

/// Installs a browser, if there is none and this machine lets it.
pub(crate) fn find_browser(repo: &Repo) -> Result<()> {
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
