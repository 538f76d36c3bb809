//! Runs wasm-bindgen: a core module in, a slimmer module and its JavaScript out.

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::files;
use crate::repo::Repo;
use crate::report::Step;
use crate::sections::{self, Import};
use crate::sizes::{self, Size};
use crate::stamp::Stamp;

/// wasm-bindgen names its files after this.
const NAME: &str = "policy";
const MODULE: &str = "policy_bg.wasm";
/// What the module imports its helpers from: wasm-bindgen's own JavaScript.
const OWN_JAVASCRIPT: &str = "./policy_bg.js";
/// Everyone who loads the package pays for this file: it may not grow. The aim is 60 KiB.
const GZIP_LIMIT: u64 = 104 * 1024;

/// Writes the glue folder.
///
/// Only the `web` target is made: the facade gives it the bytes in the way that each host needs.
pub(crate) fn build(repo: &Repo, module: &[u8]) -> Result<()> {
    let step = Step::start("build", "wasm-bindgen glue");
    let folder = repo.npm_glue();
    let stamp = Stamp::new(repo.artifacts().join("npm/glue.stamp")).input("wasm-js", module);
    if stamp.is_current(&[folder.join(MODULE), folder.join("policy.js")]) {
        step.done("unchanged");
        return Ok(());
    }
    stamp.clear()?;
    files::fresh_folder(&folder)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_bytes(NAME, module.to_vec());
    bindgen.web(true)?.reset_state_function(true).typescript(true);
    // Function names are for debuggers, and an eighth of what would be downloaded.
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(&folder).context("wasm-bindgen failed")?;

    let bound = files::read(&folder.join(MODULE))?;
    let imports = sections::imports(&bound)?;
    refuse_strangers(&imports)?;
    let size = Size::of(&bound)?;
    sizes::record(repo, MODULE, size)?;
    stamp.record()?;
    step.done(&format!("imports only from its own JavaScript ({}), {}", imports.len(), size.note()));
    Ok(())
}

/// Fails when the module has grown over the limit. A question of its own, so that an overgrown package can be
/// built and looked at.
pub(crate) fn check_size(repo: &Repo) -> Result<()> {
    let size = match sizes::recorded(repo, MODULE) {
        Some(size) => size,
        None => Size::of(&files::read(&repo.npm_glue().join(MODULE))?)?,
    };
    size.within(GZIP_LIMIT, MODULE)
}

/// The module may reach the outside only through the glue that wasm-bindgen wrote for it.
fn refuse_strangers(imports: &[Import]) -> Result<()> {
    let strangers: Vec<String> = imports
        .iter()
        .filter(|import| import.module != OWN_JAVASCRIPT)
        .map(|import| format!("{} from {}", import.name, import.module))
        .collect();
    if !strangers.is_empty() {
        bail!("{MODULE} may import only from {OWN_JAVASCRIPT}, but imports {}", strangers.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_from_anywhere_else_are_refused() {
        let import = |module: &str, name: &str| Import { module: module.to_owned(), name: name.to_owned() };
        assert!(refuse_strangers(&[]).is_ok());
        assert!(refuse_strangers(&[import(OWN_JAVASCRIPT, "__wbindgen_throw")]).is_ok());
        let error = refuse_strangers(&[import(OWN_JAVASCRIPT, "a"), import("env", "now")]).unwrap_err();
        assert!(error.to_string().ends_with("but imports now from env"), "{error}");
    }
}
