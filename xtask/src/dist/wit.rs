//! The component's interface as one text, with its documentation, which the component itself does not carry.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use wit_component::WitPrinter;
use wit_parser::Resolve;

use crate::repo::Repo;

const FOLDER: &str = "wasm-component/wit";

/// The text of the folder; it must be of the given version, and what the component has.
pub(crate) fn text(repo: &Repo, component: &[u8], version: &str) -> Result<String> {
    let mut source = Resolve::default();
    let (package, _) = source.push_dir(repo.root().join(FOLDER)).with_context(|| format!("cannot read {FOLDER}"))?;
    let name = source.packages.get(package).map(|package| package.name.to_string()).unwrap_or_default();
    if name != format!("pi-sandbox:policy@{version}") {
        bail!("{FOLDER} is of {name}, but the crates are of version {version}");
    }
    let decoded = wit_component::decode(component).context("cannot read the component")?;
    if interfaces(decoded.resolve(), &name)? != interfaces(&source, &name)? {
        bail!("the component has another interface than {FOLDER}: `cargo xtask build component` makes it anew");
    }
    let mut printer = WitPrinter::default();
    printer.print(&source, package, &[]).context("cannot print the interface")?;
    Ok(format!("{}\n", String::from(printer.output).trim_end()))
}

/// The interfaces of a package by name, without documentation.
fn interfaces(resolve: &Resolve, package: &str) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for (_, found) in resolve.packages.iter().filter(|(_, found)| found.name.to_string() == package) {
        for (name, id) in &found.interfaces {
            let mut printer = WitPrinter::default();
            printer.emit_docs(false).print_interface(resolve, *id)?;
            texts.insert(name.clone(), printer.output.into());
        }
    }
    Ok(texts)
}
