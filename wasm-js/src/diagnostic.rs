//! What is wrong with a configuration, and where its entries stand.

use policy_core::{Diagnostic, List};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::plain;

#[derive(Serialize)]
struct Validation<'v> {
    valid: bool,
    diagnostics: &'v [Diagnostic],
    omitted: usize,
}

/// A range of bytes; line and columns of its start, from 1.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    column_utf16: usize,
}

/// Finds every problem of a configuration text.
///
/// # Errors
/// When the result cannot be made into an object, which counts as a trap.
#[wasm_bindgen(js_name = validateConfig)]
pub fn validate_config(text: &str) -> Result<JsValue, JsValue> {
    let validation = policy_core::validate_config(text);
    plain::object(&Validation {
        valid: validation.is_valid(),
        diagnostics: &validation.diagnostics,
        omitted: validation.omitted,
    })
}

/// Where an entry of the policy stands in the text; null when there is no such entry.
///
/// # Errors
/// When the result cannot be made into an object, which counts as a trap.
#[wasm_bindgen(js_name = locateEntry)]
pub fn locate_entry(text: &str, denied: bool, index: usize) -> Result<JsValue, JsValue> {
    let list = if denied { List::Denied } else { List::Allowed };
    let place = policy_core::locate_entry(text, list, index);
    plain::object(&place.map(|place| Range {
        start: place.start,
        end: place.end,
        line: place.line,
        column: place.column,
        column_utf16: place.column_utf16,
    }))
}

/// The JSON Schema of the configuration, as text.
#[wasm_bindgen(js_name = configSchema)]
pub fn config_schema() -> String {
    policy_core::config_schema()
}
