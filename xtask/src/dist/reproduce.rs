//! Builds everything a second time, in another folder and from nothing, and compares the bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context, Result, bail};

use super::SUMS;
use super::tarball;
use crate::files;
use crate::guest;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use crate::stamp::Stamp;

/// [`check`], unless it went well for the very bytes that are in `dist/` now.
pub(crate) fn check_once(repo: &Repo) -> Result<()> {
    if stamp(repo)?.is_current(&[]) {
        report::note("dist", "the bytes in dist/ were reproduced before");
        return Ok(());
    }
    check(repo)
}

/// Fails when a clean build of the same sources in another folder, with cargo's own files in another folder too, leaves
/// other bytes than there are in `dist/`.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let stamp = stamp(repo)?;
    stamp.clear()?;
    let folder = env::temp_dir().join(format!("pi-sandbox-policy-reproduced-{}", process::id()));
    files::fresh_folder(&folder)?;
    let root = folder.join("sources");
    let step = Step::start("dist", "copy of the sources");
    let sources = sources(repo)?;
    for path in &sources {
        copy(repo.root(), &root, path)?;
    }
    step.done(&format!("{} files to {}", sources.len(), root.display()));

    // This program, which takes the folder above its manifest's for the repository.
    let mut again = Command::new(env::current_exe().context("cannot find xtask itself")?);
    again.arg("dist").env("CARGO_MANIFEST_DIR", root.join("xtask")).current_dir(&root);
    let cargo_home = folder.join("cargo");
    if link(&guest::cargo_home()?, &cargo_home)? {
        again.env("CARGO_HOME", &cargo_home);
    }
    run::visible(&mut again)?;

    let differences = differences(&published(&repo.dist())?, &published(&root.join("dist"))?)?;
    if !differences.is_empty() {
        bail!("a build in {} gave other bytes:\n  {}", root.display(), differences.join("\n  "));
    }
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    report::note("dist", "a clean build in another folder gave the same bytes");
    stamp.record()
}

fn stamp(repo: &Repo) -> Result<Stamp> {
    let sums = files::read(&repo.dist().join(SUMS))?;
    Ok(Stamp::new(repo.artifacts().join("reproduced.stamp")).input(SUMS, &sums))
}

/// What git has, and what it would take; relative to the root.
fn sources(repo: &Repo) -> Result<Vec<PathBuf>> {
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(repo.root());
    let names = run::output(&mut list).context("only git knows what belongs to the sources")?;
    let paths = names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from);
    // A file that is deleted, but not from git yet.
    Ok(paths.filter(|path| repo.root().join(path).is_file()).collect())
}

/// With its permissions, which the artifacts must not depend on.
fn copy(from: &Path, to: &Path, path: &Path) -> Result<()> {
    let target = to.join(path);
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::copy(from.join(path), &target).with_context(|| format!("cannot copy {}", path.display()))?;
    Ok(())
}

/// Another name for a folder, so that nothing has to be downloaded again; false where there are none.
#[cfg(unix)]
fn link(folder: &Path, name: &Path) -> Result<bool> {
    std::os::unix::fs::symlink(folder, name).with_context(|| format!("cannot link {}", name.display()))?;
    Ok(true)
}

#[cfg(not(unix))]
fn link(_folder: &Path, _name: &Path) -> Result<bool> {
    Ok(false)
}

/// The files of a `dist/` by name.
fn published(dist: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let sums = files::read_text(&dist.join(SUMS))?;
    let names = sums.lines().filter_map(|line| line.split("  ").nth(1)).chain([SUMS]);
    names.map(|name| Ok((name.to_owned(), files::read(&dist.join(name))?))).collect()
}

/// One line for each file that is not the same.
fn differences(here: &BTreeMap<String, Vec<u8>>, there: &BTreeMap<String, Vec<u8>>) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for name in here.keys().chain(there.keys()).collect::<BTreeSet<_>>() {
        match (here.get(name), there.get(name)) {
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) if name.ends_with(".tgz") => lines.push(in_tarball(name, one, other)?),
            (Some(one), Some(other)) => lines.push(in_bytes(name, one, other)),
            (Some(_), None) => lines.push(format!("{name}: made here only")),
            (None, _) => lines.push(format!("{name}: made there only")),
        }
    }
    Ok(lines)
}

fn in_tarball(name: &str, one: &[u8], other: &[u8]) -> Result<String> {
    let (one, other) = (tarball::read(one)?, tarball::read(other)?);
    let paths = one.keys().chain(other.keys()).collect::<BTreeSet<_>>();
    let different = paths.into_iter().filter(|path| one.get(*path) != other.get(*path));
    let different: Vec<String> = different.map(|path| path.display().to_string()).collect();
    Ok(format!("{name}: {}", different.join(", ")))
}

fn in_bytes(name: &str, one: &[u8], other: &[u8]) -> String {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    format!("{name}: {} bytes here and {} there, the same up to byte {same}", one.len(), other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn every_difference_is_named() {
        let here = files(&[("a", "same"), ("b", "12345"), ("c", "")]);
        let there = files(&[("a", "same"), ("b", "1204"), ("d", "")]);
        assert_eq!(
            differences(&here, &there).unwrap(),
            ["b: 5 bytes here and 4 there, the same up to byte 2", "c: made here only", "d: made there only",]
        );
        assert!(differences(&here, &here).unwrap().is_empty());
    }

    #[test]
    fn of_a_tarball_the_files_inside_are_named() {
        let tarball = |texts: &[(&str, &str)]| {
            let members = texts.iter().map(|(path, text)| {
                (PathBuf::from(path), tarball::Member { executable: false, bytes: text.as_bytes().to_vec() })
            });
            BTreeMap::from([("a.tgz".to_owned(), tarball::write(&members.collect()).unwrap())])
        };
        let here = tarball(&[("package/a", "same"), ("package/b", "1"), ("package/c", "")]);
        let there = tarball(&[("package/a", "same"), ("package/b", "2")]);
        assert_eq!(differences(&here, &there).unwrap(), ["a.tgz: package/b, package/c"]);
    }
}
