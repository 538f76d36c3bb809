//! Text rules inherited from JavaScript: trimming, length, lower-casing (spec page `text`).
//!
//! SPEC TEXT-5: true of the whole module.

use alloc::string::String;

/// SPEC TEXT-1, TEXT-2: what JavaScript's `trim` and `\s` call white space.
///
/// Differs from [`char::is_whitespace`] in U+0085 (not here) and U+FEFF (here).
pub(crate) fn is_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{D}'
            | '\u{20}'
            | '\u{A0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202F}'
            | '\u{205F}'
            | '\u{3000}'
            | '\u{FEFF}'
    )
}

/// JavaScript's `trim`.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// SPEC TEXT-4: lower-cases `text` when the result is ASCII; `None` when it is not, and then no host equals it.
///
/// U+212A KELVIN SIGN is the only character outside ASCII whose full Unicode lower case is ASCII
/// (a test goes through all of them), so no Unicode table ships for this.
pub(crate) fn to_ascii_lowercase(text: &str) -> Option<String> {
    text.chars()
        .map(|c| match c {
            '\u{212A}' => Some('k'),
            _ if c.is_ascii() => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_the_javascript_set() {
        let different: String = ('\0'..=char::MAX).filter(|&c| is_space(c) != c.is_whitespace()).collect();
        assert_eq!(different, "\u{85}\u{FEFF}");
        assert_eq!(trim("\u{FEFF}\u{B} a\u{85} \u{3000}"), "a\u{85}");
    }

    #[test]
    fn lower_casing_agrees_with_unicode_on_every_character() {
        for c in '\0'..=char::MAX {
            let text = String::from(c);
            let unicode = text.to_lowercase();
            assert_eq!(to_ascii_lowercase(&text), unicode.is_ascii().then_some(unicode), "{c:?}");
        }
    }
}
