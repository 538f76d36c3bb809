//! `cargo xtask suffixes`: the table of public suffixes in the core, from the list of the day.

use std::path::Path;
use std::process::Command as Process;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::cargo;
use crate::cli::{Command, usage};
use crate::files;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use crate::tools;

pub(crate) const COMMAND: Command = Command {
    name: "suffixes",
    arguments: "[LIST]",
    summary: "renew the core's table of public suffixes",
    details: "LIST is a copy of https://publicsuffix.org/list/public_suffix_list.dat. Without it, the list comes from the newest
release of the Python package publicsuffixlist. Changes policy-core/data/suffix_table.bin, and the date of the list in
policy-core/src/lint/suffix.rs.",
    run: |repo, arguments| match arguments {
        [] => renew(repo, &fetched(repo)?),
        [list] => renew(repo, Path::new(list)),
        _ => usage("suffixes takes a file, or nothing"),
    },
};

/// The package ships the list under this name.
const LIST: &str = "publicsuffixlist/public_suffix_list.dat";
const LIMIT: Duration = Duration::from_secs(300);

fn fetched(repo: &Repo) -> Result<std::path::PathBuf> {
    let step = Step::start("suffixes", "the Public Suffix List");
    let folder = repo.root().join("target/suffixes");
    files::fresh_folder(&folder)?;
    let mut pip = tools::python()?;
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--no-deps", "--target"]);
    run::quiet(repo, "pip-suffixes", pip.arg(&folder).arg("publicsuffixlist"), LIMIT)?;
    step.done("");
    Ok(folder.join(LIST))
}

/// The constants are compiled into the test that makes the table: once for them, once for the table, once to see that
/// all is well.
fn renew(repo: &Repo, list: &Path) -> Result<()> {
    let list = list.canonicalize().with_context(|| format!("cannot read {}", list.display()))?;
    let attempt = || run::visible(test(repo).env("PUBLIC_SUFFIX_LIST", &list));
    let renewed = attempt().or_else(|_| attempt()).or_else(|_| attempt());
    renewed.context("the table could not be made")?;
    report::note("suffixes", "the table is that of the list");
    Ok(())
}

fn test(repo: &Repo) -> Process {
    let mut test = cargo::command(repo);
    test.env("RUST_BACKTRACE", "0");
    test.args(["test", "--quiet", "--package", "policy-core", "--lib", "an_up_to_date_table", "--", "--ignored"]);
    test
}
