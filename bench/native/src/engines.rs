//! Libraries that one might take instead.

mod adblock;
mod cedar;
mod globset;
mod regorus;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::Result;
use bench_lab::{Column, Part, Query, Race, Section, Unit, Workload};
use policy_core::Action;
use serde_json::{Value, json};

use crate::matching::separated;
use crate::{Contest, Effort, action};

/// A library with a policy loaded.
type Decide = Box<dyn FnMut(&Query) -> Result<Action>>;

/// A library to compare with.
struct Engine {
    name: &'static str,
    /// How a policy is written for it, for the reader of the report.
    how: &'static str,
    load: fn(&Workload) -> Result<Decide>,
    /// Lists longer than this are left out.
    most: usize,
}

const ENGINES: [Engine; 5] = [
    Engine { name: "globset", how: globset::HOW, load: globset::load, most: 100_000 },
    Engine { name: "adblock", how: adblock::HOW, load: adblock::load, most: 100_000 },
    Engine {
        name: "adblock, request prepared",
        how: adblock::PREPARED_HOW,
        load: adblock::load_prepared,
        most: 100_000,
    },
    Engine { name: "cedar-policy", how: cedar::HOW, load: cedar::load, most: 10_000 },
    Engine { name: "regorus", how: regorus::HOW, load: regorus::load, most: 1_000 },
];

/// An engine that took longer to load a list is not given one that is ten times as long.
const LONGEST_LOAD: Duration = Duration::from_secs(6);

pub(crate) fn run(contests: &[Contest], effort: Effort, part: &mut Part) -> Result<()> {
    let mut times = Vec::new();
    let mut loads = Vec::new();
    let mut answers = Vec::new();
    for engine in ENGINES {
        let mut time_row = vec![json!(engine.name)];
        let mut load_row = vec![json!(engine.name)];
        let mut agreement = Value::Null;
        let mut too_slow = false;
        for contest in contests {
            let size = contest.workload.size;
            if too_slow || size > engine.most {
                time_row.push(Value::Null);
                load_row.push(Value::Null);
                continue;
            }
            eprintln!("bench  native: {}, {size} entries", engine.name);
            let started = Instant::now();
            let mut decide = (engine.load)(&contest.workload)?;
            let load = started.elapsed();
            too_slow = load > LONGEST_LOAD;
            load_row.push(json!(load.as_nanos() as f64));
            if size == 100 {
                agreement = json!(agreement_with_core(contest, &mut decide)?);
            }
            time_row.push(json!(ratio(contest, decide, effort)));
        }
        times.push(time_row);
        loads.push(load_row);
        answers.push(vec![json!(engine.name), agreement, json!(engine.how)]);
    }
    let by_size = |unit: Unit| -> Vec<Column> {
        let sizes = contests.iter().map(|contest| Column::new(separated(contest.workload.size), unit));
        std::iter::once(Column::new("library", Unit::Text)).chain(sizes).collect()
    };
    part.sections.push(Section {
        title: "Other libraries: time of a decision against `check`".to_owned(),
        text: "How many times as long the library takes as `policy-core`, which takes turns with it in the same race, \
               by the number of entries. A dash: left out, because loading or deciding takes too long to wait for."
            .to_owned(),
        columns: by_size(Unit::Ratio),
        rows: times,
    });
    part.sections.push(Section {
        title: "Other libraries: time to load the lists".to_owned(),
        text: "From lists of strings, once.".to_owned(),
        columns: by_size(Unit::Time),
        rows: loads,
    });
    part.sections.push(Section {
        title: "Other libraries: how the lists were written for them".to_owned(),
        text:
            "None of them checks hosts, knows ports or finds an IP address in another spelling; *same answer* is how \
               often they agree with `check` at 100 entries."
                .to_owned(),
        columns: vec![
            Column::new("library", Unit::Text),
            Column::new("same answer", Unit::Part),
            Column::new("how", Unit::Text),
        ],
        rows: answers,
    });
    Ok(())
}

/// The engine's time, divided by that of the core.
fn ratio(contest: &Contest, decide: Decide, effort: Effort) -> Option<f64> {
    let decide = RefCell::new(decide);
    let queries = &contest.workload.queries;
    let outcomes = Race::new()
        .lane("core", queries, |query| action(contest.core.check(&query.host, query.port)))
        // An error was already found when the answers were compared.
        .lane("engine", queries, |query| (decide.borrow_mut())(query).map_or(u64::MAX, action))
        .run(effort.race() / 2);
    outcomes.last().map(|outcome| outcome.ratio)
}

fn agreement_with_core(contest: &Contest, decide: &mut Decide) -> Result<f64> {
    let queries = &contest.workload.queries;
    let mut same = 0;
    for query in queries {
        if decide(query)? == contest.core.check(&query.host, query.port) {
            same += 1;
        }
    }
    Ok(f64::from(same) / queries.len() as f64)
}

/// The entry without its port: no engine here has ports.
fn without_port(entry: &str) -> &str {
    entry.split(':').next().unwrap_or(entry)
}

/// As little as makes the host comparable: lower case, no trailing dot.
fn lower(host: &str) -> String {
    let mut host = host.to_ascii_lowercase();
    if host.ends_with('.') {
        host.pop();
    }
    host
}
