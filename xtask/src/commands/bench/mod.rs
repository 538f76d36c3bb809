//! `cargo xtask bench`: every figure in one report.

mod machine;
mod page;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::cli::{Command, usage};
use crate::component;
use crate::files;
use crate::lock::Lock;
use crate::npm;
use crate::repo::Repo;
use crate::report;
use crate::run;
use crate::toolchain::Toolchain;
use crate::tools;
use programs::Programs;

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "[--quick] [--save] [--only PART]",
    summary: "measure every host beside its peers and write a report",
    details: "  PART is one of native, node, wasmtime, supervisor, cold, sizes; it can be given several times.
  --quick  measures shortly and leaves the slow libraries out: for a first look
  --save   also writes bench/REPORT.md, the copy that is kept in the repository; only of a full run

The report is target/bench/report.md, the same as data report.json. bench/README.md explains how to read it. Being
slow is never an error: the report has a table of targets, met or missed.",
    run: |repo, arguments| Options::read(arguments)?.run(repo),
};

const PARTS: [&str; 6] = ["native", "node", "wasmtime", "supervisor", "cold", "sizes"];

#[derive(Debug, Default, PartialEq)]
struct Options {
    quick: bool,
    save: bool,
    /// All when empty.
    only: Vec<String>,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--save" => options.save = true,
                "--only" => match arguments.next() {
                    Some(part) if PARTS.contains(&part.as_str()) => options.only.push(part.clone()),
                    _ => return usage(format!("--only takes one of {}", PARTS.join(", "))),
                },
                _ => return usage(format!("bench knows no `{argument}`")),
            }
        }
        if options.save && (options.quick || !options.only.is_empty()) {
            return usage("--save keeps full runs only: leave --quick and --only out");
        }
        Ok(options)
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }

    fn run(&self, repo: &Repo) -> Result<()> {
        let bench = Bench { repo, folder: repo.root().join("target/bench"), quick: self.quick };
        let mut machine = machine::describe(repo);
        let mut parts = Vec::new();
        let mut failures = Vec::new();
        for name in PARTS.into_iter().filter(|part| self.wants(part)) {
            // A part that cannot be measured must not cost the figures of the others.
            match bench.part(name) {
                Ok(part) => parts.push(part),
                Err(error) => {
                    report::error(&error.context(format!("the part `{name}` was left out")));
                    failures.push(name);
                }
            }
        }
        machine.insert("load after".to_owned(), machine::load().into());
        let report = json!({ "quick": self.quick, "machine": machine, "leftOut": failures, "parts": parts });
        let page = page::render(&report);
        let data = serde_json::to_string_pretty(&report).context("cannot write the report as JSON")? + "\n";
        files::write_if_changed(&bench.folder.join("report.json"), data.as_bytes())?;
        files::write_if_changed(&bench.folder.join("report.md"), page.as_bytes())?;
        report::print(&page::summary(&report))?;
        report::note("bench", &format!("the report is {}", bench.folder.join("report.md").display()));
        if !failures.is_empty() {
            bail!("left out: {}", failures.join(", "));
        }
        if self.save {
            files::write_if_changed(&repo.root().join("bench/REPORT.md"), page.as_bytes())?;
            report::note("bench", "bench/REPORT.md is renewed");
        }
        Ok(())
    }
}

/// One run.
struct Bench<'r> {
    repo: &'r Repo,
    folder: PathBuf,
    quick: bool,
}

