//! The JSON Schema: as committed, and against everything that the core says of a configuration.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests stop at the first surprise"
)]

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use policy_core::{Config, config_schema};
use proptest::prelude::*;
use serde_json::{Value, json};

fn validator() -> Validator {
    let schema: Value = serde_json::from_str(&config_schema()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

// SPEC SCHEMA-1
#[test]
fn the_committed_schema_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/config.schema.json");
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, config_schema()).unwrap();
    }
    assert!(fs::read_to_string(file).unwrap() == config_schema(), "run this test with BLESS=1 and commit the file");
}

/// Every text that a vector gives to the configuration, from this crate and from the recorded ones.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["vectors", "../host-tests/vectors/recorded"] {
        let Ok(files) = fs::read_dir(root.join(folder)) else { continue };
        for file in files {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            for line in fs::read_to_string(path).unwrap().lines() {
                let vector: Value = serde_json::from_str(line).unwrap();
                let request = &vector["request"];
                if matches!(request["op"].as_str(), Some("parse-config" | "validate-config")) {
                    texts.push(request["text"].as_str().unwrap().to_owned());
                }
            }
        }
    }
    texts
}

// SPEC SCHEMA-2, SCHEMA-3
#[test]
fn the_schema_agrees_with_the_core_on_every_vector() {
    let validator = validator();
    let (mut accepted, mut refused, mut too_wide) = (0, 0, Vec::new());
    for text in texts() {
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let by_schema = validator.is_valid(&value);
        match Config::parse(&text) {
            Ok(_) => {
                assert!(by_schema, "the core accepts what the schema refuses: {text}");
                accepted += 1;
            }
            Err(_) if by_schema => too_wide.push(text),
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 20 && refused > 100, "{accepted} {refused}");
    // What a schema cannot say: a name of more than 253 characters.
    let tolerated = |text: &String| text.len() > 253;
    assert!(too_wide.iter().all(tolerated), "{too_wide:#?}");
}

fn entry() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ \u{FEFF}\u{85}]?(\\*\\.)?[aZ0-]{1,3}(\\.[bé_-]{1,2}){0,2}(:[0-9]{1,5})?\u{3000}?",
        "(\\*|\\*\\.)(:6553[4-6])?",
        "[a-z]{62,64}\\.b",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2048) })]

    // SPEC SCHEMA-2, SCHEMA-3
    #[test]
    fn the_schema_agrees_with_the_core_on_entries(entry in entry(), list in prop::sample::select(vec!["allowedDomains", "deniedDomains"])) {
        let value = json!({ "network": { list: [entry] } });
        prop_assert_eq!(validator().is_valid(&value), Config::parse(&value.to_string()).is_ok(), "{}", value);
    }
}

// SPEC SCHEMA-4
#[test]
fn every_key_and_word_has_something_to_show() {
    let schema: Value = serde_json::from_str(&config_schema()).unwrap();
    let mut undescribed = Vec::new();
    for (name, section) in schema["properties"].as_object().unwrap() {
        let fields = section["properties"].as_object().unwrap();
        for (name, value) in [(name, section)].into_iter().chain(fields) {
            if !value["description"].is_string() {
                undescribed.push(name.clone());
            }
        }
        for (name, field) in fields {
            assert!(field.get("default").is_some(), "{name}");
        }
    }
    assert_eq!(undescribed, Vec::<String>::new());
}
