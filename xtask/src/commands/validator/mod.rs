//! `cargo xtask validator`: the page that checks configurations in the browser.

mod server;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::build;
use crate::cli::{Command, usage};
use crate::conformance;
use crate::files;
use crate::npm;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use crate::stamp::Stamp;
use crate::tools;

use server::Server;

pub(crate) const COMMAND: Command = Command {
    name: "validator",
    arguments: "[--build-only | --port N]",
    summary: "build the page that checks configurations, and serve it on this machine",
    details:
        "The page goes to dist/validator: four files for any file server, which need nothing but each other. It is
served on 127.0.0.1, at any free port unless --port names one other than 0, until Ctrl-C. With --build-only it is not served.",
    run: |repo, arguments| match Options::parse(arguments)? {
        Options::BuildOnly => build_page(repo),
        Options::Serve { port } => {
            build_page(repo)?;
            let server = Server::bind(&page(repo), port)?;
            report::print(&format!("{}\n", server.address()?))?;
            report::note("serve", "the page is at this address; Ctrl-C ends it");
            server.run()
        }
    },
};

const LIMIT: Duration = Duration::from_secs(300);

#[derive(Debug, PartialEq)]
enum Options {
    BuildOnly,
    /// Zero for any free port.
    Serve {
        port: u16,
    },
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match *words.as_slice() {
            [] => Ok(Self::Serve { port: 0 }),
            ["--build-only"] => Ok(Self::BuildOnly),
            ["--port", number] if number.parse::<u16>().is_ok() => Ok(Self::Serve { port: number.parse()? }),
            _ => {
                usage("validator takes nothing, --build-only, or --port with a number from 0 (any free port) to 65535")
            }
        }
    }
}

/// Builds the page, and runs its tests: those of its parts in Node.js, and those of the whole in Chromium.
pub(crate) fn test(repo: &Repo) -> Result<()> {
    build_page(repo)?;
    conformance::find_browser(repo)?;
    let mut test = tools::npm()?;
    run::visible(test.arg("test").current_dir(project(repo)).env("VALIDATOR_OUT_DIR", page(repo)))
}

fn build_page(repo: &Repo) -> Result<()> {
    build::npm_package(repo)?;
    let project = project(repo);
    npm::packages::install(repo, &project)?;
    let step = Step::start("build", "validator page");
    let stamp = Stamp::new(repo.artifacts().join("validator.stamp"))
        .tree(&project, &["node_modules", "test"])?
        .tree(&repo.npm_package(), &[])?
        .input("lint.md", &files::read(&repo.root().join("policy-core/spec/lint.md"))?);
    // The tests need the package that the build unpacks.
    let outputs = [page(repo).join("index.html"), project.join("node_modules/pi-sandbox-policy/package.json")];
    if stamp.is_current(&outputs) {
        step.done("unchanged");
        return Ok(());
    }
    stamp.clear()?;
    let mut build = tools::npm()?;
    build.args(["run", "build"]).current_dir(&project);
    build.env("POLICY_PACKAGE_DIR", repo.npm_package()).env("VALIDATOR_OUT_DIR", page(repo));
    run::quiet(repo, "npm-run-build-validator", &mut build, LIMIT)?;
    stamp.record()?;
    step.done("dist/validator");
    Ok(())
}

fn project(repo: &Repo) -> PathBuf {
    repo.root().join("wasm-js/validator")
}

fn page(repo: &Repo) -> PathBuf {
    repo.root().join("dist/validator")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options> {
        Options::parse(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn it_serves_unless_told_otherwise() {
        assert_eq!(parse(&[]).unwrap(), Options::Serve { port: 0 });
        assert_eq!(parse(&["--port", "8080"]).unwrap(), Options::Serve { port: 8080 });
        assert_eq!(parse(&["--port", "0"]).unwrap(), Options::Serve { port: 0 });
        assert_eq!(parse(&["--build-only"]).unwrap(), Options::BuildOnly);
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for arguments in
            [&["--port"][..], &["--port", "-1"], &["--port", "65536"], &["--serve"], &["--build-only", "x"]]
        {
            assert!(parse(arguments).is_err(), "{arguments:?}");
        }
    }
}
