//! Helpers for the host's IPC gate.

use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

/// The first of the prefixes that the command starts with.
#[wasm_bindgen(js_name = matchingPreflightPrefix)]
pub fn matching_preflight_prefix(command: &str, prefixes: &Array<JsString>) -> Option<String> {
    let prefixes: Vec<String> = prefixes.iter().map(String::from).collect();
    policy_core::matching_preflight_prefix(command, prefixes.iter().map(String::as_str)).map(str::to_owned)
}

/// Whether the text speaks of a Unix socket that the sandbox refused.
#[wasm_bindgen(js_name = isUnixSocketPermissionError)]
pub fn is_unix_socket_permission_error(stderr: &str) -> bool {
    policy_core::is_unix_socket_permission_error(stderr)
}
