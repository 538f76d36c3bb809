//! `cargo xtask test`: every check, in the order in which they fail fastest.

use std::process::Command as Process;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{build, differential, validator};
use crate::cargo;
use crate::cli::{Command, usage};
use crate::component_js;
use crate::conformance;
use crate::dist;
use crate::npm;
use crate::python;
use crate::repo::Repo;
use crate::report;
use crate::run;
use crate::surfaces;
use crate::tools;

pub(crate) const COMMAND: Command = Command {
    name: "test",
    arguments: "[--quick | STEP…]",
    summary: "run every check and test, as CI does",
    details: "Stops at the first step that fails. With --quick, only the steps that need neither the artifacts nor
Node.js: format, lints, core, docs, guests and tools. With names of steps, as their headings and the table
at the end have them, only those.",
    run: |repo, arguments| match arguments {
        [] => all(repo, &STEPS.iter().collect::<Vec<_>>()),
        [flag] if flag == "--quick" => all(repo, &STEPS.iter().filter(|step| step.quick).collect::<Vec<_>>()),
        names => all(repo, &named(names)?),
    },
};

/// One heading of a test run.
struct Step {
    name: &'static str,
    what: &'static str,
    /// Needs neither artifacts nor Node.js.
    quick: bool,
    run: fn(&Repo) -> Result<()>,
}

/// The crates that include the component: they compile only once it is built.
const HOST_CRATES: [&str; 2] = ["policy-host", "host-tests"];

