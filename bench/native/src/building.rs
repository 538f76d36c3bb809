//! From the JSON text to a policy: time, and memory.

use std::env;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use bench_lab::{Column, Part, Section, Sense, Target, Unit};
use policy_core::NetworkPolicy;
use serde::Deserialize;
use serde_json::json;

use bench_native::Plain;

use crate::{Contest, Effort};

/// What the program `bench-memory` prints; it counts allocations, which would slow this one down.
#[derive(Deserialize)]
struct Memory {
    core: usize,
    peak: usize,
    plain: usize,
}

pub(crate) fn run(contests: &[Contest], effort: Effort, part: &mut Part) -> Result<()> {
    let mut rows = Vec::new();
    for contest in contests {
        let size = contest.workload.size;
        eprintln!("bench  native: building, {size} entries");
        let config = contest.workload.config_json();
        let transport = contest.workload.transport_json();
        ensure!(NetworkPolicy::from_config(&config).is_ok(), "the made-up configuration of {size} entries is invalid");
        let times = fastest_of_rounds(
            effort.repeats(),
            &mut [
                &mut || drop(black_box(NetworkPolicy::from_config(black_box(&config)))),
                &mut || drop(black_box(NetworkPolicy::from_transport(black_box(&transport)))),
                &mut || drop(black_box(Plain::from_json(black_box(&transport)))),
            ],
        );
        let [from_config, from_transport, plain] = times[..] else { continue };
        let bytes = contest.workload.entry_bytes();
        let memory = memory(size)?;
        rows.push(vec![
            json!(size),
            json!(from_config),
            json!(from_transport),
            json!(plain),
            json!(bytes),
            json!(memory.core as f64 / bytes as f64),
            json!(memory.peak as f64 / bytes as f64),
            json!(memory.plain as f64 / bytes as f64),
        ]);
        if size == 1_000_000 {
            part.targets.push(Target {
                what: "native: a million entries from the text of a configuration".to_owned(),
                sense: Sense::AtMost,
                limit: 0.5e9,
                unit: Unit::Time,
                measured: from_config,
                note: "an absolute time on the machine named above".to_owned(),
            });
            part.targets.push(Target {
                what: "native: memory of a policy against the bytes of its million entries".to_owned(),
                sense: Sense::AtMost,
                limit: 3.0,
                unit: Unit::Ratio,
                measured: memory.core as f64 / bytes as f64,
                note: format!("{:.1} × at the peak of building", memory.peak as f64 / bytes as f64),
            });
        }
    }
    part.sections.push(Section {
        title: "Building a policy from JSON text, and its memory".to_owned(),
        text: "Fastest of several rounds. The plain loop's maps are filled through serde_json from the same text. \
               Memory is what the allocator was asked for, divided by the bytes of the entries themselves; the peak \
               is that during `from_config`, without its text."
            .to_owned(),
        columns: vec![
            Column::new("entries", Unit::Count),
            Column::new("`from_config`", Unit::Time),
            Column::new("`from_transport`", Unit::Time),
            Column::new("plain maps", Unit::Time),
            Column::new("entry bytes", Unit::Bytes),
            Column::new("policy memory", Unit::Ratio),
            Column::new("at the peak", Unit::Ratio),
            Column::new("plain maps' memory", Unit::Ratio),
        ],
        rows,
    });
    Ok(())
}

/// In nanoseconds. Building is long and allocates: its noise only ever adds, so the fastest is the truest.
fn fastest_of_rounds(rounds: usize, tasks: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut fastest = vec![f64::INFINITY; tasks.len()];
    for _ in 0..rounds {
        for (task, fastest) in tasks.iter_mut().zip(&mut fastest) {
            let started = Instant::now();
            task();
            *fastest = fastest.min(started.elapsed().as_nanos() as f64);
        }
    }
    fastest
}

fn memory(size: usize) -> Result<Memory> {
    let program = env::current_exe().context("cannot find this program")?.with_file_name("bench-memory");
    let output = Command::new(&program).arg(size.to_string()).output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(output.status.success(), "bench-memory failed: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).context("bench-memory printed no result")
}
