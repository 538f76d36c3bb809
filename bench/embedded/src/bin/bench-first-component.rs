//! A fresh process that makes one decision through `policy-host`. Ends with 1 if the decision is wrong.
//!
//! - `bench-first-component prepare FOLDER`: compiles the component ahead of time.
//! - `bench-first-component precompiled FOLDER`: decides with what was prepared.
//! - `bench-first-component compile`: compiles the component and decides.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use policy_host::{Action, Artifact, Policy, PolicyEngine};

const NETWORK: &str = include_str!("../../../node/startups/network.json");

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["prepare", folder] => prepare(Path::new(folder)),
        ["precompiled", folder] => {
            let digest = fs::read_to_string(Path::new(folder).join("digest"))?.parse()?;
            decide(Artifact::precompiled_file(Path::new(folder).join("component"), digest))
        }
        ["compile"] => decide(Artifact::bundled()),
        _ => bail!("usage: bench-first-component prepare FOLDER | precompiled FOLDER | compile"),
    }
}

fn prepare(folder: &Path) -> Result<()> {
    let ready = Artifact::bundled().precompile()?;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("component"), &ready.bytes)?;
    fs::write(folder.join("digest"), ready.digest.to_string())?;
    Ok(())
}

fn decide(artifact: Artifact) -> Result<()> {
    let engine = PolicyEngine::builder(artifact).build()?;
    let policy = Policy::from_transport(&engine, NETWORK)?;
    ensure!(policy.check("api.github.com", 443) == Action::Allow, "the decision is wrong");
    Ok(())
}
