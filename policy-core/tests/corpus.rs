//! Replays the fuzzers' corpus on a stable compiler: the seeds, which are the texts of the vectors, and what fuzzing
//! found and kept. `proof/fuzz` says what must hold for each.

#![allow(
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

#[path = "../../proof/fuzz/src/lib.rs"]
mod fuzz;

#[test]
fn every_seed_holds() {
    let mut replayed = 0;
    for file in files(&root().join("policy-core/vectors"), "jsonl") {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let vector: Value = serde_json::from_str(line).unwrap();
            for (target, input) in inputs(&vector["request"]) {
                run(&target, &input);
                replayed += 1;
            }
        }
    }
    assert!(replayed > 500, "only {replayed} seeds");
}

#[test]
fn every_kept_input_holds() {
    for (target, _) in fuzz::TARGETS {
        let file = root().join(format!("proof/fuzz/kept/{target}.hex"));
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display())).unwrap();
        for line in text.lines() {
            run(target, &bytes(line));
        }
    }
}

/// One input through its target; what does not hold is told with the input, ready for `kept/`.
fn run(target: &str, input: &[u8]) {
    let (_, check) = fuzz::TARGETS.into_iter().find(|(name, _)| *name == target).unwrap();
    let held = std::panic::catch_unwind(|| check(input));
    assert!(
        held.is_ok(),
        "target {target}, input {}",
        input.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    );
}

/// The same inputs as `proof/fuzz/seed.py` makes of a request, the scripts for a supervisor aside.
fn inputs(request: &Value) -> Vec<(String, Vec<u8>)> {
    let text = |name: &str| request[name].as_str().unwrap_or_default().as_bytes().to_vec();
    match request["op"].as_str() {
        Some("parse-config" | "validate-config") => {
            vec![("config".into(), text("text")), ("diagnostics".into(), text("text"))]
        }
        Some("decode-transport") => vec![("transport".into(), text("text"))],
        Some("canonicalize-host" | "normalize-public-hostname" | "decide") => {
            let port = request["port"].as_u64().unwrap_or(443).to_string();
            let mut lines = vec![port, request["host"].as_str().unwrap_or_default().to_owned()];
            for (list, sign) in [("allowedDomains", '+'), ("deniedDomains", '-')] {
                let entries = request["network"][list].as_array().into_iter().flatten().filter_map(Value::as_str);
                lines.extend(entries.map(|entry| format!("{sign}{entry}")));
            }
            vec![("host".into(), lines.join("\n").into_bytes())]
        }
        Some("supervise") => {
            let frames = request["steps"].as_array().into_iter().flatten().filter_map(|step| step["frame"].as_str());
            let steps: Vec<String> = frames.map(|frame| format!("l0 {}", frame.replace('\n', " "))).collect();
            vec![("supervisor".into(), format!("o\n{}\na0\nd1", steps.join("\n")).into_bytes())]
        }
        _ => vec![],
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    assert!(hex.is_ascii() && hex.len().is_multiple_of(2), "no hex: {hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == extension)).collect();
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
