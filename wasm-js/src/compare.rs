//! Two policies side by side.

use wasm_bindgen::prelude::*;

use crate::plain;
use crate::policy::Policy;

/// How much access the newer policy gives, seen from the older one, with witnesses.
///
/// # Errors
/// When the result cannot be made into an object, which counts as a trap.
#[wasm_bindgen]
pub fn compare(older: &Policy, newer: &Policy) -> Result<JsValue, JsValue> {
    plain::object(&policy_core::compare(&older.0, &newer.0))
}
