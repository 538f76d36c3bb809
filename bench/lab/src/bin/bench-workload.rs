//! `bench-workload FOLDER`: writes every list and its hosts as JSON, for the benchmarks in other languages.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use bench_lab::{SIZES, Workload};

fn main() -> Result<()> {
    let folder = PathBuf::from(env::args_os().nth(1).context("usage: bench-workload FOLDER")?);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for size in SIZES {
        let path = folder.join(format!("{size}.json"));
        let text = serde_json::to_string(&Workload::new(size)).context("cannot write a workload as JSON")?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
