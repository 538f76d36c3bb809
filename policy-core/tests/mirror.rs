//! The three-way mirror: specification pages, source files and vector files agree.
//!
//! Each check collects everything it finds wrong and shows it in one go.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What a rule or difference says instead of having a vector.
const SHOWN_BY_TESTS: &str = "(shown by tests)";

/// What starts a citation in the source.
const CITATION: &str = concat!("//", " SPEC ");

/// One row of the map in `spec/README.md`.
struct Page {
    file: String,
    prefix: String,
    source: Option<String>,
    vectors: Option<String>,
}

struct Vector {
    at: String,
    file: String,
    value: Value,
}

#[test]
fn the_map_names_every_page_source_and_vector_file() {
    let mut wrong = Vec::new();
    let map = map();
    for page in &map {
        if !spec(&page.file).is_file() {
            wrong.push(format!("no page spec/{}", page.file));
        }
        let stem = page.file.trim_end_matches(".md");
        if let Some(source) = &page.source {
            same(&mut wrong, source, stem);
            if !here("src").join(format!("{source}.rs")).is_file() && !here("src").join(source).is_dir() {
                wrong.push(format!("neither src/{source}.rs nor src/{source}/, for spec/{}", page.file));
            }
        }
        if let Some(vectors) = &page.vectors {
            same(&mut wrong, vectors, &format!("{stem}.jsonl"));
            if !here("vectors").join(vectors).is_file() {
                wrong.push(format!("no vectors/{vectors}, for spec/{}", page.file));
            }
        }
    }
    let pages: BTreeSet<String> = map.iter().map(|page| page.file.clone()).collect();
    let files: BTreeSet<String> = map.iter().filter_map(|page| page.vectors.clone()).collect();
    for name in names(&here("spec"), "md") {
        if !pages.contains(&name) && name != "README.md" && name != "differences.md" {
            wrong.push(format!("spec/{name} is not in the map"));
        }
    }
    for name in names(&here("vectors"), "jsonl") {
        if !files.contains(&name) {
            wrong.push(format!("vectors/{name} is not in the map"));
        }
    }
    none(&wrong);
}

#[test]
fn rules_are_numbered_without_gaps() {
    let mut wrong = Vec::new();
    for page in map() {
        let ids: Vec<String> = rules(&page.file).into_iter().map(|(id, _)| id).collect();
        let expected: Vec<String> = (1..=ids.len()).map(|n| format!("{}-{n}", page.prefix)).collect();
        if ids.is_empty() || ids != expected {
            wrong.push(format!("spec/{}: the rules are {ids:?}", page.file));
        }
    }
    let ids: Vec<String> = rules("differences.md").into_iter().map(|(id, _)| id).collect();
    let expected: Vec<String> = (1..=ids.len()).map(|n| format!("D{n}")).collect();
    if ids.is_empty() || ids != expected {
        wrong.push(format!("spec/differences.md: the ids are {ids:?}"));
    }
    none(&wrong);
}

#[test]
fn every_vector_names_a_rule_of_its_page() {
    let mut wrong = Vec::new();
    let differences: BTreeSet<String> = rules("differences.md").into_iter().map(|(id, _)| id).collect();
    let by_file: BTreeMap<String, BTreeSet<String>> = map()
        .into_iter()
        .filter_map(|page| Some((page.vectors?, rules(&page.file).into_iter().map(|(id, _)| id).collect())))
        .collect();
    for Vector { at, file, value } in vectors() {
        let rule = text(&value, "rule");
        if !by_file.get(&file).is_some_and(|ids| ids.contains(&rule)) {
            wrong.push(format!("{at}: no rule `{rule}` on the page of this file"));
        }
        if text(&value, "note").is_empty() {
            wrong.push(format!("{at}: no note"));
        }
        if value.get("request").is_none() || value.get("expect").is_none() {
            wrong.push(format!("{at}: no request or no expect"));
        }
        if value.get("difference").is_some() && !differences.contains(&text(&value, "difference")) {
            wrong.push(format!("{at}: no difference `{}`", text(&value, "difference")));
        }
    }
    none(&wrong);
}

#[test]
fn every_rule_has_a_vector_or_says_why_not() {
    let shown: BTreeSet<String> = vectors().iter().map(|vector| text(&vector.value, "rule")).collect();
    let pages = map().into_iter().filter(|page| page.vectors.is_some());
    none(&unshown(pages.flat_map(|page| rules(&page.file)), &shown));
}

#[test]
fn every_difference_has_a_vector_or_says_why_not() {
    let shown: BTreeSet<String> = vectors().iter().map(|vector| text(&vector.value, "difference")).collect();
    none(&unshown(rules("differences.md"), &shown));
}

