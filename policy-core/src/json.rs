//! Strict JSON into a small tree (spec page `json`).
//!
//! `serde_json` does the reading: RFC 8259 without extensions, lone surrogates refused, at most
//! 127 arrays and objects open at once. The tree adds what JavaScript's `JSON.parse` means by an
//! object: of a repeated key the last value counts, at the place of the first.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use crate::order::ordered;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// One JSON value; strings borrow from the text where they have no escapes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    /// Always finite.
    Number(f64),
    String(Cow<'a, str>),
    Array(Vec<Value<'a>>),
    Object(Object<'a>),
}

/// The members of a JSON object, each key once, in order of first appearance.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object<'a> {
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// The text is not JSON in the strict sense of the spec page `json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset in the text at which reading stopped.
    pub offset: usize,
    /// Line of the offset, from 1.
    pub line: usize,
    /// Column of the offset in characters, from 1.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid JSON")
    }
}

impl core::error::Error for JsonError {}

/// Reads one JSON text.
pub(crate) fn parse(text: &str) -> Result<Value<'_>, JsonError> {
    serde_json::from_str(text).map_err(|error| JsonError::at(text, error.line(), error.column()))
}

impl JsonError {
    /// From serde_json's place: line from 1, and the column in bytes of the last byte read.
    fn at(text: &str, line: usize, byte_column: usize) -> Self {
        let start = match line {
            0 | 1 => 0,
            _ => {
                text.match_indices('\n').nth(line.saturating_sub(2)).map_or(text.len(), |(at, _)| at.saturating_add(1))
            }
        };
        let mut offset = start.saturating_add(byte_column.saturating_sub(1)).min(text.len());
        while !text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        let column = text.get(start..offset).map_or(0, |before| before.chars().count());
        Self { offset, line: line.max(1), column: column.saturating_add(1) }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn as_object(&self) -> Option<&Object<'a>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    pub(crate) fn as_array(&self) -> Option<&[Value<'a>]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }
}

impl<'a> Object<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The keys in the order of JavaScript's `Object.keys`: array indices ascending, then the rest
    /// in order of appearance (SPEC JSON-6).
    pub(crate) fn keys(&self) -> Vec<&str> {
        let keys: Vec<&str> = self.members.iter().map(|(name, _)| name.as_ref()).collect();
        let index = |at: usize| keys.get(at).map(|key| array_index(key).map_or(u64::MAX, u64::from));
        let order = ordered(keys.len(), &|a, b| index(a).cmp(&index(b)));
        order.into_iter().filter_map(|at| keys.get(at).copied()).collect()
    }

    /// SPEC JSON-5: keeps the last value of every repeated key, at the place of its first appearance.
    fn from_pairs(pairs: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        let key = |&at: &usize| pairs.get(at).map(|(name, _)| name.as_ref());
        let order = ordered(pairs.len(), &|a, b| key(&a).cmp(&key(&b)));
        // `replaced_by[i]`: the pair whose value the i-th takes over; `None`: dropped.
        let mut replaced_by: Vec<Option<usize>> = (0..pairs.len()).map(Some).collect();
        for run in order.chunk_by(|a, b| key(a) == key(b)) {
            if let ([first, .., last], true) = (run, run.len() > 1) {
                for &at in run {
                    if let Some(slot) = replaced_by.get_mut(at) {
                        *slot = (at == *first).then_some(*last);
                    }
                }
            }
        }
        let (names, mut values): (Vec<_>, Vec<_>) = pairs.into_iter().map(|(name, value)| (name, Some(value))).unzip();
        let members = names
            .into_iter()
            .zip(replaced_by)
            .filter_map(|(name, source)| Some((name, values.get_mut(source?)?.take()?)))
            .collect();
        Self { members }
    }
}

/// The canonical decimal of 0 to 4294967294, as JavaScript orders object keys.
fn array_index(key: &str) -> Option<u32> {
    let index: u32 = key.parse().ok()?;
    let canonical = key.len() == 1 || key.starts_with(|c: char| matches!(c, '1'..='9'));
    (canonical && index != u32::MAX).then_some(index)
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    #[expect(
        clippy::as_conversions,
        clippy::cast_precision_loss,
        reason = "numbers are doubles (SPEC TEXT-6): rounding is the meaning"
    )]
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Value::Number(value as f64))
    }

    #[expect(
        clippy::as_conversions,
        clippy::cast_precision_loss,
        reason = "numbers are doubles (SPEC TEXT-6): rounding is the meaning"
    )]
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(value as f64))
    }

    /// SPEC JSON-4
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Self::Value, E> {
        if value.is_finite() { Ok(Value::Number(value)) } else { Err(E::custom("number out of range")) }
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Value::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Value::String(Cow::Owned(value.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(key) = map.next_key()? {
            let Value::String(key) = key else { return Err(A::Error::custom("a key must be a string")) };
            pairs.push((key, map.next_value()?));
        }
        Ok(Value::Object(Object::from_pairs(pairs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn keys(text: &str) -> Vec<String> {
        parse(text).unwrap().as_object().unwrap().keys().into_iter().map(String::from).collect()
    }

    #[test]
    fn a_repeated_key_keeps_its_first_place_and_its_last_value() {
        let value = parse(r#"{"b":1,"a":2,"b":3,"c":4,"a":5,"b":6}"#).unwrap();
        let object = value.as_object().unwrap();
        assert_eq!(object.keys(), ["b", "a", "c"]);
        assert_eq!(object.get("b"), Some(&Value::Number(6.0)));
        assert_eq!(object.get("a"), Some(&Value::Number(5.0)));
    }

    #[test]
    fn keys_come_in_javascript_order() {
        assert_eq!(
            keys(r#"{"b":1,"2":1,"a":1,"10":1,"01":1,"-1":1,"+3":1,"4294967294":1,"4294967295":1,"1.0":1,"0":1,"":1}"#),
            ["0", "2", "10", "4294967294", "b", "a", "01", "-1", "+3", "4294967295", "1.0", ""]
        );
    }

    #[test]
    fn numbers_that_round_to_infinity_are_refused_exactly() {
        assert!(parse("1.7976931348623158e308").is_ok());
        assert!(parse("1.7976931348623159e308").is_err());
        assert!(parse(&format!("1{}", "0".repeat(308))).is_ok());
        assert!(parse(&format!("[-1{}]", "0".repeat(309))).is_err());
        assert!(parse("1e-400").is_ok());
    }

    #[test]
    fn an_error_names_its_place() {
        for (text, offset, line, column) in
            [("", 0, 1, 1), ("{\n  \"é\": 1,\n}", 13, 3, 1), ("[\"é\", x]", 7, 1, 7), ("\u{FEFF}{}", 0, 1, 1)]
        {
            assert_eq!(parse(text), Err(JsonError { offset, line, column }), "{text:?}");
        }
    }
}
