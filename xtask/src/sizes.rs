//! Keeps the sizes of what is shipped in `target/artifacts/sizes.json`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use crate::files;
use crate::repo::Repo;

/// The size of one file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
}

impl Size {
    pub(crate) fn of(bytes: &[u8]) -> Result<Self> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).context("cannot compress")?;
        let gzip = encoder.finish().context("cannot compress")?.len();
        Ok(Self { raw: u64::try_from(bytes.len())?, gzip: u64::try_from(gzip)? })
    }

    /// For the end of a step.
    pub(crate) fn note(self) -> String {
        format!("{} bytes, {} gzipped", self.raw, self.gzip)
    }

    /// Fails when the compressed file is over the limit.
    pub(crate) fn within(self, limit: u64, name: &str) -> Result<()> {
        if self.gzip > limit {
            bail!("{name} is {} bytes gzipped, {} over the limit of {limit}", self.gzip, self.gzip - limit);
        }
        Ok(())
    }
}

/// Writes the size of one file down, beside those of the others.
pub(crate) fn record(repo: &Repo, name: &str, size: Size) -> Result<()> {
    let mut sizes = all(repo);
    sizes.insert(name.to_owned(), json!({ "raw": size.raw, "gzip": size.gzip }));
    let mut text = serde_json::to_string_pretty(&sizes).context("cannot write sizes")?;
    text.push('\n');
    files::write_if_changed(&path(repo), text.as_bytes())
}

/// The size that was written down last, if any.
pub(crate) fn recorded(repo: &Repo, name: &str) -> Option<Size> {
    let sizes = all(repo);
    let number = |member: &str| sizes.get(name)?.get(member)?.as_u64();
    Some(Size { raw: number("raw")?, gzip: number("gzip")? })
}

fn path(repo: &Repo) -> PathBuf {
    repo.artifacts().join("sizes.json")
}

/// A file that is missing or broken is written anew.
fn all(repo: &Repo) -> Map<String, Value> {
    fs::read(path(repo)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_compresses() {
        let size = Size::of(&[7; 10_000]).unwrap();
        assert_eq!(size.raw, 10_000);
        assert!(size.gzip < 100);
    }

    #[test]
    fn the_limit_itself_is_fine() {
        let size = Size { raw: 200, gzip: 100 };
        assert!(size.within(100, "x").is_ok());
        let error = size.within(99, "policy.wasm").unwrap_err().to_string();
        assert_eq!(error, "policy.wasm is 100 bytes gzipped, 1 over the limit of 99");
    }
}
