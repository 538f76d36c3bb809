//! The embedding, tested with the real component and with one that misbehaves. One program, because each would link
//! wasmtime again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests stop at the first surprise")]

#[cfg(feature = "bundled")]
mod answers;
#[cfg(feature = "bundled")]
mod component;
#[cfg(feature = "bundled")]
mod limits;
#[cfg(feature = "bundled")]
mod pool;
#[cfg(feature = "bundled")]
mod precompiled;
#[cfg(feature = "bundled")]
mod protocol;
#[cfg(all(unix, feature = "bundled"))]
mod unix;
#[cfg(feature = "compile")]
mod unruly;

/// The bundled component, compiled once for all tests.
#[cfg(feature = "bundled")]
static READY: std::sync::LazyLock<policy_host::Precompiled> =
    std::sync::LazyLock::new(|| policy_host::Artifact::bundled().precompile().unwrap());

#[cfg(feature = "bundled")]
fn bundled() -> policy_host::Artifact {
    policy_host::Artifact::precompiled(READY.bytes.as_slice(), READY.digest)
}

/// An engine with the default settings.
#[cfg(feature = "bundled")]
fn engine() -> policy_host::PolicyEngine {
    policy_host::PolicyEngine::builder(bundled()).build().unwrap()
}

/// No entries.
#[cfg(feature = "bundled")]
const NONE: [&str; 0] = [];
