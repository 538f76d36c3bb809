//! What must hold for the problems found in a configuration text.

use core::str;

use policy_core::{Config, ConfigError, MAX_DIAGNOSTICS, NetworkPolicy, Relation, Severity, compare, validate_config};

/// Lints about entries that make no difference: to take one away changes no answer.
const WITHOUT_EFFECT: [&str; 3] = ["duplicate-pattern", "redundant-pattern", "shadowed-allow"];

/// The text of a configuration.
pub fn diagnostics(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let validation = validate_config(text);
    // PROPERTY-18
    let parsed = Config::parse(text);
    assert_eq!(validation.is_valid(), parsed.is_ok());
    assert_eq!(validation.compat_error(), parsed.as_ref().err());
    assert!(validation.diagnostics.len() <= MAX_DIAGNOSTICS + 1);
    for diagnostic in &validation.diagnostics {
        assert!(diagnostic.start <= diagnostic.end && diagnostic.end <= text.len());
        assert!(text.is_char_boundary(diagnostic.start) && text.is_char_boundary(diagnostic.end));
        let before = &text[..diagnostic.start];
        let line = before.rsplit('\n').next().unwrap_or_default();
        assert_eq!(diagnostic.line, 1 + before.matches('\n').count());
        assert_eq!(diagnostic.column, 1 + line.chars().count());
        assert_eq!(diagnostic.column_utf16, 1 + line.encode_utf16().count());
        assert!(!diagnostic.message.is_empty());
    }
    let errors = validation.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    assert_eq!(errors == 0, parsed.is_ok(), "errors are listed exactly when there are some");
    // A correction is one: it can be applied, and what is wrong with the JSON afterwards, if anything, reaches behind it.
    for diagnostic in validation.diagnostics.iter().take(8) {
        let Some(fix) = &diagnostic.fix else { continue };
        let corrected = [&text[..fix.start], &fix.text, &text[fix.end..]].concat();
        let fixed = Config::parse(&corrected);
        if let Err(ConfigError::Json(_)) = &fixed {
            assert!(matches!(parsed, Err(ConfigError::Json(_))), "{diagnostic:?}");
            // A string that is not closed on its line is told from its opening quote on.
            assert!(validate_config(&corrected).diagnostics[0].end >= fix.start, "{diagnostic:?}");
        }
        if let (Ok(before), Ok(after)) = (&parsed, &fixed)
            && WITHOUT_EFFECT.contains(&diagnostic.code.name())
        {
            assert!(same(&before.network, &after.network), "{diagnostic:?}");
        }
    }
}

fn same(before: &NetworkPolicy, after: &NetworkPolicy) -> bool {
    // A correction may also take an entry away that repeats one, which changes indices and no answer.
    compare(before, after).relation == Relation::Equal
}
