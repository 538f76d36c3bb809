//! The policy core as a wasm-bindgen module, which the npm package `pi-sandbox-policy` runs.
//!
//! Each export converts its arguments, calls [`policy_core`] and converts the answer back; no rule
//! of the policy is here. The JavaScript around it, in `npm/`, checks the types of all arguments
//! before it calls and turns the packed answers into objects.
//!
//! What can fail gives a value (an option, an object with `error`), never an exception. So every
//! exception that comes out of the module is a trap, and the JavaScript drops the instance.

mod batch;
mod compare;
mod config;
mod diagnostic;
mod domain_pattern;
mod host;
mod host_buffer;
mod host_ipc;
mod outcome;
mod plain;
mod policy;
mod supervisor;
mod text;
mod worker;

pub use compare::compare;
pub use config::parse_config;
pub use diagnostic::{config_schema, locate_entry, validate_config};
pub use domain_pattern::{matches_domain_pattern, matches_domain_pattern_with_port, split_domain_pattern_port};
pub use host::{canonicalize_host, check_addresses, is_public_address, is_valid_host, normalize_public_hostname};
pub use host_buffer::{canonical_host_address, host_address};
pub use host_ipc::{is_unix_socket_permission_error, matching_preflight_prefix};
pub use policy::Policy;
pub use supervisor::{Supervisor, SupervisorOptions, supervisor_refusal};
pub use text::invalid_utf8_offset;
pub use worker::{Worker, worker_refusal};
