//! `bench-pacer ENTRIES`: the native core as a contender in a race of another process.
//!
//! For each line of standard input it decides all hosts of the workload, once to warm up and once measured, and
//! prints the nanoseconds of one decision.

use std::env;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use anyhow::{Context, Result};
use bench_lab::Workload;
use policy_core::NetworkPolicy;

fn main() -> Result<()> {
    let size = env::args().nth(1).context("usage: bench-pacer ENTRIES")?.parse()?;
    let workload = Workload::new(size);
    let policy = NetworkPolicy::from_transport(&workload.transport_json());
    let decide_all = || {
        for query in &workload.queries {
            black_box(policy.decide(black_box(&query.host), query.port));
        }
    };
    let mut output = io::stdout();
    for line in io::stdin().lock().lines() {
        line?;
        decide_all();
        let started = Instant::now();
        decide_all();
        let time = started.elapsed().as_nanos() as f64 / workload.queries.len() as f64;
        writeln!(output, "{time}")?;
        output.flush()?;
    }
    Ok(())
}
