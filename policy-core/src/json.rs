//! Strict JSON: RFC 8259 without extensions, lone surrogates refused, at most 127 arrays and objects
//! open at once (spec page `json`).
//!
//! One reader for meaning and for places, so that a diagnostic can never see another document than
//! the check does. The tree adds what JavaScript's `JSON.parse` means by an object: of a repeated
//! key the last value counts, at the place of the first. Tests hold the reader to `serde_json`.
//!
//! SPEC JSON-1, JSON-7, JSON-8, JSON-9: true of the whole module; the last is what the bindings do.

mod fault;
mod number;
#[cfg(test)]
mod oracle;
mod scan;
mod string;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use crate::order::ordered;
use crate::place::Places;

pub(crate) use fault::{Fault, FaultKind};
pub(crate) use scan::{Node, Shape, children, pair_at, scan};
pub(crate) use string::{next_character, unescape};

/// One JSON value; strings borrow from the text where they have no escapes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    /// As spelled; a finite double.
    Number(&'a str),
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
    /// Byte offset in the text of what is wrong.
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
    scan(text).map(|nodes| tree(text, &nodes)).map_err(|fault| JsonError::at(text, fault))
}

/// The tree of a text that was scanned. Nesting is limited (SPEC JSON-3), and so is the recursion.
pub(crate) fn tree<'a>(text: &'a str, nodes: &[Node]) -> Value<'a> {
    value(text, nodes, 0)
}

fn value<'a>(text: &'a str, nodes: &[Node], at: usize) -> Value<'a> {
    let Some(node) = nodes.get(at) else { return Value::Null };
    let mut children = children(nodes, at).map(|child| value(text, nodes, child));
    match node.shape {
        Shape::Object => {
            let mut pairs = Vec::new();
            while let (Some(Value::String(key)), Some(value)) = (children.next(), children.next()) {
                pairs.push((key, value));
            }
            Value::Object(Object::from_pairs(pairs))
        }
        Shape::Array => Value::Array(children.collect()),
        Shape::Text => Value::String(unescape(node.inner(text))),
        Shape::Number => Value::Number(node.spelling(text)),
        Shape::Word => match node.spelling(text) {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::Null,
        },
    }
}

impl JsonError {
    pub(crate) fn at(text: &str, fault: Fault) -> Self {
        let place = Places::new(text).place(fault.start, fault.end);
        Self { offset: fault.start, line: place.line, column: place.column }
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

    /// The integer from 1 to 65535 that a number is, however it is spelled (SPEC TEXT-6).
    pub(crate) fn as_small_integer(&self) -> Option<u16> {
        if let Self::Number(spelling) = self { number::small_integer(spelling) } else { None }
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

#[cfg(test)]
mod tests {
    use super::oracle::agrees;
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use proptest::prelude::*;

    fn keys(text: &str) -> Vec<String> {
        parse(text).unwrap().as_object().unwrap().keys().into_iter().map(String::from).collect()
    }

    #[test]
    fn a_repeated_key_keeps_its_first_place_and_its_last_value() {
        let value = parse(r#"{"b":1,"a":2,"b":3,"c":4,"a":5,"b":6}"#).unwrap();
        let object = value.as_object().unwrap();
        assert_eq!(object.keys(), ["b", "a", "c"]);
        assert_eq!(object.get("b"), Some(&Value::Number("6")));
        assert_eq!(object.get("a"), Some(&Value::Number("5")));
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
            [("", 0, 1, 1), ("{\n  \"é\": 1,\n}", 11, 2, 9), ("[\"é\", x]", 7, 1, 7), ("\u{FEFF}{}", 0, 1, 1)]
        {
            assert_eq!(parse(text), Err(JsonError { offset, line, column }), "{text:?}");
        }
    }

    /// What fuzzing found and kept.
    #[test]
    fn every_kept_text_is_read_as_serde_json_reads_it() {
        for line in include_str!("../../proof/fuzz/kept/json.hex").lines() {
            let byte = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).unwrap(), 16).unwrap();
            agrees(&String::from_utf8(line.as_bytes().chunks(2).map(byte).collect()).unwrap());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

        #[test]
        fn tokens_in_any_order_are_read_as_serde_json_reads_them(
            text in "([\\[\\]{},: \n\"]|\"a\"|1|-|\\.|e|0|true|null|nul|\\\\|\\\\u|d83d|\\\\ude00|\\\\n|'|/|\t|é|\u{FEFF}|\u{A0}){0,14}"
        ) {
            agrees(&text);
        }

        #[test]
        fn documents_are_read_as_serde_json_reads_them(
            text in r#"\{("(a|b|\\[bfnrt"/\\]|\\u(00[0-9a-fA-F]{2}|d83d\\ude00|DBFF\\uDFFF|20ac)|[ -!#-\[\]-~é€😀]){0,5}":[ \t\r\n]?(null|true|false|-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?|"\\u00e9x"|\[\[\],\{"a":\[\]\}\]),){0,4}"z":1\}"#
        ) {
            agrees(&text);
        }
    }
}
