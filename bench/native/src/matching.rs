//! One decision, by the length of the lists.

use bench_lab::{Column, Outcome, Part, Race, Section, Sense, Target, Unit};
use serde_json::{Value, json};

use crate::{Contest, Effort, action};

/// Different hosts in the race for growth: more than a busy program talks to.
const HOT_QUERIES: usize = 1_024;
/// Different hosts that, with the longest lists, need far more than any cache holds.
const COLD_QUERIES: usize = 400_000;

pub(crate) fn run(contests: &[Contest], effort: Effort, part: &mut Part) {
    let mut rows = Vec::new();
    let mut worst = (0.0_f64, 0);
    for contest in contests {
        let size = contest.workload.size;
        eprintln!("bench  native: matching, {size} entries");
        let outcomes = race(contest, effort);
        let [_, check, decide, allocating] = &outcomes[..] else { continue };
        if check.ratio > worst.0 {
            worst = (check.ratio, size);
        }
        rows.push(row(size, &outcomes));
        part.targets.push(Target {
            what: format!("native: `check` against the plain loop, {} entries", separated(size)),
            sense: Sense::AtMost,
            limit: 1.25,
            unit: Unit::Ratio,
            measured: check.ratio,
            note: format!("`decide` {:.2} ×; the loop with an allocation {:.2} ×", decide.ratio, allocating.ratio),
        });
    }
    part.sections.push(Section {
        title: "One decision, by the length of the lists".to_owned(),
        text: "Median time of one decision over the whole mix of hosts, and its ratio to the *plain loop*: a hash \
               look-up per list for the host and each parent domain, with the host lower-cased on the stack. The \
               plain loop checks no host, knows no ports, no IP spellings and no entry index; it is the least work \
               that could be called the same job, not something to use."
            .to_owned(),
        columns: vec![
            Column::new("entries", Unit::Count),
            Column::new("plain loop", Unit::Time),
            Column::new("`check`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
            Column::new("`decide`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
            Column::new("plain loop, allocating", Unit::Time),
            Column::new("ratio", Unit::Ratio),
        ],
        rows,
    });
    growth(contests, effort, part);
    caches(contests, effort, part);
}

fn race(contest: &Contest, effort: Effort) -> Vec<Outcome> {
    let queries = &contest.workload.queries;
    Race::new()
        .lane("plain", queries, |query| action(contest.plain.check(&query.host)))
        .lane("check", queries, |query| action(contest.core.check(&query.host, query.port)))
        .lane("decide", queries, |query| {
            contest.core.decide(&query.host, query.port).rule().map_or(u64::MAX, |rule| rule.index as u64)
        })
        .lane("allocating", queries, |query| action(contest.plain.check_allocating(&query.host)))
        .run(effort.race())
}

fn row(size: usize, outcomes: &[Outcome]) -> Vec<Value> {
    let mut row = vec![json!(size)];
    for (number, outcome) in outcomes.iter().enumerate() {
        row.push(json!(outcome.ns));
        if number > 0 {
            row.push(json!(outcome.ratio));
        }
    }
    row
}

/// All lengths take turns in one race.
fn growth(contests: &[Contest], effort: Effort, part: &mut Part) {
    eprintln!("bench  native: growth");
    let mut core = Race::new();
    let mut plain = Race::new();
    for contest in contests {
        let name = contest.workload.size.to_string();
        let queries = contest.workload.queries.get(..HOT_QUERIES).unwrap_or_default();
        core = core.lane(&name, queries, |query| action(contest.core.check(&query.host, query.port)));
        plain = plain.lane(&name, queries, |query| action(contest.plain.check(&query.host)));
    }
    let core = core.run(effort.race() * 2);
    let plain = plain.run(effort.race() * 2);
    let rows = contests
        .iter()
        .zip(core.iter().zip(&plain))
        .map(|(contest, (core, plain))| {
            vec![json!(contest.workload.size), json!(core.ns), json!(core.ratio), json!(plain.ns), json!(plain.ratio)]
        })
        .collect();
    part.sections.push(Section {
        title: "Growth with the length of the lists".to_owned(),
        text: format!(
            "All lengths take turns in one race, each over {} different hosts. Ratios are to 10 entries.",
            separated(HOT_QUERIES)
        ),
        columns: vec![
            Column::new("entries", Unit::Count),
            Column::new("`check`", Unit::Time),
            Column::new("growth", Unit::Ratio),
            Column::new("plain loop", Unit::Time),
            Column::new("growth", Unit::Ratio),
        ],
        rows,
    });
    if let (Some(core), Some(plain)) = (core.last(), plain.last()) {
        part.targets.push(Target {
            what: "native: growth of `check` from 10 to 1,000,000 entries".to_owned(),
            sense: Sense::AtMost,
            limit: 3.0,
            unit: Unit::Ratio,
            measured: core.ratio,
            note: format!("the plain loop grows {:.2} ×", plain.ratio),
        });
    }
}

/// With the longest lists memory is what takes the time, so it matters how much of it is asked for.
fn caches(contests: &[Contest], effort: Effort, part: &mut Part) {
    let Some(contest) = contests.last() else { return };
    eprintln!("bench  native: caches");
    let many = contest.workload.more_queries(COLD_QUERIES);
    let mut rows = Vec::new();
    for count in [64, HOT_QUERIES, contest.workload.queries.len(), COLD_QUERIES] {
        let cold = count == COLD_QUERIES;
        let queries = many.get(..count).unwrap_or_default();
        let batch = if cold { COLD_QUERIES / 40 } else { count };
        let race = Race::new()
            .batch_lane("plain", queries, batch, |queries| {
                queries.iter().map(|query| action(contest.plain.check(&query.host))).sum()
            })
            .batch_lane("check", queries, batch, |queries| {
                queries.iter().map(|query| action(contest.core.check(&query.host, query.port))).sum()
            });
        let outcomes = if cold { race.cold() } else { race }.run(effort.race());
        let [plain, check] = &outcomes[..] else { continue };
        rows.push(vec![json!(count), json!(plain.ns), json!(check.ns), json!(check.ratio)]);
    }
    part.sections.push(Section {
        title: "By the number of different hosts, 1,000,000 entries".to_owned(),
        text: format!(
            "Hosts that are asked about again find what they need in a cache, as far as it fits. Of the {} hosts in the \
             last row each is asked about long after the one before.",
            separated(COLD_QUERIES)
        ),
        columns: vec![
            Column::new("hosts", Unit::Count),
            Column::new("plain loop", Unit::Time),
            Column::new("`check`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
        ],
        rows,
    });
}

/// `1,000,000`
pub(crate) fn separated(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
