//! The vector files, read for tests.

#![allow(clippy::panic, reason = "only tests read vectors, and a broken vector must stop them")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One case: the request line, and the exact answer line.
#[derive(Debug, Clone)]
pub struct Vector {
    /// File stem and line number, such as `host/12` or `recorded/decide/7`.
    pub name: String,
    /// The request, as one JSON line.
    pub request: String,
    /// The answer, as one JSON line.
    pub expect: String,
    /// The request's operation; empty for a line that is no request.
    pub op: String,
}

/// All vectors of the tree: the curated ones of `policy-core/vectors` by rule, then those of
/// `host-tests/vectors`.
///
/// # Panics
/// A file cannot be read or holds a line that is no vector: that is a fault of the tree.
pub fn all() -> Vec<Vector> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut vectors = Vec::new();
    for (folder, prefix) in [
        (here.join("../policy-core/vectors"), ""),
        (here.join("vectors"), "runner/"),
        (here.join("vectors/recorded"), "recorded/"),
    ] {
        for file in files(&folder) {
            read(&file, prefix, &mut vectors);
        }
    }
    vectors
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    files
}

fn read(file: &Path, prefix: &str, vectors: &mut Vec<Vector>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    for (at, line) in text.lines().enumerate() {
        let name = format!("{prefix}{stem}/{}", at + 1);
        let case: Case<'_> = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A raw `line` is sent as it stands: it need not be a request, nor even JSON.
        let (request, op) = match (case.request, case.line) {
            (Some(request), None) => (request.get().to_owned(), op(request.get())),
            (None, Some(Value::String(line))) => (line, String::new()),
            _ => panic!("{name}: a vector has either `request` or `line`"),
        };
        vectors.push(Vector { name, request, expect: case.expect.get().to_owned(), op });
    }
}

fn op(request: &str) -> String {
    let request: Value = serde_json::from_str(request).unwrap_or_default();
    request.get("op").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[derive(serde::Deserialize)]
struct Case<'a> {
    #[serde(borrow)]
    request: Option<&'a serde_json::value::RawValue>,
    line: Option<Value>,
    #[serde(borrow)]
    expect: &'a serde_json::value::RawValue,
}
