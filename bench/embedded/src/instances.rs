//! Engines, instances and policies: what happens before the first decision.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use bench_lab::{Column, Part, Section, Unit, Workload};
use policy_core::NetworkPolicy;
use policy_host::{Artifact, Policy, PolicyEngine};
use serde_json::{Value, json};

use crate::Effort;

pub(crate) fn run(effort: Effort, part: &mut Part) -> Result<()> {
    eprintln!("bench  wasmtime: engines and instances");
    let network = Workload::new(10).transport_json();
    let ready = Artifact::bundled().precompile()?;
    let load = || PolicyEngine::builder(Artifact::precompiled(ready.bytes.clone(), ready.digest)).build();
    let reusing = load()?;
    let starting =
        PolicyEngine::builder(Artifact::precompiled(ready.bytes.clone(), ready.digest)).idle_instances(0).build()?;
    // One instance is there to be used again.
    drop(Policy::from_transport(&reusing, &network)?);

    let mut rows = Vec::new();
    rows.push(row("engine, component compiled", effort, || PolicyEngine::builder(Artifact::bundled()).build().is_ok()));
    rows.push(row("engine, precompiled component loaded", effort, || load().is_ok()));
    rows.push(row("policy of ten entries, new instance", effort, || {
        Policy::from_transport(&starting, &network).is_ok()
    }));
    rows.push(row("policy of ten entries, instance used again", effort, || {
        Policy::from_transport(&reusing, &network).is_ok()
    }));
    rows.push(row("policy of ten entries, native", effort, || {
        black_box(NetworkPolicy::from_transport(&network));
        true
    }));
    let large = Workload::new(100_000).transport_json();
    rows.push(row("policy of 100,000 entries, new instance", effort, || {
        Policy::from_transport(&starting, &large).is_ok()
    }));
    rows.push(row("policy of 100,000 entries, native", effort, || {
        black_box(NetworkPolicy::from_transport(&large));
        true
    }));
    part.sections.push(Section {
        title: "Before the first decision".to_owned(),
        text: format!(
            "Median of {} each. The precompiled component has {} bytes; its SHA-256 is checked at every load.",
            effort.repeats(),
            ready.bytes.len()
        ),
        columns: vec![Column::new("what", Unit::Text), Column::new("time", Unit::Time)],
        rows,
    });
    Ok(())
}

fn row(name: &str, effort: Effort, mut make: impl FnMut() -> bool) -> Vec<Value> {
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..=effort.repeats() {
        let started = Instant::now();
        if !black_box(make()) {
            return vec![json!(name), json!("failed")];
        }
        times.push(started.elapsed().as_nanos() as f64);
    }
    // The first one also warms up.
    times.remove(0);
    times.sort_by(f64::total_cmp);
    vec![json!(name), json!(times.get(times.len() / 2))]
}