#[test]
fn every_citation_is_of_a_rule_that_exists() {
    let mut wrong = Vec::new();
    let map = map();
    let prefixes: BTreeSet<&str> = map.iter().map(|page| page.prefix.as_str()).collect();
    let mut known: BTreeSet<String> = map.iter().flat_map(|page| rules(&page.file)).map(|(id, _)| id).collect();
    known.extend(rules("differences.md").into_iter().map(|(id, _)| id));
    let mut files = Vec::new();
    for folder in ["src", "tests", "spec"] {
        walk(&here(folder), &mut files);
    }
    for file in files {
        for (number, line) in read(&file).lines().enumerate() {
            let at = format!("{}:{}", file.display(), number + 1);
            for word in words(line) {
                let prefix = word.rsplit_once('-').map_or("", |(prefix, _)| prefix);
                if prefixes.contains(prefix) && !known.contains(word) {
                    wrong.push(format!("{at}: there is no {word}"));
                }
            }
            if let Some((_, cited)) = line.split_once(CITATION)
                && !words(cited).next().is_some_and(|word| known.contains(word))
            {
                wrong.push(format!("{at}: cites no rule: `{}`", line.trim()));
            }
        }
    }
    none(&wrong);
}

/// Who searches the source for a rule finds it.
#[test]
fn every_rule_is_cited_by_its_full_id() {
    let mut files = Vec::new();
    walk(&here("src"), &mut files);
    let sources: String = files.iter().map(|file| read(file)).collect();
    let cited: BTreeSet<&str> = words(&sources).collect();
    let pages = map().into_iter().filter(|page| page.source.is_some());
    let uncited = pages.flat_map(|page| rules(&page.file)).filter(|(id, _)| !cited.contains(id.as_str()));
    none(&uncited.map(|(id, _)| format!("{id} is cited nowhere in src/")).collect::<Vec<_>>());
}

fn map() -> Vec<Page> {
    let mut pages = Vec::new();
    for line in read(&spec("README.md")).lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", file, prefix, source, vectors, _, ""] = cells.as_slice() else { continue };
        if file.ends_with(".md") {
            pages.push(Page {
                file: (*file).to_owned(),
                prefix: (*prefix).to_owned(),
                source: cell(source),
                vectors: cell(vectors),
            });
        }
    }
    assert!(pages.len() > 10, "the map in spec/README.md has only {} rows", pages.len());
    pages
}

/// A cell of the map; a dash is nothing.
fn cell(text: &str) -> Option<String> {
    (text != "—").then(|| text.to_owned())
}

/// The rules of a page in their order, each with the text of its paragraph or table row. A rule starts
/// a line with its id in bold.
fn rules(page: &str) -> Vec<(String, String)> {
    let mut rules: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in read(&spec(page)).lines() {
        let row = line.strip_prefix("| ");
        let id = row.unwrap_or(line).strip_prefix("**").and_then(|rest| rest.split_once("**"));
        if let Some((id, rest)) = id
            && id.ends_with(|last: char| last.is_ascii_digit())
        {
            rules.push((id.to_owned(), rest.to_owned()));
            open = row.is_none();
        } else if line.is_empty() {
            open = false;
        } else if open && let Some((_, body)) = rules.last_mut() {
            body.push(' ');
            body.push_str(line);
        }
    }
    rules
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for file in names(&here("vectors"), "jsonl") {
        for (number, line) in read(&here("vectors").join(&file)).lines().enumerate() {
            let at = format!("vectors/{file}:{}", number + 1);
            let value = serde_json::from_str(line).map_err(|error| format!("{at}: {error}")).unwrap();
            vectors.push(Vector { at, file: file.clone(), value });
        }
    }
    vectors
}

/// Of these rules, the ones that neither are in `shown` nor carry the mark; and those that are both.
fn unshown(rules: impl IntoIterator<Item = (String, String)>, shown: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (id, body) in rules {
        match (shown.contains(&id), body.contains(SHOWN_BY_TESTS)) {
            (false, false) => wrong.push(format!("{id} has no vector and does not say {SHOWN_BY_TESTS}")),
            (true, true) => wrong.push(format!("{id} says {SHOWN_BY_TESTS} and has a vector")),
            _ => {}
        }
    }
    wrong
}

/// The words of a line that may be rule ids.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter(|word| !word.is_empty())
}

fn text(value: &Value, member: &str) -> String {
    value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn same(wrong: &mut Vec<String>, found: &str, expected: &str) {
    if found != expected {
        wrong.push(format!("the map says {found} where the page's name asks for {expected}"));
    }
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn spec(page: &str) -> PathBuf {
    here("spec").join(page)
}

fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    let mut files = Vec::new();
    walk(folder, &mut files);
    let wanted = files.into_iter().filter(|path| path.extension().is_some_and(|found| found == extension));
    wanted.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display())).unwrap()
}
