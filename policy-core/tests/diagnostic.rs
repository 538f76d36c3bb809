//! Diagnostics: their places, their fixes, their limits.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests stop at the first surprise"
)]

use std::time::Instant;

use policy_core::{
    Code, Config, ConfigError, DomainPattern, List, MAX_DIAGNOSTICS, Profile, Severity, Validation, locate_entry,
    validate_config,
};
use proptest::prelude::*;

/// JSON and what is nearly JSON, with the words of a configuration in it.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\n", " ", "1", "-", "null", "true", "'", "//", "/*", "#", "\\", "\\u00e9",
            "\\ud83d\\ude00", "\\ud800", "\u{FEFF}", "\u{A0}", "é", "😀", "\t", "1e999", "01", "\"\"",
        ]).prop_map(String::from),
        2 => prop::sample::select(vec![
            "\"network\":", "\"allowedDomains\":", "\"deniedDomains\":", "\"filesystem\":", "\"hostIPC\":", "\"mode\":",
            "\"x\":", "\"a.b\"", "\"*\"", "\" a.b.\"", "\"localhost\"", "\"/x\"", "\"off\"", "{\"network\":{\"allowedDomains\":[",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A document of the right shape with wrong things in it.
fn document() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        "(https?://)?(\\*\\*?\\.)?[a-z_é\u{200B}-]{1,4}(\\.[a-z]{0,3}){0,2}\\.?(:[0-9x*]{0,6})?(/[a-z]?)?",
        prop::sample::select(vec![
            "",
            " ",
            "*",
            "*:80",
            "*.com",
            "127.1",
            "::1",
            "[::1]",
            "[1.2.3.4]",
            "10.0.0.0/8",
            "1",
            "a b",
            "u@a.b",
            "bücher.example"
        ])
        .prop_map(String::from),
    ];
    let list = prop_oneof![
        6 => prop::collection::vec(entry.prop_map(|entry| serde_json::json!(entry)), 0..5).prop_map(serde_json::Value::from),
        1 => prop::sample::select(vec![serde_json::json!(null), serde_json::json!("a.b"), serde_json::json!(3), serde_json::json!([1, null, {}])]),
    ];
    let key = prop::sample::select(vec!["allowedDomains", "deniedDomains", "allowDomains", "x y", ""]);
    let section = prop::collection::vec((key, list), 0..3);
    let name = prop::sample::select(vec!["network", "network", "netwrok", "filesystem"]);
    prop::collection::vec((name, section), 0..3).prop_map(|sections| {
        let object = |members: Vec<String>| format!("{{{}}}", members.join(", "));
        let fields = |fields: Vec<(&str, serde_json::Value)>| {
            object(fields.into_iter().map(|(key, value)| format!("{}: {value}", serde_json::json!(key))).collect())
        };
        object(sections.into_iter().map(|(name, list)| format!("\"{name}\":\n{}", fields(list))).collect())
    })
}

fn check(text: &str) -> Validation {
    let validation = validate_config(text);
    let parsed = Config::parse(text);
    // PROPERTY-18
    assert_eq!(validation.compat_error(), parsed.as_ref().err());
    let errors = validation.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    assert_eq!(errors > 0, parsed.is_err(), "{text}");
    // SPEC DIAGNOSTIC-2
    assert!(errors == 0 || errors == validation.diagnostics.len() || validation.omitted > 0);
    if let Err(ConfigError::Json(_)) = parsed {
        assert_eq!(validation.diagnostics.len(), 1);
        assert_eq!(validation.diagnostics[0].code, Code::InvalidJson);
    }
    for (number, diagnostic) in validation.diagnostics.iter().enumerate() {
        // SPEC DIAGNOSTIC-5
        assert!(
            diagnostic.start <= diagnostic.end && text.get(diagnostic.start..diagnostic.end).is_some(),
            "{diagnostic:?}"
        );
        let before = &text[..diagnostic.start];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        assert_eq!(diagnostic.line, before.matches('\n').count() + 1);
        assert_eq!(diagnostic.column, line.chars().count() + 1);
        assert_eq!(diagnostic.column_utf16, line.encode_utf16().count() + 1);
        // SPEC DIAGNOSTIC-3
        assert!(number < 2 || validation.diagnostics[number - 1].start <= diagnostic.start);
        // SPEC DIAGNOSTIC-8
        let words: Vec<&str> = [&diagnostic.message].into_iter().chain(&diagnostic.help).map(String::as_str).collect();
        for words in words {
            assert!(
                !words.is_empty() && !words.ends_with('.') && !words.starts_with(char::is_uppercase)
                    || words.starts_with("U+"),
                "{words}"
            );
            assert!(!words.chars().any(|c| c.is_control() || c == '\u{200B}' || c == '\u{FEFF}'), "{words:?}");
            assert!(words.chars().count() < 400, "{words}");
        }
        assert_eq!(diagnostic.severity, diagnostic.code.severity());
    }
    validation
}