impl Bench<'_> {
    fn part(&self, name: &str) -> Result<Value> {
        fs::create_dir_all(&self.folder).with_context(|| format!("cannot make {}", self.folder.display()))?;
        let output = self.folder.join(format!("{name}.json"));
        match name {
            "native" => self.native(&output)?,
            "node" => self.node(&output)?,
            "wasmtime" => self.wasmtime(&output)?,
            "supervisor" => self.supervisor(&output)?,
            "cold" => self.cold(&output)?,
            _ => self.sizes(&output)?,
        }
        let text = files::read_text(&output)?;
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", output.display()))
    }

    fn native(&self, output: &Path) -> Result<()> {
        // The other libraries take longer to compile than a quick run takes.
        let features: &[&str] = if self.quick { &["--no-default-features"] } else { &[] };
        let programs = Programs::build(self.repo, "bench-native", features)?;
        self.measure(Process::new(programs.find("bench-native")?).arg(output))
    }

    fn node(&self, output: &Path) -> Result<()> {
        self.npm_package()?;
        let lab = Programs::build(self.repo, "bench-lab", &[])?;
        let native = Programs::build(self.repo, "bench-native", &["--no-default-features"])?;
        let workloads = self.folder.join("workloads");
        run::visible(Process::new(lab.find("bench-workload")?).arg(&workloads))?;
        let mut node = self.script("matching.mjs")?;
        self.measure(node.arg(output).arg(workloads).arg(native.find("bench-pacer")?))
    }

    fn wasmtime(&self, output: &Path) -> Result<()> {
        let toolchain = self.artifact(component::build)?;
        let module = programs::module(self.repo, &toolchain)?;
        let programs = Programs::build(self.repo, "bench-embedded", &[])?;
        self.measure(Process::new(programs.find("bench-embedded")?).arg(output).arg(module))
    }

    fn supervisor(&self, output: &Path) -> Result<()> {
        self.npm_package()?;
        self.measure(self.script("supervisor.mjs")?.arg(output))
    }

    fn cold(&self, output: &Path) -> Result<()> {
        self.npm_package()?;
        self.artifact(component::build)?;
        let native = Programs::build(self.repo, "bench-native", &["--no-default-features"])?;
        let embedded = Programs::build(self.repo, "bench-embedded", &[])?;
        let mut node = self.script("cold.mjs")?;
        node.arg(output);
        for name in ["bench-empty", "bench-first"] {
            node.arg(native.find(name)?);
        }
        self.measure(node.arg(embedded.find("bench-first-component")?).arg(&self.folder))
    }

    fn sizes(&self, output: &Path) -> Result<()> {
        self.npm_package()?;
        self.artifact(component::build)?;
        let mut node = self.script("sizes.mjs")?;
        self.measure(node.arg(output).arg(self.repo.npm_package()).arg(self.repo.bundled_component()))
    }

    /// Builds what is shipped, as `cargo xtask build` does.
    fn artifact(&self, build: fn(&Repo, &Toolchain) -> Result<()>) -> Result<Toolchain> {
        let _lock = Lock::take(self.repo)?;
        let toolchain = Toolchain::find(self.repo)?;
        build(self.repo, &toolchain)?;
        Ok(toolchain)
    }

    /// The built package, importable by its name from the scripts, beside the packages that it is compared with.
    fn npm_package(&self) -> Result<()> {
        self.artifact(npm::build)?;
        npm::packages::install(self.repo, &self.repo.root().join("bench/node"))?;
        run::visible(self.script("link.mjs")?.arg(self.repo.npm_package()))
    }

    fn script(&self, name: &str) -> Result<Process> {
        tools::node()?;
        let mut node = Process::new("node");
        node.arg(self.repo.root().join("bench/node").join(name));
        Ok(node)
    }

    fn measure(&self, program: &mut Process) -> Result<()> {
        if self.quick {
            program.arg("--quick");
        }
        run::visible(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Options> {
        Options::read(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn all_parts_are_measured_unless_some_are_named() {
        assert!(PARTS.iter().all(|part| read(&[]).unwrap().wants(part)));
        let some = read(&["--only", "node", "--quick", "--only", "sizes"]).unwrap();
        assert!(some.quick && some.wants("node") && some.wants("sizes") && !some.wants("native"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for arguments in [&["--fast"][..], &["--only"], &["--only", "chrome"], &["--save", "--quick"]] {
            assert!(read(arguments).is_err(), "{arguments:?}");
        }
    }
}
