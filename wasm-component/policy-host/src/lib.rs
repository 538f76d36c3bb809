//! pi-sandbox network policies for Rust programs, inside a sandbox of their own.
//!
//! A policy is two lists of domain patterns. For each destination it answers *allow*, *deny* or *review* (ask
//! somebody about this one connection) and names the entry that decided. This crate runs the project's WebAssembly
//! component, the same code that every other host runs, in [wasmtime](https://wasmtime.dev): without access to
//! anything, with a deadline and a memory limit.
//!
//! ```
//! # #[cfg(feature = "bundled")] {
//! use policy_host::{Action, Policy, PolicyEngine};
//!
//! let engine = PolicyEngine::new()?; // once per process
//! let policy = Policy::from_config(&engine, r#"{ "network": { "allowedDomains": ["*.github.com:443"] } }"#)?;
//!
//! assert_eq!(policy.check("API.GitHub.com.", 443), Action::Allow);
//! assert_eq!(policy.check("example.org", 443), Action::Review);
//! assert_eq!(policy.check("[::ffff:10.0.0.1]", 443), Action::Deny);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Failures deny
//!
//! A call that traps, takes too long or needs too much memory is [`Action::Deny`], as
//! [`Denial::Unavailable`], where the answer is a decision, `false` where it is "is this public", and an error
//! elsewhere. Its instance is discarded; the policy is loaded into another one, checked by its fingerprint, and the
//! next call works. [`Builder::on_failure`] tells a log or a monitor, [`PolicyEngine::stats`] counts.
//!
//! A [`Supervisor`] or [`Worker`] is different: what it knows is in its instance, so that a failure is its end. Every
//! later call fails, and every decision is deny.
//!
//! # Threads and async
//!
//! [`PolicyEngine`] and [`Policy`] are cheap to clone, `Send` and `Sync`. A question takes well under a microsecond
//! and waits for nobody unless more threads ask one policy at once than there are instances for it
//! ([`Builder::instances_per_policy`]), so async code calls it directly. Making an engine compiles the component
//! (tens of milliseconds; see [`Artifact::precompile`]), and making a policy of hundreds of thousands of entries
//! takes long enough for a blocking thread.
//!
//! # Workers
//!
//! An agent shares its policy with the programs that it starts: [`unix::SupervisorServer`] answers them at a Unix
//! socket and asks an approver about what the policy leaves open, [`unix::WorkerClient`] is their side.
//! [`Supervisor`] and [`Worker`] are the same without I/O, for other ways to talk.
//!
//! # Features
//!
//! | feature | |
//! | --- | --- |
//! | `bundled` (default) | the component is inside the crate: [`PolicyEngine::new`]. In the source tree, `cargo xtask build component` makes it first |
//! | `compile` (through `bundled`) | Cranelift: compiles components. Without it only precompiled ones are loaded, and a quarter of the code is compiled |
//! | `tokio` | [`unix`] for async programs: `unix::tokio` |
//! | `wasmtime` | gives access to the `wasmtime::Engine` below and re-exports `wasmtime`; no promise of stability there |
//!
//! The native crate `policy-core` gives the same answers without a sandbox around them, faster.

#[cfg(all(feature = "bundled", not(bundled_component)))]
compile_error!(
    "component/policy.component.wasm is not there: run `cargo xtask build component` first, or build policy-host \
     without the feature `bundled`"
);

mod artifact;
mod bindings;
mod builder;
mod compare;
mod config;
mod decision;
mod diagnostics;
mod engine;
mod error;
mod explain;
mod instance;
mod limits;
mod lists;
mod policy;
mod precompiled;
mod protocol;
mod slots;
mod text;
mod ticker;
#[cfg(unix)]
pub mod unix;

pub use artifact::{Artifact, Digest, InvalidDigest, Precompiled};
pub use builder::Builder;
pub use compare::{Comparison, Relation, Witness};
pub use config::{
    Config, ExternalWorkerIsolation, Filesystem, HostIpc, HostIpcMode, NetworkLists, SubagentProvider, Subagents,
};
pub use decision::{Action, Decision, Denial, List, Rule};
pub use diagnostics::{Diagnostic, Fix, Place, Severity, Validation};
pub use engine::{PolicyEngine, Stats};
pub use error::{BuildError, ConfigError, Error, Failure, FailureKind, ListsError, Position};
pub use explain::{Explanation, Match, Miss, Step};
pub use policy::Policy;
pub use protocol::{
    Answer, Ask, AskId, Capability, ConnectionId, ExchangeId, Outcome, OutgoingRequest, Output, Supervisor,
    SupervisorLimits, SupervisorOptions, Worker, WorkerRecord, WorkerStage, WorkerState,
};
#[cfg(feature = "wasmtime")]
pub use wasmtime;
