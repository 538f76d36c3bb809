//! A text that is not JSON: what was expected, and where.

use alloc::string::{String, ToString};

use super::code::Code;
use super::quote::say;
use super::report::{Finding, Replacement};
use crate::json::{Fault, FaultKind};
use crate::place::Places;

/// The one problem of a text that is not JSON.
pub(super) fn syntax(text: &str, fault: Fault) -> Finding {
    let found = text.get(fault.start..fault.end).unwrap_or_default();
    let told = tell(text, fault, found);
    let mut message = String::from("invalid JSON: ");
    message.push_str(&say(told.message, &[&told.shown, found]));
    let help = match &told.write {
        Some(write) if !write.is_empty() && told.help.is_empty() => say("write @", &[write]),
        write => say(told.help, &[write.as_deref().unwrap_or_default()]),
    };
    let replacement = |text| Replacement { start: fault.start, end: fault.end, text };
    Finding {
        code: Code::InvalidJson,
        path: String::new(),
        start: fault.start,
        end: fault.end,
        message,
        help,
        fix: told.write.map(replacement),
    }
}

struct Told {
    /// Its arguments: `shown`, then the text at the fault.
    message: &'static str,
    shown: String,
    /// Its argument: what to write.
    help: &'static str,
    write: Option<String>,
}

fn told(message: &'static str, shown: &str, help: &'static str, write: Option<&str>) -> Told {
    Told { message, shown: shown.into(), help, write: write.map(String::from) }
}

fn tell(text: &str, fault: Fault, found: &str) -> Told {
    match fault.kind {
        FaultKind::ByteOrderMark => {
            told("the text begins with a byte-order mark", "", "save the file as UTF-8 without one", Some(""))
        }
        FaultKind::Comment => told("there are no comments in JSON", "", "remove the comment", Some("")),
        FaultKind::TrailingComma => told("a comma has nothing behind it", "", "remove the comma", Some("")),
        FaultKind::Quotes => quotes(found),
        FaultKind::UnquotedKey => told("the key @ needs double quotes", found, "", Some(&say("\"#\"", &[found]))),
        FaultKind::Word => word(found),
        FaultKind::Number(why) => told(why, found, "", None),
        FaultKind::TooLarge => told("the number @ is too large", found, "", None),
        FaultKind::Control => {
            let code = u32::from(found.chars().next().unwrap_or_default());
            // Writing a number into a string cannot fail.
            let escape = if code == 9 { "\\t".to_string() } else { alloc::format!("\\u{code:04x}") };
            told("a control character stands in a string as it is", "", "", Some(&escape))
        }
        FaultKind::OpenLine => {
            let help = "close it with `\"`; a line break inside a string is written `\\n`";
            told("a string has no closing quote on its line", "", help, None)
        }
        FaultKind::OpenText => told("the text ends inside a string", "", "close the string with `\"`", None),
        FaultKind::Escape => {
            let help = "after `\\` comes one of `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t`, or `u` and four hex digits; \
                        a backslash itself is written `\\\\`";
            told("@ is no escape", found, help, None)
        }
        FaultKind::LoneSurrogate => {
            told("@ is half of a character", found, "write both halves, or the character", None)
        }
        FaultKind::TooDeep => told("more than 127 arrays and objects are open here", "", "", None),
        FaultKind::Unclosed { open } => {
            let place = Places::new(text).place(open, open);
            let is_object = text.get(open..).is_some_and(|rest| rest.starts_with('{'));
            let (line, column) = (place.line.to_string(), place.column.to_string());
            let bracket = if is_object { "{" } else { "[" };
            let at = say("@ of line #, column #", &[bracket, &line, &column]);
            told(
                "the text ends before the # is closed",
                &at,
                if is_object { "close it with `}`" } else { "close it with `]`" },
                None,
            )
        }
        FaultKind::Space => told("this white space is none in JSON", "", "write a space", Some(" ")),
        FaultKind::MissingComma => told("expected a comma between two values", "", "write `,` in between", None),
        FaultKind::Expected(expected) if found.is_empty() => {
            told("expected #, found the end of the text", expected, "", None)
        }
        FaultKind::Expected(expected) => told("expected #, found @", expected, "", None),
    }
}

/// Text between other quotation marks.
fn quotes(found: &str) -> Told {
    let mut inner = found.chars();
    let closed = inner.next().is_some() && inner.next_back().is_some();
    let inner = inner.as_str();
    let plain = closed && !inner.chars().any(|c| c.is_control() || matches!(c, '"' | '\\'));
    let write = say("\"#\"", &[inner]);
    let (help, write) = if plain { ("", Some(write.as_str())) } else { ("write `\"` instead", None) };
    told("strings are quoted with `\"`", "", help, write)
}

fn word(found: &str) -> Told {
    let known = ["true", "false", "null"].into_iter().find(|known| found.eq_ignore_ascii_case(known));
    let known = known.or(if matches!(found, "None" | "nil" | "undefined") { Some("null") } else { None });
    let message = "@ is no value in JSON";
    match known {
        Some(_) => told(message, found, "", known),
        None if matches!(found, "NaN" | "Infinity" | "-Infinity") => told(message, found, "", None),
        None => told(message, found, "for a string write @", Some(&say("\"#\"", &[found]))),
    }
}
