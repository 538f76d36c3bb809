//! The result of one part of the benchmarks: tables and targets.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

/// What one program measured. The programs in other languages write the same JSON.
#[derive(Serialize)]
pub struct Part {
    pub name: &'static str,
    pub title: &'static str,
    pub sections: Vec<Section>,
    pub targets: Vec<Target>,
}

/// One table with what a reader must know about it.
#[derive(Serialize)]
pub struct Section {
    pub title: String,
    pub text: String,
    pub columns: Vec<Column>,
    /// Numbers in the unit of their column; null where nothing was measured; a text says why.
    pub rows: Vec<Vec<Value>>,
}

#[derive(Serialize)]
pub struct Column {
    pub name: String,
    pub unit: Unit,
}

impl Column {
    pub fn new(name: impl Into<String>, unit: Unit) -> Self {
        Self { name: name.into(), unit }
    }
}

/// How the report shows a number.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Text,
    Count,
    /// Nanoseconds, shown as ns, µs, ms or s.
    Time,
    Ratio,
    Bytes,
    /// A part of 1, shown in percent.
    Part,
}

/// A figure that was promised.
#[derive(Serialize)]
pub struct Target {
    pub what: String,
    pub sense: Sense,
    pub limit: f64,
    pub unit: Unit,
    pub measured: f64,
    /// Anything a reader must know to judge it.
    pub note: String,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    AtMost,
    AtLeast,
}

impl Part {
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("cannot write a result as JSON")?;
        fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
    }
}
