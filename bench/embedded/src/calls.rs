//! Decisions, by the length of the lists.

use anyhow::{Context, Result};
use bench_lab::{Column, Part, Query, Race, Section, Sense, Target, Unit, Workload};
use policy_core::NetworkPolicy;
use policy_host::{Action, Policy, PolicyEngine};
use serde_json::json;

use crate::Effort;
use crate::bare::Bare;

const SIZES: [usize; 4] = [10, 1_000, 100_000, 1_000_000];
/// Destinations in one call.
const MANY: usize = 1_000;
/// The length at which targets are judged.
const TARGET_SIZE: usize = 1_000;

pub(crate) fn run(engine: &PolicyEngine, module: &[u8], effort: Effort, part: &mut Part) -> Result<()> {
    let mut single = Vec::new();
    let mut batches = Vec::new();
    for size in SIZES {
        eprintln!("bench  wasmtime: {size} entries");
        let workload = Workload::new(size);
        let network = workload.transport_json();
        let core = NetworkPolicy::from_transport(&network);
        let policy = Policy::from_transport(engine, &network)?;
        let mut bare = Bare::new(module, &network, false)?;
        let mut with_deadline = Bare::new(module, &network, true)?;
        same_answers(&workload.queries, &core, &policy, &mut bare)?;

        let queries = &workload.queries;
        let outcomes = Race::new()
            .lane("bare", queries, |query| bare.check(&query.host, query.port).map_or(u64::MAX, u64::from))
            .lane("native", queries, |query| core.check(&query.host, query.port) as u64)
            .lane("deadline", queries, |query| with_deadline.check(&query.host, query.port).map_or(u64::MAX, u64::from))
            .lane("check", queries, |query| policy.check(&query.host, query.port) as u64)
            .lane("decide", queries, |query| u64::from(policy.decide(&query.host, query.port).port()))
            .run(effort.race());
        let [bare, native, deadline, check, decide] = &outcomes[..] else { continue };
        single.push(vec![
            json!(size),
            json!(native.ns),
            json!(bare.ns),
            json!(deadline.ns),
            json!(check.ns),
            json!(check.ratio),
            json!(decide.ns),
            json!(decide.ratio),
        ]);
        if size == TARGET_SIZE {
            part.targets.push(Target {
                what: "wasmtime: `check` through policy-host against a bare module call, 1,000 entries".to_owned(),
                sense: Sense::AtMost,
                limit: 3.0,
                unit: Unit::Ratio,
                measured: check.ratio,
                note: format!("the bare module with a deadline {:.2} ×", deadline.ratio),
            });
            part.targets.push(Target {
                what: "wasmtime: `check` through policy-host beyond native, 1,000 entries".to_owned(),
                sense: Sense::AtMost,
                limit: 400.0,
                unit: Unit::Time,
                measured: check.ns - native.ns,
                note: "difference of medians in one race".to_owned(),
            });
        }

        let whole = queries.get(..queries.len() / MANY * MANY).unwrap_or_default();
        let outcomes = Race::new()
            .lane("native", whole, |query| u64::from(core.decide(&query.host, query.port).action() as u8))
            .batch_lane("decide_many", whole, MANY, |batch| policy.decide_many(destinations(batch)).len() as u64)
            .batch_lane("check_many", whole, MANY, |batch| policy.check_many(destinations(batch)).len() as u64)
            .run(effort.race());
        let [native, decide_many, check_many] = &outcomes[..] else { continue };
        batches.push(vec![
            json!(size),
            json!(native.ns),
            json!(decide_many.ns),
            json!(decide_many.ratio),
            json!(check_many.ns),
            json!(check_many.ratio),
        ]);
    }
    part.sections.push(Section {
        title: "One decision".to_owned(),
        text: "The *bare module* is the core compiled to a plain WebAssembly module, its `check` called by hand after \
               the host was copied into linear memory: no component, no deadline, no memory limit, no recovery. It is \
               the reference of the ratios. *With deadline* is the same module with wasmtime's epoch check compiled in, \
               as policy-host has it."
            .to_owned(),
        columns: vec![
            Column::new("entries", Unit::Count),
            Column::new("native `check`", Unit::Time),
            Column::new("bare module", Unit::Time),
            Column::new("with deadline", Unit::Time),
            Column::new("policy-host `check`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
            Column::new("policy-host `decide`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
        ],
        rows: single,
    });
    part.sections.push(Section {
        title: "Many decisions in one call".to_owned(),
        text: "1,000 destinations in one call, per destination, against the native core deciding one at a time."
            .to_owned(),
        columns: vec![
            Column::new("entries", Unit::Count),
            Column::new("native `decide`", Unit::Time),
            Column::new("`decide_many`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
            Column::new("`check_many`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
        ],
        rows: batches,
    });
    Ok(())
}

fn destinations(queries: &[Query]) -> impl Iterator<Item = (&str, u16)> {
    queries.iter().map(|query| (query.host.as_str(), query.port))
}

/// A contender that answers differently does other work: nothing it measured would mean anything.
fn same_answers(queries: &[Query], core: &NetworkPolicy, policy: &Policy, bare: &mut Bare) -> Result<()> {
    for Query { host, port, .. } in queries {
        let native = core.check(host, *port).name();
        let from_bare = [Action::Deny, Action::Review, Action::Allow].get(bare.check(host, *port)? as usize).copied();
        let from_bare = from_bare.context("the bare module gave no action")?.name();
        let component = policy.check(host, *port).name();
        anyhow::ensure!(
            native == component && native == from_bare,
            "{host}:{port} is {native} natively, {component} through policy-host, {from_bare} from the bare module"
        );
    }
    Ok(())
}
