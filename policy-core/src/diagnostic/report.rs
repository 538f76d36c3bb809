//! From findings, which know offsets, to diagnostics, which know lines and columns.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::code::Code;
use super::quote::say;
use super::{Diagnostic, Fix, MAX_DIAGNOSTICS};
use crate::order::ordered;
use crate::place::Places;

/// A problem without line and column.
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) path: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
    /// Empty for none.
    pub(crate) help: String,
    pub(crate) fix: Option<Replacement>,
}

/// Bytes of the text to replace.
pub(crate) struct Replacement {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// SPEC DIAGNOSTIC-3, DIAGNOSTIC-9: words the first [`MAX_DIAGNOSTICS`] of the problems that start at these offsets, in
/// source order but for the one that leads, and counts the rest.
pub(crate) fn report(
    text: &str,
    starts: &[usize],
    lead: Option<usize>,
    word: &dyn Fn(usize) -> Option<Finding>,
) -> (Vec<Diagnostic>, usize) {
    // The leading one sorts as if it stood in front of everything.
    let key = |number: usize| (lead != Some(number), starts.get(number));
    let order = ordered(starts.len(), &|a, b| key(a).cmp(&key(b)));
    let omitted = starts.len().saturating_sub(MAX_DIAGNOSTICS);
    let mut places = Places::new(text);
    let mut diagnostics = Vec::new();
    for number in order {
        if diagnostics.len() < MAX_DIAGNOSTICS {
            diagnostics.extend(word(number).map(|finding| diagnostic(&mut places, finding)));
            continue;
        }
        let template = if omitted == 1 { "# more problem is not listed" } else { "# more problems are not listed" };
        let start = starts.get(number).copied().unwrap_or_default();
        let finding = Finding {
            code: Code::MoreProblems,
            path: String::new(),
            start,
            end: start,
            message: say(template, &[&omitted.to_string()]),
            help: String::new(),
            fix: None,
        };
        diagnostics.push(diagnostic(&mut places, finding));
        break;
    }
    (diagnostics, omitted)
}

pub(super) fn diagnostic(places: &mut Places<'_>, finding: Finding) -> Diagnostic {
    let place = places.place(finding.start, finding.end);
    Diagnostic {
        severity: finding.code.severity(),
        code: finding.code,
        path: finding.path,
        start: place.start,
        end: place.end,
        line: place.line,
        column: place.column,
        message: finding.message,
        help: Some(finding.help).filter(|help| !help.is_empty()),
        column_utf16: place.column_utf16,
        fix: finding.fix.map(|fix| Fix { start: fix.start, end: fix.end, text: fix.text }),
    }
}
