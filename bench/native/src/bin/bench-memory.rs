//! `bench-memory ENTRIES`: prints, as JSON, how many bytes a policy and the plain loop's maps hold.

use std::env;
use std::hint::black_box;

use anyhow::{Context, Result};
use bench_lab::Workload;
use bench_native::Plain;
use peak_alloc::PeakAlloc;
use policy_core::NetworkPolicy;
use serde_json::json;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn main() -> Result<()> {
    let size = env::args().nth(1).context("usage: bench-memory ENTRIES")?.parse()?;
    let workload = Workload::new(size);
    let config = workload.config_json();
    let (core, peak) = held(|| NetworkPolicy::from_config(black_box(&config)).ok());
    let (plain, _) = held(|| Plain::new(&workload));
    println!("{}", json!({ "core": core, "peak": peak, "plain": plain }));
    Ok(())
}

/// The bytes that a value holds, and those that were held at most while it was made.
fn held<T>(make: impl FnOnce() -> T) -> (usize, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let value = black_box(make());
    let sizes = (ALLOCATOR.current_usage().saturating_sub(before), ALLOCATOR.peak_usage().saturating_sub(before));
    drop(value);
    sizes
}
