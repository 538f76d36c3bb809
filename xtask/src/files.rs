//! Reading and writing files, with errors that name the file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A text file; one that is not UTF-8 is an error, never repaired.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    match String::from_utf8(read(path)?) {
        Ok(text) => Ok(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            bail!("{} is not UTF-8: byte {at}", path.display())
        }
    }
}

/// Writes a file with its folder, unless it has these bytes already: cargo and npm look at the time of a file.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// An empty folder, whatever was there.
pub(crate) fn fresh_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", path.display()));
        }
        _ => {}
    }
    fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))
}

/// Every file below a folder in a fixed order, without the folders of the given names.
pub(crate) fn tree(folder: &Path, skipped: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
            let path = entry.path();
            if !path.is_dir() {
                files.push(path);
            } else if !skipped.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
