//! Where things are in the repository.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository, known by its root folder.
///
/// What xtask itself makes is always under `target/` of the root, whatever `CARGO_TARGET_DIR` says.
pub(crate) struct Repo {
    root: PathBuf,
}

impl Repo {
    /// The repository that this program was started in (or, run by hand, built in).
    pub(crate) fn find() -> Result<Self> {
        let manifest_dir = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let manifest_dir = PathBuf::from(manifest_dir);
        let root = manifest_dir.parent().context("the xtask folder has no parent")?.to_owned();
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The guests' own cargo target folder: other flags and often another compiler than the host's.
    pub(crate) fn wasm_target(&self) -> PathBuf {
        self.root.join("target/wasm")
    }

    /// What is shipped, one folder each.
    pub(crate) fn artifacts(&self) -> PathBuf {
        self.root.join("target/artifacts")
    }

    /// Output of quiet tools, for when one fails.
    pub(crate) fn logs(&self) -> PathBuf {
        self.root.join("target/xtask/logs")
    }

    /// Held by the one who builds artifacts.
    pub(crate) fn build_lock(&self) -> PathBuf {
        self.root.join("target/xtask/build.lock")
    }

    /// The Python packages of the conformance hosts.
    pub(crate) fn venv(&self) -> PathBuf {
        self.root.join("target/python")
    }

    /// The npm facade's source.
    pub(crate) fn npm_project(&self) -> PathBuf {
        self.root.join("wasm-js/npm")
    }

    /// What wasm-bindgen makes, for the facade's build.
    pub(crate) fn npm_glue(&self) -> PathBuf {
        self.artifacts().join("npm/glue")
    }

    /// The finished npm package.
    pub(crate) fn npm_package(&self) -> PathBuf {
        self.artifacts().join("npm/package")
    }

    /// The component's folder; the file names are in `component.rs`.
    pub(crate) fn component(&self) -> PathBuf {
        self.artifacts().join("component")
    }

    /// Where the crate `policy-host` includes the component from.
    pub(crate) fn bundled_component(&self) -> PathBuf {
        self.root.join("wasm-component/policy-host/component/policy.component.wasm")
    }

    /// What is published.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    pub(crate) fn host_tests(&self) -> PathBuf {
        self.root.join("host-tests")
    }
}