const STEPS: [Step; 20] = [
    Step {
        name: "format",
        what: "every file is as rustfmt writes it",
        quick: true,
        run: |repo| cargo(repo, &["fmt", "--all", "--check"]),
    },
    Step {
        name: "lints",
        what: "clippy, no warning allowed: core, guests (compiled natively) and tools",
        quick: true,
        run: |repo| {
            let mut clippy = cargo::command(repo);
            clippy.args(["clippy", "--workspace", "--all-targets"]);
            for host_crate in HOST_CRATES {
                clippy.args(["--exclude", host_crate]);
            }
            run::visible(clippy.args(["--", "-D", "warnings"]))
        },
    },
    Step {
        name: "core",
        what: "unit, property and vector tests of policy-core",
        quick: true,
        run: |repo| cargo(repo, &["test", "--package", "policy-core"]),
    },
    Step {
        name: "docs",
        what: "the core's documentation builds without a warning",
        quick: true,
        run: |repo| {
            let mut doc = cargo::command(repo);
            doc.args(["doc", "--package", "policy-core", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
            run::visible(&mut doc)
        },
    },
    Step {
        name: "guests",
        what: "tests of both guest crates, compiled natively",
        quick: true,
        run: |repo| cargo(repo, &["test", "--package", "wasm-js", "--package", "wasm-component"]),
    },
    Step {
        name: "tools",
        what: "tests of xtask itself",
        quick: true,
        run: |repo| cargo(repo, &["test", "--package", "xtask"]),
    },
    Step {
        name: "artifacts",
        what: "the npm package and the WIT component are built, import nothing, and are small enough",
        quick: false,
        run: |repo| {
            build::both_artifacts(repo)?;
            npm::check_size(repo)
        },
    },
    Step {
        name: "distribution",
        what: "dist/ is made, and its lists of contents are valid CycloneDX",
        quick: false,
        run: |repo| {
            build::published(repo)?;
            dist::test(repo)
        },
    },
    Step {
        name: "host lints",
        what: "clippy, no warning allowed: policy-host and host-tests",
        quick: false,
        run: |repo| {
            let mut clippy = cargo::command(repo);
            clippy.args(["clippy", "--all-targets"]);
            for host_crate in HOST_CRATES {
                clippy.args(["--package", host_crate]);
            }
            run::visible(clippy.args(["--features", "policy-host/tokio", "--", "-D", "warnings"]))
        },
    },
    Step {
        name: "policy-host",
        what: "tests of the wasmtime embedding",
        quick: false,
        run: |repo| cargo(repo, &["test", "--package", "policy-host", "--features", "tokio"]),
    },
    Step { name: "npm", what: "tests of the npm package in Node.js", quick: false, run: npm::test },
    Step {
        name: "packaging",
        what: "the published tarball in Node.js 20, 22 and 24, Deno, Bun, bundlers, TypeScript and Chromium",
        quick: false,
        run: |repo| {
            build::published(repo)?;
            conformance::find_browser(repo)?;
            npm::test_packaging(repo, &repo.dist().join(dist::tarball_name()))
        },
    },
    Step {
        name: "validator",
        what: "tests of the validator page, in Node.js and in Chromium",
        quick: false,
        run: validator::test,
    },
    Step { name: "component js", what: "tests of the component in JavaScript", quick: false, run: component_js::test },
    Step { name: "component python", what: "tests of the component in Python", quick: false, run: python::test },
    Step {
        name: "surfaces",
        what: "agent, subagents and workers in Node.js, Rust and Python under one supervisor, and what may go wrong",
        quick: false,
        run: surfaces::test,
    },
    Step {
        name: "conformance",
        what: "every host gives the same bytes for the same input",
        quick: false,
        run: |repo| {
            conformance::prepare(repo)?;
            // Tens of thousands of trials: a dot each, and those that fail in full.
            cargo(repo, &["test", "--package", "host-tests", "--", "--quiet"])
        },
    },
    Step {
        name: "differential",
        what: "generated cases: the npm package against the JavaScript original, and all hosts against one another",
        quick: false,
        run: differential::all,
    },
    Step {
        name: "reproducible",
        what: "a clean build of both artifacts in another folder gives the same bytes",
        quick: false,
        run: |repo| {
            build::published(repo)?;
            dist::check_reproducible_once(repo)
        },
    },
    Step {
        name: "supply chain",
        what: "licences, sources and duplicate crates, by cargo-deny where it is installed",
        quick: false,
        run: |repo| {
            if tools::on_path("cargo-deny").is_none() {
                report::note(
                    "test",
                    "cargo-deny is not there, which is fine: `cargo install --locked cargo-deny` adds this check",
                );
                return Ok(());
            }
            cargo(repo, &["deny", "--locked", "check", "-D", "unnecessary-skip", "licenses", "bans", "sources"])
        },
    },
];

/// The steps of these names, in their usual order.
fn named(names: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != *name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return usage(format!("there is no step `{unknown}`; test takes nothing, --quick, or of {}", known.join(", ")));
    }
    Ok(STEPS.iter().filter(|step| names.iter().any(|name| step.name == name)).collect())
}

fn all(repo: &Repo, steps: &[&Step]) -> Result<()> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut outcome = Ok(());
    for (number, step) in steps.iter().enumerate() {
        let place = format!("{}/{}", number + 1, steps.len());
        report::line(&format!("\n=== {place}  {}: {}", step.name, step.what));
        let started = Instant::now();
        outcome = (step.run)(repo).with_context(|| format!("step {place}, {}, failed", step.name));
        times.push((step.name, started.elapsed()));
        if outcome.is_err() {
            break;
        }
    }
    report::line(&format!("\n{}", table(&times)));
    if outcome.is_ok() {
        report::note("test", &format!("all {} steps passed", steps.len()));
    }
    outcome
}

fn table(times: &[(&str, Duration)]) -> String {
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    let width = times.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("total".len());
    let rows = times.iter().copied().chain([("total", total)]);
    rows.map(|(name, time)| format!("  {name:width$}  {:>8}\n", report::seconds(time))).collect()
}

fn cargo(repo: &Repo, arguments: &[&str]) -> Result<()> {
    let mut command: Process = cargo::command(repo);
    run::visible(command.args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_total() {
        let times = [("format", Duration::from_millis(1_250)), ("conformance", Duration::from_secs(100))];
        assert_eq!(table(&times), "  format          1.2 s\n  conformance   100.0 s\n  total         101.2 s\n");
    }

    #[test]
    fn steps_are_taken_by_name_in_their_order() {
        let names = |words: &[&str]| named(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let steps: Vec<&str> = names(&["npm", "format"]).unwrap().iter().map(|step| step.name).collect();
        assert_eq!(steps, ["format", "npm"]);
        assert!(names(&["format", "--quik"]).err().unwrap().is::<crate::cli::Usage>());
    }

    #[test]
    fn quick_steps_come_first() {
        assert!(STEPS.iter().is_sorted_by_key(|step| !step.quick));
    }
}
