//! One entry by itself, in the shape of the functions that `npm/src/compat` stands in for.

use serde::Serialize;
use wasm_bindgen::prelude::*;

/// An entry without its port, and the port.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Split<'e> {
    host_pattern: &'e str,
    port: Option<u16>,
}

#[wasm_bindgen(typescript_custom_section)]
const TYPESCRIPT: &str = r#"
export type SplitDomainPattern = { hostPattern: string; port: number | undefined }
"#;

/// Takes the port off an entry.
///
/// # Errors
/// When the result cannot be made into an object, which counts as a trap.
#[wasm_bindgen(js_name = splitDomainPatternPort, unchecked_return_type = "SplitDomainPattern")]
pub fn split_domain_pattern_port(pattern: &str) -> Result<JsValue, JsValue> {
    let (host_pattern, port) = policy_core::split_pattern_port(pattern);
    Ok(serde_wasm_bindgen::to_value(&Split { host_pattern: &host_pattern, port })?)
}

/// Whether an entry without port matches a host.
#[wasm_bindgen(js_name = matchesDomainPattern)]
pub fn matches_domain_pattern(host: &str, pattern: &str) -> bool {
    policy_core::pattern_matches_host(pattern, host)
}

/// Whether an entry matches a host at a port.
#[wasm_bindgen(js_name = matchesDomainPatternWithPort)]
pub fn matches_domain_pattern_with_port(host: &str, port: u16, pattern: &str) -> bool {
    policy_core::pattern_matches_destination(pattern, host, port)
}
