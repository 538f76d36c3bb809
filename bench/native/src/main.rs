//! `bench-native OUTPUT [--quick]`: policy-core beside its peers, in one process.

mod building;
#[cfg(feature = "engines")]
mod engines;
mod hosts;
mod matching;

use std::env;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use bench_lab::{Part, SIZES, Workload};
use policy_core::NetworkPolicy;

use bench_native::Plain;

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
        if self.quick { 3 } else { 9 }
    }
}

/// A list of one length, ready in both forms.
struct Contest {
    workload: Workload,
    core: NetworkPolicy,
    plain: Plain,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let output = arguments.first().context("usage: bench-native OUTPUT [--quick]")?;
    let effort = Effort { quick: arguments.iter().any(|argument| argument == "--quick") };

    eprintln!("bench  native: making lists");
    let contests = SIZES.map(|size| {
        let workload = Workload::new(size);
        let core = NetworkPolicy::from_transport(&workload.transport_json());
        let plain = Plain::new(&workload);
        Contest { workload, core, plain }
    });

    let mut part = Part { name: "native", title: "Native", sections: Vec::new(), targets: Vec::new() };
    matching::run(&contests, effort, &mut part);
    hosts::run(&contests, effort, &mut part);
    #[cfg(feature = "engines")]
    engines::run(&contests, effort, &mut part)?;
    building::run(&contests, effort, &mut part)?;
    part.write(Path::new(output))
}

fn action(action: policy_core::Action) -> u64 {
    action as u64
}
