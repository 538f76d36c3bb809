//! One build of the artifacts at a time: the conformance hosts, too, may start `cargo xtask build`.

use std::fs::{self, File, TryLockError};

use anyhow::{Context, Result, bail};

use crate::repo::Repo;
use crate::report;

/// Held while artifacts are written; the system lets go of it with the process.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the other build, when there is one.
    pub(crate) fn take(repo: &Repo) -> Result<Self> {
        let path = repo.build_lock();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                report::note("build", "waiting for another `cargo xtask` that builds here");
                file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
            }
            Err(TryLockError::Error(error)) => bail!("cannot lock {}: {error}", path.display()),
        }
        Ok(Self { _file: file })
    }
}
