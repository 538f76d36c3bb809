//! Makes the WIT component from the guest `wasm-component`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use wasmparser::Parser;
use wit_component::{ComponentEncoder, DecodedWasm};

use crate::files;
use crate::guest;
use crate::repo::Repo;
use crate::report::Step;
use crate::sections;
use crate::sizes::{self, Size};
use crate::stamp::Stamp;
use crate::toolchain::Toolchain;

/// What is shipped.
const COMPONENT: &str = "pi-sandbox-policy.component.wasm";
/// The same with function names, to debug with.
const WITH_NAMES: &str = "pi-sandbox-policy.debug.component.wasm";

/// Builds the component, and puts a copy where `policy-host` includes it from.
pub(crate) fn build(repo: &Repo, toolchain: &Toolchain) -> Result<()> {
    let module = guest::build(repo, toolchain, "wasm-component")?;
    let step = Step::start("build", "component");
    let outputs = [shipped(repo), repo.component().join(WITH_NAMES)];
    let [shipped, with_names] = &outputs;
    let stamp = Stamp::new(repo.component().join("stamp")).input("wasm-component", &module);
    if stamp.is_current(&outputs) {
        files::write_if_changed(&repo.bundled_component(), &files::read(shipped)?)?;
        step.done("unchanged");
        return Ok(());
    }
    stamp.clear()?;
    let component = encode(&sections::without_custom(&module, |name| name.starts_with("component-type"))?)?;
    refuse_imports(&component)?;
    files::write_if_changed(shipped, &component)?;
    files::write_if_changed(with_names, &encode(&module)?)?;
    files::write_if_changed(&repo.bundled_component(), &component)?;
    let size = Size::of(&component)?;
    sizes::record(repo, COMPONENT, size)?;
    stamp.record()?;
    step.done(&format!("no imports, {}", size.note()));
    Ok(())
}

/// The finished component.
pub(crate) fn shipped(repo: &Repo) -> PathBuf {
    repo.component().join(COMPONENT)
}

fn encode(module: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ComponentEncoder::default();
    encoder.validate(true).module(module).context("the guest's module is not fit for a component")?;
    encoder.encode().context("cannot make a component")
}

/// An embedder must have nothing to grant: a component with any import is not written at all.
fn refuse_imports(component: &[u8]) -> Result<()> {
    // Decoding takes a core module for a component with an empty world.
    if !Parser::is_component(component) {
        bail!("what was made is not a component");
    }
    let decoded = wit_component::decode(component).context("cannot read the component back")?;
    let DecodedWasm::Component(resolve, world) = &decoded else {
        bail!("what was made is a WIT package, not a component");
    };
    let world = resolve.worlds.get(*world).context("the component has no world")?;
    let imports: Vec<String> = world.imports.keys().map(|key| resolve.name_world_key(key)).collect();
    if !imports.is_empty() {
        bail!("the component must import nothing, but imports {}", imports.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wit_component::StringEncoding;
    use wit_parser::Resolve;

    /// A component of the one world in a WIT package, made from a core module.
    fn component(wit: &str, core: &[u8]) -> Vec<u8> {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("test.wit", wit).unwrap();
        let world = resolve.select_world(&[package], None).unwrap();
        let mut module = core.to_vec();
        wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false).unwrap();
        encode(&module).unwrap()
    }

    #[test]
    fn a_component_without_imports_is_fine() {
        let component = component("package a:b; world w {}", b"\0asm\x01\0\0\0");
        refuse_imports(&component).unwrap();
    }

    #[test]
    fn an_import_is_refused_by_name() {
        // `(type (func))` and `(import "$root" "clock" (func (type 0)))`.
        let core = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x0f\x01\x05$root\x05clock\0\0";
        let component = component("package a:b; world w { import clock: func(); }", core);
        let error = refuse_imports(&component).unwrap_err().to_string();
        assert_eq!(error, "the component must import nothing, but imports clock");
    }

    #[test]
    fn a_core_module_is_no_component() {
        assert!(refuse_imports(b"\0asm\x01\0\0\0").is_err());
    }
}
