//! Messages: input in backticks, short, and without characters that a terminal would obey.

use alloc::string::String;
use core::fmt::Write as _;

/// Characters of input that a message shows at most.
const MAX_SHOWN: usize = 64;

/// A message: each `@` of the template stands for an argument in backticks, each `#` for one as it is.
/// SPEC DIAGNOSTIC-8
pub(crate) fn say(template: &str, arguments: &[&str]) -> String {
    let mut message = String::new();
    let mut arguments = arguments.iter();
    for c in template.chars() {
        match c {
            '@' => quote(&mut message, arguments.next().unwrap_or(&"")),
            '#' => message.push_str(arguments.next().unwrap_or(&"")),
            c => message.push(c),
        }
    }
    message
}

fn quote(message: &mut String, text: &str) {
    message.push('`');
    for (count, c) in text.chars().enumerate() {
        if count == MAX_SHOWN {
            message.push('…');
            break;
        }
        push_visible(message, c);
    }
    message.push('`');
}

/// The text with an escape in place of each character that hides.
pub(super) fn visible(text: &str) -> String {
    let mut visible = String::new();
    text.chars().for_each(|c| push_visible(&mut visible, c));
    visible
}

fn push_visible(text: &mut String, c: char) {
    if hides(c) {
        // Writing into a string cannot fail.
        let _ = write!(text, "\\u{:04x}", u32::from(c));
    } else {
        text.push(c);
    }
}

/// A few words, each in backticks: `a`, `b` or `c`.
pub(crate) fn list(words: impl Iterator<Item = &'static str>, last: &str) -> String {
    let mut text = String::new();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if !text.is_empty() {
            text.push_str(if words.peek().is_some() { ", " } else { last });
        }
        quote(&mut text, word);
    }
    text
}

/// Control characters, and those that are invisible or turn the direction of writing.
pub(crate) fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '`' | '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_in_a_message() {
        assert_eq!(say("@", &["a\u{1b}[31m\u{202e}b`"]), r"`a\u001b[31m\u202eb\u0060`");
        assert_eq!(say("@.", &[&"x".repeat(65)]), alloc::format!("`{}…`.", "x".repeat(64)));
        assert_eq!(say("a # b @ c @", &["@", "#"]), "a @ b `#` c ``");
        assert_eq!(list(["a"].into_iter(), " or "), "`a`");
        assert_eq!(list(["a", "b", "c"].into_iter(), " or "), "`a`, `b` or `c`");
    }
}