/// Fixes one error after the other.
fn fix_all(text: &str) -> (String, Validation) {
    let mut text = text.to_owned();
    for _ in 0..60 {
        let validation = check(&text);
        let errors = validation.diagnostics.iter().enumerate().filter(|(_, told)| told.severity == Severity::Error);
        let Some((number, fix)) = errors.filter_map(|(number, told)| Some((number, told.fix.clone()?))).next() else {
            return (text, validation);
        };
        let fixed = format!("{}{}{}", &text[..fix.start], fix.text, &text[fix.end..]);
        // SPEC DIAGNOSTIC-10: the same problem is not there any more. What is removed may leave its place to another.
        let told = &validation.diagnostics[number];
        let after = check(&fixed);
        let same = |other: &&policy_core::Diagnostic| {
            (other.code, &other.path, other.start, &other.message) == (told.code, &told.path, told.start, &told.message)
        };
        let removed = fix.text.is_empty() && told.code == Code::BlankItem;
        let count = |validation: &Validation| {
            validation.diagnostics.iter().filter(|other| same(other) || removed && other.code == told.code).count()
        };
        assert!(count(&after) < count(&validation), "{told:?}\n{text}\n{fixed}");
        text = fixed;
    }
    let validation = check(&text);
    (text, validation)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_text_has_its_diagnostics(text in text()) {
        check(&text);
    }

    // SPEC DIAGNOSTIC-7, DIAGNOSTIC-10
    #[test]
    fn fixes_fix(text in document()) {
        fix_all(&text);
    }

    // SPEC DIAGNOSTIC-7
    #[test]
    fn what_help_tells_to_write_is_accepted(text in document()) {
        for diagnostic in check(&text).diagnostics {
            let list = if diagnostic.path.contains("allowed") { List::Allowed } else { List::Denied };
            let written = diagnostic.help.as_deref().and_then(|help| help.strip_prefix("write `")?.strip_suffix('`'));
            if let Some(written) = written.filter(|_| diagnostic.code.name().starts_with("entry-")) {
                prop_assert!(DomainPattern::parse(written, list, Profile::Config).is_ok(), "{}", written);
            }
        }
    }
}

