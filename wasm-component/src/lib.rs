//! The policy core as a WebAssembly component.
//!
//! The contract is the WIT package in `wit/`; this crate only implements it: every function converts its
//! arguments, calls [`policy_core`] and converts the answer. Nothing here knows what a policy means, and the
//! world has no imports, so an embedder grants the component nothing.
//!
//! One module per WIT interface, of the same name. `cargo xtask build component` makes the component; Rust
//! programs embed it through the crate `policy-host`.

mod bindings;
mod compare;
mod config;
mod diagnostics;
mod explain;
mod host_ipc;
mod hosts;
mod network;
mod supervisor;

pub use network::Policy;
pub use supervisor::{Supervisor, Worker};

/// What the world `policy` exports: implements every interface's functions.
#[derive(Debug)]
pub struct Component;
