//! A configuration as a JavaScript object.

use policy_core::{Config, ConfigError};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// `{ ok: … }` or `{ error: … }`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Parsed<'c> {
    Ok(&'c Config),
    Error(Failure),
}

/// Why a text is no configuration; the place when it is not even JSON.
#[derive(Serialize)]
struct Failure {
    message: String,
    place: Option<Place>,
}

/// Line and column from 1, the column in characters, the offset in bytes.
#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
    offset: usize,
}

#[wasm_bindgen(typescript_custom_section)]
const TYPESCRIPT: &str = r#"
export type ParsedConfig =
  | { ok: unknown; error?: undefined }
  | { ok?: undefined; error: { message: string; place?: { line: number; column: number; offset: number } } }
"#;

/// Reads the text of a configuration.
///
/// # Errors
/// When the result cannot be made into an object, which counts as a trap.
#[wasm_bindgen(js_name = parseConfig, unchecked_return_type = "ParsedConfig")]
pub fn parse_config(text: &str) -> Result<JsValue, JsValue> {
    let parsed = match &Config::parse(text) {
        Ok(config) => serde_wasm_bindgen::to_value(&Parsed::Ok(config)),
        Err(error) => serde_wasm_bindgen::to_value(&Parsed::Error(failure(error))),
    };
    Ok(parsed?)
}

fn failure(error: &ConfigError) -> Failure {
    let place = match error {
        ConfigError::Json(json) => Some(Place { line: json.line, column: json.column, offset: json.offset }),
        _ => None,
    };
    Failure { message: error.to_string(), place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_json_has_a_place() {
        let failure = |text| failure(&Config::parse(text).unwrap_err());
        let json = failure("{\n]");
        assert_eq!(json.message, "invalid JSON");
        assert_eq!(json.place.map(|place| (place.line, place.column, place.offset)), Some((2, 1, 2)));
        let config = failure("[]");
        assert_eq!(config.message, "invalid pi-sandbox configuration: root must be an object");
        assert!(config.place.is_none());
    }
}