// SPEC DIAGNOSTIC-10
#[test]
fn what_is_nearly_json_is_mended_step_by_step() {
    let text =
        "\u{FEFF}// mine\n{ network: { 'allowedDomains': [\"a.b\", /* x */ ], # y\n \"deniedDomains\": None,\u{A0}}, }";
    let (fixed, validation) = fix_all(text);
    assert!(validation.diagnostics.is_empty(), "{fixed} {:?}", validation.diagnostics);
    assert_eq!(Config::parse(&fixed).unwrap().network.to_json(), r#"{"allowedDomains":["a.b"],"deniedDomains":[]}"#);
}

// SPEC DIAGNOSTIC-9
#[test]
fn a_long_list_is_cut() {
    for (wrong, listed, omitted) in [
        (MAX_DIAGNOSTICS, MAX_DIAGNOSTICS, 0),
        (MAX_DIAGNOSTICS + 1, MAX_DIAGNOSTICS + 1, 1),
        (5000, MAX_DIAGNOSTICS + 1, 4000),
    ] {
        let entries: Vec<String> = (0..wrong).map(|n| format!("x{n}")).collect();
        let text = serde_json::json!({ "network": { "deniedDomains": entries } }).to_string();
        let validation = check(&text);
        assert_eq!((validation.diagnostics.len(), validation.omitted), (listed, omitted));
        if omitted > 0 {
            let last = validation.diagnostics.last().unwrap();
            assert_eq!((last.code, last.severity), (Code::MoreProblems, Severity::Info));
            assert!(text[last.start..].starts_with("\"x1000\""));
            assert!(last.message.starts_with(&format!("{omitted} more problem")), "{}", last.message);
        }
    }
}

// SPEC DIAGNOSTIC-11
#[test]
fn a_megabyte_of_errors_takes_a_moment() {
    let size = if cfg!(debug_assertions) { 200_000 } else { 1_000_000 };
    let repeat = |piece: &str| piece.repeat(size / piece.len());
    let numbered =
        |piece: &str| (0..size / (piece.len() + 6)).map(|n| piece.replace('#', &n.to_string())).collect::<String>();
    let mut times = Vec::new();
    for text in [
        format!("{{\"network\":{{\"allowedDomains\":[{}1]}}}}", repeat("1,")),
        format!("{{\"network\":{{\"allowedDomains\":[{}\"a\"]}}}}", repeat("\"a\",")),
        format!("{{\"network\":{{\"allowedDomains\":[{}\"a\"]}}}}", repeat("\"\",")),
        format!("{{\"network\":{{\"allowedDomains\":[{}\"a\"]}}}}", numbered("\"é#\",")),
        format!("{{\"network\":{{{}\"x\":1}}}}", numbered("\"allowedDomain#\":1,")),
        format!("{{{}\"x\":1}}", repeat("\"network\":{},")),
        format!("{{{}\"network\":{{}}}}", repeat("\"network\":{},")),
        format!("{{\"network\":[{}1],\"network\":{{}}}}", repeat("{\"a\":1,\"a\":{\"b\":2}},")),
        format!("{{\"filesystem\":{{\"additionalAllowRead\":[{}\"a\"]}}}}", repeat("\"a\",")),
        repeat("."),
        repeat("["),
        format!("\"{}", repeat("é")),
        format!("{{\"{}\":1}}", repeat("k")),
        format!("{{\"network\":{{\"allowedDomains\":[\"{}\"]}}}}", repeat("*.")),
        format!("{{\"network\":{{\"allowedDomains\":[\"{}\"]}}}}", repeat("é.")),
        format!("{{\"network\":{{\"deniedDomains\":[\"{}\"]}}}}", repeat("\\u00e9")),
    ] {
        let start = Instant::now();
        let validation = validate_config(&text);
        times.push(start.elapsed());
        assert!(!validation.diagnostics.is_empty());
        assert!(start.elapsed().as_secs() < 20, "{:?} {}", start.elapsed(), &text[..40]);
    }
    println!("{times:?}");
}

// SPEC DIAGNOSTIC-4
#[test]
fn entries_of_the_policy_are_found_in_the_text() {
    let text = "{\"network\":{\"allowedDomains\":[\"a.b\",\n \" a.b \", \"c.d\"]}}";
    let network = Config::parse(text).unwrap().network;
    for (index, entry) in network.allowed_domains().enumerate() {
        let place = locate_entry(text, List::Allowed, index).unwrap();
        assert_eq!(&text[place.start..place.end], format!("\"{entry}\""));
    }
    let place = locate_entry(text, List::Allowed, 1).unwrap();
    assert_eq!((place.line, place.column, place.column_utf16), (2, 11, 11));
    assert_eq!(locate_entry(text, List::Allowed, 2), None);
    assert_eq!(locate_entry(text, List::Denied, 0), None);
    assert_eq!(locate_entry("{", List::Denied, 0), None);
}

// SPEC DIAGNOSTIC-9
#[test]
fn what_is_not_listed_is_counted_in_words() {
    for (more, told) in [(1, "1 more problem is not listed"), (2, "2 more problems are not listed")] {
        let list = vec!["1"; MAX_DIAGNOSTICS + more].join(",");
        let found = validate_config(&format!("{{\"network\":{{\"allowedDomains\":[{list}]}}}}"));
        assert_eq!((found.omitted, found.diagnostics.len()), (more, MAX_DIAGNOSTICS + 1));
        assert_eq!(found.diagnostics.last().unwrap().message, told);
    }
}
