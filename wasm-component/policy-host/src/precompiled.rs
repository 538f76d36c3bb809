//! Compiling a component, and loading what was compiled before.
//!
//! What is compiled ahead of time is machine code. Wasmtime cannot check it, so this module does what is left:
//! it loads only bytes whose SHA-256 its caller already knows.

use wasmtime::component::Component;
use wasmtime::{Config, Engine};

use crate::artifact::Digest;
#[cfg(feature = "compile")]
use crate::artifact::Precompiled;
use crate::error::BuildError;

/// In front of wasmtime's own format, which names the release of wasmtime, the machine and the settings.
const HEADER: &[u8] = concat!("policy-host ", env!("CARGO_PKG_VERSION"), " precompiled component\n").as_bytes();

/// The settings of every engine: code compiled under others does not load.
pub(crate) fn settings() -> Config {
    let mut config = Config::new();
    // Deadlines: compiled code looks at the epoch in every loop and function.
    config.epoch_interruption(true);
    // The component has no async functions. Without the bookkeeping for them a call costs half.
    config.concurrency_support(false);
    // A trap is reported by its kind; nobody reads places in the code.
    config.generate_address_map(false);
    config.wasm_backtrace_max_frames(None);
    config
}

#[cfg(feature = "compile")]
pub(crate) fn compile(engine: &Engine, component: &[u8]) -> Result<Component, BuildError> {
    // Wasmtime would take a text for WAT, or precompiled bytes, if its features allowed.
    Component::from_binary(engine, component).map_err(cannot_compile)
}

#[cfg(feature = "compile")]
pub(crate) fn make(component: &[u8]) -> Result<Precompiled, BuildError> {
    let engine = Engine::new(&settings()).map_err(cannot_compile)?;
    let code = engine.precompile_component(component).map_err(cannot_compile)?;
    let bytes = [HEADER, &code].concat();
    Ok(Precompiled { digest: Digest::of(&bytes), bytes })
}

#[cfg(feature = "compile")]
fn cannot_compile(error: wasmtime::Error) -> BuildError {
    BuildError::Compile { detail: format!("{error:#}") }
}

pub(crate) fn load(engine: &Engine, bytes: &[u8], expected: Digest) -> Result<Component, BuildError> {
    let found = Digest::of(bytes);
    if found != expected {
        return Err(BuildError::Digest { expected, found });
    }
    let code = bytes.strip_prefix(HEADER).ok_or(BuildError::NotPrecompiled)?;
    deserialize(engine, code).map_err(|error| BuildError::Incompatible { detail: format!("{error:#}") })
}

#[expect(
    unsafe_code,
    reason = "wasmtime trusts these bytes. The caller does too: it named their SHA-256, which was just checked, and \
              they start with the header that only `make` writes"
)]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes are what `make` got from `Engine::precompile_component`; see the reason above.
    unsafe { Component::deserialize(engine, code) }
}
