//! The target from rustup.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::TARGET;
use crate::repo::Repo;
use crate::run;

/// About 20 MB. Where rustup's server cannot be reached it tries again and again; Debian's packages come next.
const LIMIT: Duration = Duration::from_secs(180);

/// Adds the target to the toolchain in use.
pub(crate) fn add_target(repo: &Repo) -> Result<()> {
    run::quiet(repo, "rustup", Command::new("rustup").args(["target", "add", TARGET]), LIMIT)
}
