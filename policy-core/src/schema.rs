//! The JSON Schema of the configuration, for editors (spec page `schema`).
//!
//! Made from the same table as the checks. It accepts all that the checks accept. What a schema
//! cannot say it leaves to them: the length of a name, repeated keys.
//!
//! SPEC SCHEMA-1, SCHEMA-2, SCHEMA-3, SCHEMA-4, SCHEMA-5: true of the whole module.

use alloc::format;
use alloc::string::String;

use crate::config::table::{Field, Kind, SECTIONS};
use crate::diagnostic::json_string;
use crate::pattern::List;

/// SPEC TEXT-1 in a regular expression: `\s` means other characters in some engines.
const SPACE: &str = r"[\u0009-\u000D\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]";
const NOT_SPACE: &str = r"[^\u0009-\u000D\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]";
/// SPEC PATTERN-3
const LABEL: &str = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
/// SPEC PATTERN-1
const PORT: &str = "(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?";

/// The JSON Schema (draft 2020-12) of the configuration document, as text with a line end.
pub fn config_schema() -> String {
    let mut schema = Writer { text: String::new(), depth: 0, empty: true };
    schema.open(None, '{');
    schema.string("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.string("title", "pi-sandbox");
    object(&mut schema, "The configuration of pi-sandbox.", |schema| {
        for section in SECTIONS {
            schema.open(Some(section.name), '{');
            object(schema, section.about, |schema| section.fields.iter().for_each(|field| write_field(schema, field)));
            schema.close('}');
        }
    });
    schema.close('}');
    schema.text.push('\n');
    schema.text
}

/// The members of a schema for an object that has these properties and no other (SPEC CONFIG-2).
fn object(schema: &mut Writer, about: &str, properties: impl Fn(&mut Writer)) {
    schema.string("description", about);
    schema.string("type", "object");
    schema.open(Some("properties"), '{');
    properties(schema);
    schema.close('}');
    schema.raw("additionalProperties", "false");
}

/// SPEC CONFIG-23: a field may be null, and then has its default.
fn write_field(schema: &mut Writer, field: &Field) {
    schema.open(Some(field.name), '{');
    schema.string("description", field.about);
    match field.kind {
        Kind::Words(words) => write_words(schema, words),
        Kind::Flag => {
            schema.raw("type", "[\"boolean\", \"null\"]");
            schema.raw("default", "false");
        }
        Kind::Paths => write_list(schema, "^/", "An absolute path.", &["/opt/tools"]),
        Kind::Texts => write_list(schema, NOT_SPACE, "A text that is not blank.", &["docker"]),
        Kind::Domains(list) => {
            let name = format!(r"(\*\.)?({LABEL}\.)+{LABEL}");
            let (host, about) = match list {
                List::Allowed => (name, "A host name, perhaps with `*.` in front or a port behind."),
                List::Denied => (
                    format!(r"(\*|{name})"),
                    "A host name, perhaps with `*.` in front or a port behind; or `*` for every host.",
                ),
            };
            let pattern = format!("^{SPACE}*{host}{PORT}{SPACE}*$");
            write_list(schema, &pattern, about, &["example.com", "*.example.com", "example.com:443"]);
        }
    }
    schema.close('}');
}

fn write_words(schema: &mut Writer, words: &[(&str, &str)]) {
    if let Some((default, _)) = words.first() {
        schema.string("default", default);
    }
    schema.open(Some("anyOf"), '[');
    for (word, about) in words {
        schema.open(None, '{');
        schema.string("const", word);
        schema.string("description", about);
        schema.close('}');
    }
    schema.open(None, '{');
    schema.raw("const", "null");
    schema.string("description", "The default.");
    schema.close('}');
    schema.close(']');
}

fn write_list(schema: &mut Writer, pattern: &str, about: &str, examples: &[&str]) {
    schema.raw("type", "[\"array\", \"null\"]");
    schema.raw("default", "[]");
    schema.open(Some("items"), '{');
    schema.string("description", about);
    schema.string("type", "string");
    schema.string("pattern", pattern);
    schema.open(Some("examples"), '[');
    for example in examples {
        schema.item(&json_string(example));
    }
    schema.close(']');
    schema.close('}');
}

/// Indented JSON. Its order is the order of the calls, whatever `serde_json` was built with.
struct Writer {
    text: String,
    depth: usize,
    /// Nothing stands in the innermost brackets yet.
    empty: bool,
}

impl Writer {
    fn line(&mut self) {
        self.text.push('\n');
        (0..self.depth).for_each(|_| self.text.push_str("  "));
    }

    fn item(&mut self, json: &str) {
        if !self.empty {
            self.text.push(',');
        }
        if self.depth > 0 {
            self.line();
        }
        self.text.push_str(json);
        self.empty = false;
    }

    fn raw(&mut self, key: &str, json: &str) {
        self.item(&format!("{}: {json}", json_string(key)));
    }

    fn string(&mut self, key: &str, text: &str) {
        self.raw(key, &json_string(text));
    }

    fn open(&mut self, key: Option<&str>, bracket: char) {
        let bracket = String::from(bracket);
        match key {
            Some(key) => self.raw(key, &bracket),
            None => self.item(&bracket),
        }
        self.depth = self.depth.saturating_add(1);
        self.empty = true;
    }

    fn close(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        self.line();
        self.text.push(bracket);
        self.empty = false;
    }
}
