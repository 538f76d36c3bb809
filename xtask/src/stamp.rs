//! Remembers what an output was made from, so that nothing is made twice from the same.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Result;

use crate::digest;
use crate::files;

/// A file beside an output that names everything the output was made from.
///
/// xtask itself counts as an input: a change of these tools makes everything again.
pub(crate) struct Stamp {
    path: PathBuf,
    inputs: String,
}

impl Stamp {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, inputs: format!("xtask {}\n", this_program().unwrap_or_else(|_| "replaced meanwhile".to_owned())) }
    }

    /// Adds an input.
    pub(crate) fn input(mut self, name: &str, bytes: &[u8]) -> Self {
        self.inputs.push_str(&format!("{name} {}\n", digest::sha256(bytes)));
        self
    }

    /// Adds every file below a folder.
    pub(crate) fn tree(mut self, folder: &Path, skipped: &[&str]) -> Result<Self> {
        for path in files::tree(folder, skipped)? {
            self = self.input(&path.display().to_string(), &files::read(&path)?);
        }
        Ok(self)
    }

    /// Whether the outputs are there and were made from these very inputs.
    pub(crate) fn is_current(&self, outputs: &[PathBuf]) -> bool {
        outputs.iter().all(|output| output.exists())
            && fs::read_to_string(&self.path).is_ok_and(|old| old == self.inputs)
    }

    /// To be called before the outputs are touched: an attempt that fails half way must not look finished.
    pub(crate) fn clear(&self) -> Result<()> {
        files::write_if_changed(&self.path, b"unfinished\n")
    }

    /// To be called when the outputs are complete.
    pub(crate) fn record(&self) -> Result<()> {
        files::write_if_changed(&self.path, self.inputs.as_bytes())
    }
}

/// The size and the time of this program's file. There is none when xtask was compiled anew while it ran.
fn this_program() -> io::Result<String> {
    let facts = fs::metadata(env::current_exe()?)?;
    let age = facts.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {}", facts.len(), age.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_current_only_for_the_same_inputs_and_whole_outputs() {
        let folder = env::temp_dir().join(format!("xtask-stamp-{}", std::process::id()));
        files::fresh_folder(&folder).unwrap();
        let output = folder.join("output");
        let stamp = |bytes: &[u8]| Stamp::new(folder.join("stamp")).input("a", bytes);
        let outputs = [output.clone()];

        assert!(!stamp(b"1").is_current(&outputs));
        stamp(b"1").record().unwrap();
        assert!(!stamp(b"1").is_current(&outputs), "the output is missing");
        fs::write(&output, "made").unwrap();
        assert!(stamp(b"1").is_current(&outputs));
        assert!(!stamp(b"2").is_current(&outputs));
        stamp(b"1").clear().unwrap();
        assert!(!stamp(b"1").is_current(&outputs));
        fs::remove_dir_all(&folder).unwrap();
    }
}
