//! What a JSON string means.

use alloc::borrow::Cow;
use alloc::string::String;

/// The text between the quotes of a string that was scanned, its escapes replaced.
pub(crate) fn unescape(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let (character, behind) = read_escape(escape);
        text.push(character);
        rest = behind;
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The first character that a part of such a string means, and what follows its spelling.
pub(crate) fn next_character(inner: &str) -> Option<(char, &str)> {
    let mut behind = inner.chars();
    match behind.next()? {
        '\\' => Some(read_escape(behind.as_str())),
        plain => Some((plain, behind.as_str())),
    }
}

/// The character that stands behind a backslash, and what follows.
fn read_escape(escape: &str) -> (char, &str) {
    let mut behind = escape.chars();
    let character = match behind.next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{C}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return read_unicode_escape(behind.as_str()),
        // The scanner has let through nothing else than the characters that mean themselves.
        other => other.unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    (character, behind.as_str())
}

fn read_unicode_escape(digits: &str) -> (char, &str) {
    let (high, behind) = read_unit(digits);
    if let Some(character) = char::from_u32(high) {
        return (character, behind);
    }
    // The first half of a pair (SPEC JSON-2).
    let (low, behind) = behind.strip_prefix("\\u").map_or((0, behind), read_unit);
    let point = (((high & 0x3FF) << 10) | (low & 0x3FF)).saturating_add(0x1_0000);
    (char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), behind)
}

fn read_unit(digits: &str) -> (u32, &str) {
    let (unit, behind) = digits.split_at_checked(4).unwrap_or((digits, ""));
    (u32::from_str_radix(unit, 16).unwrap_or_default(), behind)
}
