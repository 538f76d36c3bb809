//! What is published, in `dist/`.

mod crates;
mod cyclonedx;
mod reproduce;
mod tarball;
mod wit;

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::component;
use crate::digest;
use crate::files;
use crate::npm;
use crate::repo::Repo;
use crate::report::{self, Step};
use crate::run;
use crate::toolchain::Toolchain;
use crate::tools;
use cyclonedx::Artifact;

pub(crate) use reproduce::{check as check_reproducible, check_once as check_reproducible_once};

/// That of all crates, and so of everything that is made from them.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENCE: &str = "Apache-2.0";
const SUMS: &str = "SHA256SUMS";

/// One file of `dist/`.
struct Published {
    name: String,
    what: &'static str,
    bytes: Vec<u8>,
}

/// The name of the npm package's tarball.
pub(crate) fn tarball_name() -> String {
    format!("pi-sandbox-policy-{VERSION}.tgz")
}

/// Makes the folder from the artifacts, which must be there. Folders in it are of others, and stay.
pub(crate) fn make(repo: &Repo, toolchain: &Toolchain) -> Result<()> {
    npm::check_size(repo)?;
    let step = Step::start("dist", "what is published");
    let published = published(repo, toolchain)?;
    remove_other_files(repo, &published)?;
    for file in &published {
        files::write_if_changed(&repo.dist().join(&file.name), &file.bytes)?;
    }
    step.done(&format!("{} files in dist/", published.len()));
    report::line(&table(&published));
    Ok(())
}

/// Asks a validator of the format whether the lists of contents are valid.
pub(crate) fn test(repo: &Repo) -> Result<()> {
    let project = repo.root().join("xtask/cyclonedx");
    npm::packages::install(repo, &project)?;
    let lists = files::tree(&repo.dist(), &["validator"])?;
    let lists = lists.iter().filter(|path| path.display().to_string().ends_with(".cdx.json"));
    run::visible(tools::npm()?.args(["run", "--silent", "validate", "--"]).args(lists).current_dir(project))
}

fn published(repo: &Repo, toolchain: &Toolchain) -> Result<Vec<Published>> {
    let rust = toolchain.ask_rustc(&["--version"])?;
    let rust = rust.split(' ').nth(1).context("`rustc --version` does not say which")?;
    let contents = |artifact: &Artifact<'_>, guest: &str| -> Result<Vec<u8>> {
        json(&cyclonedx::document(artifact, guest, &crates::linked_into(repo, guest)?, rust))
    };

    let tarball = tarball::pack(repo, &tarball_name())?;
    let tarball_contents = contents(
        &Artifact {
            name: "pi-sandbox-policy",
            version: VERSION,
            purl: Some(format!("pkg:npm/pi-sandbox-policy@{VERSION}")),
            licence: LICENCE,
            bytes: &tarball,
        },
        "wasm-js",
    )?;
    let component = files::read(&component::shipped(repo))?;
    let component_contents = contents(
        &Artifact { name: "pi-sandbox:policy", version: VERSION, purl: None, licence: LICENCE, bytes: &component },
        "wasm-component",
    )?;
    let wit = wit::text(repo, &component, VERSION)?.into_bytes();

    let component_name = format!("pi-sandbox-policy-{VERSION}.component.wasm");
    let mut published: Vec<Published> = [
        (tarball_name(), "the npm package", tarball),
        (format!("{}.cdx.json", tarball_name()), "what is inside it: crates, licences, checksums", tarball_contents),
        (component_name.clone(), "the WebAssembly component, which imports nothing", component),
        (format!("{component_name}.cdx.json"), "what is inside it: crates, licences, checksums", component_contents),
        (format!("pi-sandbox-policy-{VERSION}.wit"), "the component's interface, documented", wit),
    ]
    .into_iter()
    .map(|(name, what, bytes)| Published { name, what, bytes })
    .collect();
    let sums = sums(&published).into_bytes();
    published.push(Published { name: SUMS.to_owned(), what: "for `sha256sum --check SHA256SUMS`", bytes: sums });
    Ok(published)
}

fn json(document: &Value) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(document).context("cannot write JSON")?;
    text.push(b'\n');
    Ok(text)
}

/// As `sha256sum` writes and checks it.
fn sums(published: &[Published]) -> String {
    published.iter().map(|file| format!("{}  {}\n", digest::sha256(&file.bytes), file.name)).collect()
}

/// Whoever uploads the folder must not find the files of an older version in it.
fn remove_other_files(repo: &Repo, published: &[Published]) -> Result<()> {
    let Ok(entries) = fs::read_dir(repo.dist()) else { return Ok(()) };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_file() && !published.iter().any(|file| entry.file_name() == *file.name) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn table(published: &[Published]) -> String {
    let width = published.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let row = |file: &Published| format!("  {:width$}  {:>9}  {}\n", file.name, file.bytes.len(), file.what);
    published.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_as_sha256sum_writes_them() {
        let file = Published { name: "a".to_owned(), what: "", bytes: Vec::new() };
        assert_eq!(sums(&[file]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n");
    }
}
