//! Debian's packages, for whoever may install them.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::repo::Repo;
use crate::run;
use crate::tools;

const LIMIT: Duration = Duration::from_secs(900);

/// Whether `apt-get` is there.
pub(crate) fn is_there() -> bool {
    tools::on_path("apt-get").is_some()
}

/// Whether this is root.
pub(crate) fn is_root() -> bool {
    run::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Whether all of these packages are installed.
pub(crate) fn are_installed(packages: &[&str]) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat", "${db:Status-Status}\n"]).args(packages);
    run::output(&mut query).is_ok_and(|answer| {
        let installed = answer.lines().filter(|status| *status == "installed");
        installed.count() == packages.len()
    })
}

/// Installs packages, with a fresh list of what there is: a new machine has an old list or none.
pub(crate) fn install(repo: &Repo, packages: &[&str]) -> Result<()> {
    run::quiet(repo, "apt-get-update", apt_get().arg("update"), LIMIT)?;
    let mut install = apt_get();
    install.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    run::quiet(repo, "apt-get-install", &mut install, LIMIT)
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // Another apt may be at work on a machine that has just been started.
    command.args(["--quiet", "-o", "DPkg::Lock::Timeout=120"]).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
