//! `cargo xtask demo`: one configuration, some destinations, the answer of every runtime side by side.

mod answer;
mod destination;
mod example;
mod page;
mod runtime;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::build;
use crate::cli::{Command, usage};
use crate::files;
use crate::repo::Repo;
use crate::report;
use crate::run;
use crate::tools;
use destination::Destination;
use page::{Page, printable};

pub(crate) const COMMAND: Command = Command {
    name: "demo",
    arguments: "[--config FILE] [HOST[:PORT]…]",
    summary: "build everything and show what each runtime decides, side by side",
    details: "Asks the core natively, the npm module in Node.js and the component in wasmtime. The port is 443 where
none is given; an IPv6 address is written ::1 or [::1]:443. What is not given, the configuration or the
destinations, is taken from a built-in example. Exit code 1 when the configuration is invalid or the runtimes differ.",
    run: |repo, arguments| demo(repo, &Request::parse(arguments)?),
};

/// What was typed.
#[derive(Debug, PartialEq)]
struct Request {
    config: Option<PathBuf>,
    destinations: Vec<Destination>,
}

impl Request {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut config = None;
        let mut destinations = Vec::new();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let file = if argument == "--config" {
                let Some(file) = arguments.next() else { return usage("--config needs a file") };
                file
            } else if let Some(file) = argument.strip_prefix("--config=") {
                file
            } else if argument.starts_with('-') {
                return usage(format!("unknown option `{argument}`; see `cargo xtask demo --help`"));
            } else {
                destinations.push(Destination::parse(argument)?);
                continue;
            };
            if config.replace(PathBuf::from(file)).is_some() {
                return usage("--config may be given once");
            }
        }
        Ok(Self { config, destinations })
    }
}

fn demo(repo: &Repo, request: &Request) -> Result<()> {
    let (config_name, config) = config(request.config.as_deref())?;
    let destinations = match request.destinations.as_slice() {
        [] => example::destinations()?,
        typed => typed.to_vec(),
    };
    tools::node()?;
    build::all(repo)?;

    let parsed = runtime::ask_all(repo, "configuration", &[json!({ "op": "parse-config", "text": config })])?;
    let answer = agreed(&config_name, &parsed)?;
    if let Some(message) = answer.get("error").and_then(Value::as_str) {
        if let Some(file) = &request.config {
            show_faults(repo, file)?;
        }
        bail!("{}: {message}", printable(&config_name));
    }
    let network = answer.pointer("/ok/network").cloned();
    let network = network.with_context(|| format!("the answer to parse-config has no network: {answer}"))?;
    let mut requests: Vec<Value> = destinations
        .iter()
        .map(|to| json!({ "op": "decide", "network": network, "host": to.host, "port": to.port }))
        .collect();
    requests.push(json!({ "op": "fingerprint", "network": network }));
    let mut answers = runtime::ask_all(repo, "decisions", &requests)?;
    let fingerprints = answers.pop().context("no answers")?;

    let page = Page { config_name, network, parsed, destinations, decisions: answers, fingerprints };
    report::print(&page.text())?;
    match page.disagreements() {
        0 => Ok(()),
        several => bail!("the runtimes do not agree: {several} of {} answers differ", page.answers()),
    }
}

/// The name and the text of the configuration.
fn config(file: Option<&Path>) -> Result<(String, String)> {
    match file {
        None => Ok(("the built-in example".to_owned(), example::CONFIG.to_owned())),
        Some(file) => Ok((file.display().to_string(), files::read_text(file)?)),
    }
}

/// What every runtime made of the configuration; where they differ, the demo ends.
fn agreed(config_name: &str, parsed: &[runtime::Answers]) -> Result<Value> {
    let [parsed] = parsed else { bail!("one configuration has one answer") };
    if !parsed.agree() {
        bail!("the runtimes do not agree on {}: {}", printable(config_name), printable(&parsed.listed()));
    }
    serde_json::from_str(parsed.first()).context("the native answer is not JSON")
}

/// Shows where the faults of a configuration are, as the npm package's own program does.
fn show_faults(repo: &Repo, file: &Path) -> Result<()> {
    let mut config = OsString::from("--config=");
    config.push(file);
    let mut command = process::Command::new("node");
    command.arg(repo.npm_package().join("dist/cjs/cli.js")).arg("check").arg(config).stdin(Stdio::null());
    match command.status().with_context(|| run::cannot_start(&command))?.code() {
        Some(CLI_INVALID) => Ok(()),
        _ => bail!("`pi-sandbox-policy check` does not find the configuration invalid, and the runtimes do"),
    }
}

/// The exit code of `pi-sandbox-policy check` for a configuration with errors.
const CLI_INVALID: i32 = 1;

#[cfg(test)]
mod tests {
    use super::runtime::RUNTIMES;
    use super::*;
    use crate::cli::Usage;

    fn parse(arguments: &[&str]) -> Result<Request> {
        Request::parse(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_and_destinations_come_in_any_order() {
        let expected = Request {
            config: Some("c.json".into()),
            destinations: vec![Destination { host: "a.example".into(), port: 443 }],
        };
        assert_eq!(parse(&["--config", "c.json", "a.example"]).unwrap(), expected);
        assert_eq!(parse(&["a.example:443", "--config=c.json"]).unwrap(), expected);
        assert_eq!(parse(&[]).unwrap(), Request { config: None, destinations: vec![] });
    }

    #[test]
    fn mistakes_are_usage_errors() {
        for arguments in [&["--config"][..], &["--confg", "x"], &["--config=a", "--config=b"], &["a.example:x"]] {
            assert!(parse(arguments).unwrap_err().is::<Usage>(), "{arguments:?}");
        }
    }

    #[test]
    fn the_configuration_is_what_all_runtimes_say() {
        let answers = |lines: [&str; RUNTIMES.len()]| [runtime::Answers::new(lines.map(str::to_owned).to_vec())];
        let invalid = r#"{"error":"invalid JSON"}"#;
        assert_eq!(agreed("c.json", &answers([invalid; 3])).unwrap(), json!({ "error": "invalid JSON" }));
        let split = agreed("c.json", &answers([invalid, invalid, r#"{"error":"x"}"#])).unwrap_err();
        assert!(split.to_string().starts_with("the runtimes do not agree on c.json"), "{split}");
        assert!(agreed("c.json", &answers(["no JSON"; 3])).is_err());
    }
}
