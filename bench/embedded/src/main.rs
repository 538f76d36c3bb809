//! `bench-embedded OUTPUT MODULE [--quick]`: the component through `policy-host`, beside the core as a bare module
//! (MODULE) in wasmtime and the native core, in one process.

mod bare;
mod calls;
mod instances;

use std::env;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use bench_lab::Part;
use policy_host::{Artifact, PolicyEngine};

/// How long to measure.
#[derive(Clone, Copy)]
struct Effort {
    quick: bool,
}

impl Effort {
    /// For one race.
    fn race(self) -> Duration {
        Duration::from_millis(if self.quick { 500 } else { 2_500 })
    }

    /// How often something long is repeated.
    fn repeats(self) -> usize {
        if self.quick { 9 } else { 41 }
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [output, module, flags @ ..] = &arguments[..] else {
        anyhow::bail!("usage: bench-embedded OUTPUT MODULE [--quick]");
    };
    let effort = Effort { quick: flags.iter().any(|flag| flag == "--quick") };
    let module = std::fs::read(module).with_context(|| format!("cannot read {module}"))?;
    let engine = PolicyEngine::builder(Artifact::bundled()).build()?;
    let mut part =
        Part { name: "wasmtime", title: "wasmtime, through policy-host", sections: Vec::new(), targets: Vec::new() };
    calls::run(&engine, &module, effort, &mut part)?;
    instances::run(effort, &mut part)?;
    part.write(Path::new(output))
}
