//! One decision, by the kind of host.

use bench_lab::{Column, Kind, Part, Race, Section, Unit};
use serde_json::json;

use crate::{Contest, Effort, action};

/// The length of the lists here.
const SIZE: usize = 1_000;

pub(crate) fn run(contests: &[Contest], effort: Effort, part: &mut Part) {
    let Some(contest) = contests.iter().find(|contest| contest.workload.size == SIZE) else { return };
    eprintln!("bench  native: kinds of host");
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let queries = contest.workload.of_kind(kind);
        let outcomes = Race::new()
            .lane("plain", &queries, |query| action(contest.plain.check(&query.host)))
            .lane("check", &queries, |query| action(contest.core.check(&query.host, query.port)))
            .run(effort.race() / 4);
        let [plain, check] = &outcomes[..] else { continue };
        let same = queries
            .iter()
            .filter(|query| contest.plain.check(&query.host) == contest.core.check(&query.host, query.port))
            .count();
        rows.push(vec![
            json!(kind.label()),
            json!(kind.share() as f64 / 100.0),
            json!(plain.ns),
            json!(check.ns),
            json!(check.ratio),
            json!(same as f64 / queries.len() as f64),
        ]);
    }
    part.sections.push(Section {
        title: "One decision, by the kind of host".to_owned(),
        text: "1,000 entries. *Same answer* is how often the plain loop agrees with `check`: it does not know that an \
               address is denied unless a rule allows it, nor that an entry can be for one port."
            .to_owned(),
        columns: vec![
            Column::new("host", Unit::Text),
            Column::new("part of the mix", Unit::Part),
            Column::new("plain loop", Unit::Time),
            Column::new("`check`", Unit::Time),
            Column::new("ratio", Unit::Ratio),
            Column::new("same answer", Unit::Part),
        ],
        rows,
    });
}
