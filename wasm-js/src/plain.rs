//! What the core serialises, as a plain JavaScript object.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// The object that the JSON of the value would be read as: absent is null, maps are objects.
///
/// # Errors
/// When the object cannot be made, which counts as a trap.
pub(crate) fn object(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}
