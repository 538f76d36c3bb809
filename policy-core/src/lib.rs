//! The policy core of pi-sandbox: which hosts a sandboxed command may reach.
//!
//! A policy is two lists of domain patterns, `allowedDomains` and `deniedDomains`. For each
//! destination the core answers *allow*, *deny* or *review* (ask somebody about this one
//! connection), and names the entry that decided. Every host of the project runs this crate:
//! natively, as a wasm-bindgen module, as a WebAssembly component.
//!
//! ```
//! use policy_core::{Action, NetworkPolicy};
//!
//! let policy = NetworkPolicy::from_config(
//!     r#"{ "network": { "allowedDomains": ["*.github.com:443"], "deniedDomains": ["gist.github.com"] } }"#,
//! )?;
//! assert_eq!(policy.check("API.GitHub.com.", 443), Action::Allow);
//! assert_eq!(policy.check("gist.github.com", 443), Action::Deny);
//! assert_eq!(policy.check("example.org", 443), Action::Review);
//! assert_eq!(policy.check("0x7f.1", 443), Action::Deny); // 127.0.0.1
//! # Ok::<(), policy_core::ConfigError>(())
//! ```
//!
//! Whatever is not understood is denied: a malformed host, a policy that does not decode. The
//! crate does no I/O, reads no clock, holds no `unsafe` and does not panic on any input. The rules
//! are written down in `spec/`, one page per module, and cited as `HOST-2`, `MATCH-7`.
//!
//! A list of allowed domains is not a data-loss boundary: whoever may talk to a host where anyone
//! can upload can carry data out through it.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

/// The examples of the repository's front page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

mod compare;
mod compat;
mod config;
mod decision;
mod diagnostic;
mod explain;
mod fingerprint;
mod host;
mod host_ipc;
mod index;
mod ip;
mod json;
mod lint;
mod order;
mod pattern;
mod place;
mod policy;
mod public;
mod region;
mod schema;
mod supervisor;
mod text;
mod transport;

pub use compare::{Comparison, Relation, Witness, compare};
pub use compat::{pattern_matches_destination, pattern_matches_host, split_pattern_port};
pub use config::{
    Config, ConfigError, ExternalWorkerIsolation, Filesystem, HostIpc, HostIpcMode, SubagentProvider, Subagents,
};
pub use decision::{Action, Decision, DecisionRecord, Denial, HostRoom, Rule, Verdict};
pub use diagnostic::{Code, Diagnostic, Fix, MAX_DIAGNOSTICS, Severity, Validation, locate_entry, validate_config};
pub use explain::{Explanation, Match, Miss, Step};
pub use fingerprint::Fingerprint;
pub use host::{CanonicalHost, MalformedHost};
pub use host_ipc::{is_unix_socket_permission_error, matching_preflight_prefix};
pub use json::JsonError;
pub use pattern::{DomainPattern, InvalidPattern, List, Profile};
pub use place::Place;
pub use policy::{InvalidLists, NetworkPolicy};
pub use public::{check_addresses, is_public_address, normalize_public_hostname};
pub use schema::config_schema;
pub use supervisor::{
    Answer, Ask, AskId, Capability, ConnectionId, ExchangeId, InvalidCapability, InvalidWorker, MAX_FRAME_BYTES,
    MAX_POLICY_BYTES, Outcome, OutgoingRequest, Output, PolicyTooLarge, REPLY_TIMEOUT_MS, RequestRefused, Supervisor,
    SupervisorLimits, SupervisorOptions, Worker, WorkerRecord, WorkerStage, WorkerState,
};
