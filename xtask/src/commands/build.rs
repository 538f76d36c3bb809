//! `cargo xtask build`: the artifacts, and the programs that host them.

use anyhow::Result;

use crate::cargo;
use crate::cli::{Command, usage};
use crate::component;
use crate::dist;
use crate::lock::Lock;
use crate::npm;
use crate::repo::Repo;
use crate::report::Step;
use crate::toolchain::Toolchain;

pub(crate) const COMMAND: Command = Command {
    name: "build",
    arguments: "[npm|component|hosts]",
    summary: "build the npm package, the WIT component and the host programs",
    details: "  npm        target/artifacts/npm/package, the package that is published
  component  target/artifacts/component/pi-sandbox-policy.component.wasm
  hosts      the native and the wasmtime host of host-tests (with the component)

Without a word: all three. The compiler for wasm32-unknown-unknown is found or installed (rustup's target,
else Debian's packages); POLICY_WASM_TOOLCHAIN=installed, rustup or debian forces one way.",
    run: |repo, arguments| match arguments {
        [] => {
            all(repo)?;
            npm::check_size(repo)
        }
        [what] if what == "npm" => {
            npm_package(repo)?;
            npm::check_size(repo)
        }
        [what] if what == "component" => artifacts(repo, &[component::build]),
        [what] if what == "hosts" => {
            artifacts(repo, &[component::build])?;
            hosts(repo)
        }
        _ => usage("build takes nothing, or one of npm, component, hosts"),
    },
};

/// Both artifacts and the host programs.
pub(crate) fn all(repo: &Repo) -> Result<()> {
    both_artifacts(repo)?;
    hosts(repo)
}

/// The npm package and the component.
pub(crate) fn both_artifacts(repo: &Repo) -> Result<()> {
    artifacts(repo, &[component::build, npm::build])
}

/// Both artifacts, and `dist/` from them.
pub(crate) fn published(repo: &Repo) -> Result<()> {
    artifacts(repo, &[component::build, npm::build, dist::make])
}

/// The npm package.
pub(crate) fn npm_package(repo: &Repo) -> Result<()> {
    artifacts(repo, &[npm::build])
}

fn artifacts(repo: &Repo, builds: &[fn(&Repo, &Toolchain) -> Result<()>]) -> Result<()> {
    let _lock = Lock::take(repo)?;
    let toolchain = Toolchain::find(repo)?;
    builds.iter().try_for_each(|build| build(repo, &toolchain))
}

/// The host programs that are Rust; the component must be there.
fn hosts(repo: &Repo) -> Result<()> {
    let step = Step::start("build", "hosts");
    let mut command = cargo::command(repo);
    command.args(["build", "--package", "host-tests"]);
    let built = cargo::build(&step, &mut command)?;
    step.done(&built.note());
    Ok(())
}
