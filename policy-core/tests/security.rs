//! `SECURITY.md` cites rules and cases: all of them exist.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Where the tests are that the table may name.
const TESTS: [&str; 4] = ["policy-core/tests", "policy-core/src", "proof/replay/tests", "proof/replay/src"];

#[test]
fn every_rule_that_the_threat_model_names_exists() {
    let known = rules();
    let prefixes: BTreeSet<&str> = known.iter().filter_map(|id| Some(id.rsplit_once('-')?.0)).collect();
    let text = read(&root().join("SECURITY.md"));
    let cited = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.rsplit_once('-').is_some_and(|(prefix, _)| prefixes.contains(prefix)));
    let wrong: Vec<&str> = cited.filter(|word| !known.contains(*word)).collect();
    assert!(wrong.is_empty(), "no such rules: {wrong:?}");
}

#[test]
fn every_attack_names_a_rule_and_cases_that_exist() {
    let (known, cases, tests) = (rules(), cases(), tests());
    let values = read(&root().join("proof/differential/values.mjs"));
    let mut wrong = Vec::new();
    let rows = attacks();
    assert!(rows.len() >= 30, "only {} rows were read", rows.len());
    for [attack, rules, shown] in rows {
        if !rules.split(", ").all(|rule| known.contains(rule)) {
            wrong.push(format!("{attack}: the rules are `{rules}`"));
        }
        let names: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            wrong.push(format!("{attack}: shown by nothing"));
        }
        for name in names {
            let exists = match name.strip_prefix("value: ") {
                Some(make) => values.contains(&format!("  {make}: ")) || values.contains(&format!("  '{make}': ")),
                None => cases.contains(name) || tests.contains(&format!("fn {name}(")),
            };
            if !exists {
                wrong.push(format!("{attack}: there is no `{name}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Attack, rules and cases of each row of the table.
fn attacks() -> Vec<[String; 3]> {
    let text = read(&root().join("SECURITY.md"));
    let (_, table) = text.split_once("| attack | as seen elsewhere |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", attack, _, rules, shown, ""] = cells.as_slice() else { panic!("not five bars: {row}") };
        [attack, rules, shown].map(|cell| (*cell).to_owned())
    })
    .collect()
}

/// The ids of all rules: what starts a line of a specification page in bold.
fn rules() -> BTreeSet<String> {
    let pages = files(&root().join("policy-core/spec"), "md");
    let ids = pages.iter().flat_map(|page| {
        let text = read(page);
        let lines = text.lines().map(|line| line.strip_prefix("| ").unwrap_or(line));
        let ids = lines.filter_map(|line| Some(line.strip_prefix("**")?.split_once("**")?.0.to_owned()));
        ids.collect::<Vec<_>>()
    });
    ids.filter(|id| id.ends_with(|last: char| last.is_ascii_digit())).collect()
}

/// `page: note` of every vector.
fn cases() -> BTreeSet<String> {
    let files = files(&root().join("policy-core/vectors"), "jsonl");
    let cases = files.iter().flat_map(|file| {
        let page = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = read(file);
        let notes = text.lines().map(|line| {
            let vector: Value = serde_json::from_str(line).unwrap();
            format!("{page}: {}", vector["note"].as_str().unwrap())
        });
        notes.collect::<Vec<_>>()
    });
    cases.collect()
}

/// The text of all tests.
fn tests() -> String {
    TESTS.iter().flat_map(|folder| files(&root().join(folder), "rs")).map(|file| read(&file)).collect()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display())).unwrap()
}
