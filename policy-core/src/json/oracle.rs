//! What `serde_json` reads in a text, and we must read too. `proof/fuzz/fuzz_targets/json.rs` asks it of every text.

use alloc::string::ToString;

use serde_json::Value as Theirs;

use crate::json::{Value, parse};

/// Panics when one of the two takes the text and the other does not, or reads another value.
pub(crate) fn agrees(text: &str) {
    let ours = parse(text);
    let theirs = serde_json::from_str::<Theirs>(text);
    assert_eq!(ours.as_ref().ok().map(converted), theirs.ok(), "{text:?} {ours:?}");
    if let Err(error) = ours {
        let before = text.get(..error.offset).unwrap();
        let (line, column) = before.chars().fold((1, 1), |(line, column), c| match c {
            '\n' => (line + 1, 1),
            _ => (line, column + 1),
        });
        assert_eq!((error.line, error.column), (line, column), "{text:?}");
    }
}

/// The same value in the words of `serde_json`.
fn converted(value: &Value<'_>) -> Theirs {
    match value {
        Value::Null => Theirs::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Number(spelling) => {
            let number = serde_json::from_str::<serde_json::Number>(spelling).unwrap();
            // A port is the double that the number is.
            let port = number.as_f64().filter(|port| port.fract() == 0.0 && (1.0..=65535.0).contains(port));
            assert_eq!(value.as_small_integer().map(f64::from), port, "{spelling}");
            number.into()
        }
        Value::String(text) => text.as_ref().into(),
        Value::Array(items) => items.iter().map(converted).collect(),
        Value::Object(object) => {
            let keys = object.keys();
            assert_eq!(keys.len(), object.len());
            keys.into_iter().map(|key| (key.to_string(), converted(object.get(key).unwrap()))).collect()
        }
    }
}
