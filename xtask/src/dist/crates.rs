//! Which crates a guest is linked from: what cargo says, with the checksums of `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::cargo;
use crate::files;
use crate::repo::Repo;
use crate::run;
use crate::toolchain::TARGET;

/// Crates by [`Crate::id`].
pub(crate) type Crates = BTreeMap<String, Crate>;

/// One crate that is compiled into a guest.
#[derive(Debug, PartialEq)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression.
    pub(crate) licence: String,
    /// The SHA-256 of the crate as the registry has it; none for a crate of this repository.
    pub(crate) checksum: Option<String>,
    /// The ids of the crates that it is linked with.
    pub(crate) needs: BTreeSet<String>,
}

impl Crate {
    pub(crate) fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// The crates of a guest, itself among them. What runs only while it is compiled, macros and build scripts, is no part
/// of it.
pub(crate) fn linked_into(repo: &Repo, guest: &str) -> Result<Crates> {
    let mut tree = cargo::command(repo);
    tree.args(["tree", "--locked", "--package", guest, "--target", TARGET, "--edges", "normal,no-proc-macro"]);
    tree.args(["--no-dedupe", "--charset", "ascii", "--prefix", "depth", "--format", "\t{p}\t{l}"]);
    let mut crates = parse_tree(&run::output(&mut tree)?)?;
    let lock = files::read_text(&repo.root().join("Cargo.lock"))?;
    let mut checksums = parse_lock(&lock).context("Cargo.lock is not as cargo writes it")?;
    for (id, found) in &mut crates {
        found.checksum = checksums.remove(id).with_context(|| format!("Cargo.lock does not have {id}"))?;
    }
    Ok(crates)
}

/// Lines of a depth, a crate with its version, and its licence, as in `1<tab>serde v1.0.229<tab>MIT OR Apache-2.0`.
fn parse_tree(text: &str) -> Result<Crates> {
    let mut crates = Crates::new();
    let mut above: Vec<String> = Vec::new();
    for line in text.lines() {
        let (depth, found) = parse_line(line).with_context(|| format!("cargo tree says `{line}`"))?;
        if found.licence.is_empty() {
            bail!("{} names no licence", found.id());
        }
        let id = found.id();
        above.truncate(depth);
        if let Some(user) = above.last().and_then(|user| crates.get_mut(user)) {
            user.needs.insert(id.clone());
        }
        above.push(id.clone());
        crates.entry(id).or_insert(found);
    }
    Ok(crates)
}

fn parse_line(line: &str) -> Option<(usize, Crate)> {
    let mut fields = line.split('\t');
    let depth = fields.next()?.parse().ok()?;
    let mut words = fields.next()?.split(' ');
    let name = words.next()?.to_owned();
    let version = words.next()?.strip_prefix('v')?.to_owned();
    // The way in which licences were listed before there were expressions.
    let licence = fields.next()?.replace('/', " OR ");
    Some((depth, Crate { name, version, licence, checksum: None, needs: BTreeSet::new() }))
}

/// The checksum of every crate by its id; none for a crate of this repository.
fn parse_lock(text: &str) -> Result<BTreeMap<String, Option<String>>> {
    let lock: Table = text.parse()?;
    let packages = lock.get("package").and_then(Value::as_array).context("it has no packages")?;
    let mut checksums = BTreeMap::new();
    for package in packages {
        let member = |name: &str| package.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = format!("{}@{}", member("name").unwrap_or_default(), member("version").unwrap_or_default());
        let checksum = member("checksum");
        if member("source").is_some() && checksum.is_none() {
            bail!("{id} has a source, but no checksum");
        }
        if checksums.insert(id.clone(), checksum).is_some() {
            bail!("{id} is there twice");
        }
    }
    Ok(checksums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_tells_crates_and_what_they_need() {
        let text = "0\tguest v0.1.0 (/a b)\tApache-2.0\n1\tcore v0.1.0 (/c)\tApache-2.0\n2\tserde v1.0.2\tMIT/Zlib\n\
                    1\tserde v1.0.2\tMIT/Zlib\n";
        let crates = parse_tree(text).unwrap();
        let needs: Vec<Vec<&String>> = crates.values().map(|found| found.needs.iter().collect()).collect();
        assert_eq!(crates.keys().collect::<Vec<_>>(), ["core@0.1.0", "guest@0.1.0", "serde@1.0.2"]);
        assert_eq!(needs, [vec!["serde@1.0.2"], vec!["core@0.1.0", "serde@1.0.2"], vec![]]);
        assert_eq!(crates["serde@1.0.2"].licence, "MIT OR Zlib");
    }

    #[test]
    fn a_crate_without_a_licence_is_an_error() {
        assert_eq!(parse_tree("0\ta v1.0.0\t\n").unwrap_err().to_string(), "a@1.0.0 names no licence");
        assert!(parse_tree("warning: something\n").is_err());
    }

    #[test]
    fn the_lock_file_has_the_checksums() {
        let own = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let other = "[[package]]\nname = \"other\"\nversion = \"1.0.0\"\nsource = \"registry+https://x\"\n";
        let checksums = parse_lock(&format!("version = 4\n{own}{other}checksum = \"ab\"\n")).unwrap();
        assert_eq!(checksums["own@0.1.0"], None);
        assert_eq!(checksums["other@1.0.0"].as_deref(), Some("ab"));
        assert_eq!(parse_lock(other).unwrap_err().to_string(), "other@1.0.0 has a source, but no checksum");
    }
}
