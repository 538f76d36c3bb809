//! Makes the npm package from the guest `wasm-js`.

mod facade;
mod glue;
pub(crate) mod packages;

use anyhow::Result;

use crate::guest;
use crate::repo::Repo;
use crate::toolchain::Toolchain;

pub(crate) use facade::{test, test_packaging};
pub(crate) use glue::check_size;

/// Builds the glue with wasm-bindgen, then the package with the facade's own build.
pub(crate) fn build(repo: &Repo, toolchain: &Toolchain) -> Result<()> {
    let module = guest::build(repo, toolchain, "wasm-js")?;
    glue::build(repo, &module)?;
    facade::build(repo)
}
