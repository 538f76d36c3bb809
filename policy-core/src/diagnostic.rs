//! Problems of a configuration, told to a person (spec page `diagnostic`).
//!
//! The checks decide; this only finds the places and the words. A message is lower case, without a
//! period, with input in backticks and without blame. Whatever a help line tells people to write
//! was tried first.
//!
//! SPEC DIAGNOSTIC-10, DIAGNOSTIC-11: true of the whole module.

mod code;
mod entry;
mod near;
mod problem;
mod punycode;
mod quote;
mod repair;
mod report;
mod source;
mod syntax;

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

pub use code::{Code, Severity};

pub(crate) use problem::{item_path, json_string};
pub(crate) use quote::{list, say};
pub(crate) use repair::accepted;
pub(crate) use report::{Finding, Replacement, report};
pub(crate) use source::{Source, Spot};

use crate::config::{ConfigError, check, unique};
use crate::json::{self, JsonError};
use crate::lint::lint;
use crate::pattern::List;
use crate::place::{Place, Places};
use crate::text::trim;

/// Most problems that one validation lists; a person reads no more, and an editor shows no more.
pub const MAX_DIAGNOSTICS: usize = 1000;

/// All that can be said about a configuration text: its errors or, when there are none, its lints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Validation {
    /// In the order of the text; an error that [`Config::parse`](crate::Config::parse) names comes first.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more there are. Then the last one listed is of the code [`Code::MoreProblems`].
    pub omitted: usize,
    #[serde(skip)]
    compat_error: Option<ConfigError>,
}

/// One problem (SPEC DIAGNOSTIC-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// What kind of problem it is.
    pub code: Code,
    /// Where in the document, such as `network.allowedDomains[2]`; empty for the document itself.
    pub path: String,
    /// First byte in the UTF-8 text.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// Line of the start, from 1.
    pub line: usize,
    /// Column of the start in characters, from 1: for people.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Column of the start in UTF-16 units, from 1: for editors.
    pub column_utf16: usize,
    /// What an editor can do about it.
    pub fix: Option<Fix>,
}

/// A replacement in the source text that takes one problem away. Apply one, then validate again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// First byte to replace.
    pub start: usize,
    /// Behind the last one.
    pub end: usize,
    /// What to write there.
    pub text: String,
}

impl Validation {
    /// Whether the text is a configuration; lints do not count.
    pub const fn is_valid(&self) -> bool {
        self.compat_error.is_none()
    }

    /// What [`Config::parse`](crate::Config::parse) says of the same text.
    pub const fn compat_error(&self) -> Option<&ConfigError> {
        self.compat_error.as_ref()
    }
}

/// Finds every problem of a configuration text.
pub fn validate_config(text: &str) -> Validation {
    let source = match json::scan(text) {
        Ok(nodes) => Source::new(text, nodes),
        Err(fault) => {
            let finding = report::diagnostic(&mut Places::new(text), syntax::syntax(text, fault));
            let diagnostics = alloc::vec![finding];
            let compat_error = Some(ConfigError::Json(JsonError::at(text, fault)));
            return Validation { diagnostics, omitted: 0, compat_error };
        }
    };
    // SPEC DIAGNOSTIC-2
    match check(&source.tree()) {
        Err(problems) => {
            let (all, lead) = problem::pending(&source, &problems);
            let starts: Vec<usize> = all.iter().map(|(start, _)| *start).collect();
            let word = |number: usize| all.get(number).map(|(_, what)| what.word(&source));
            let (diagnostics, omitted) = report(text, &starts, lead, &word);
            Validation { diagnostics, omitted, compat_error: Some(ConfigError::from(&problems)) }
        }
        Ok(config) => {
            let (diagnostics, omitted) = lint(text, &source, &config.network);
            Validation { diagnostics, omitted, compat_error: None }
        }
    }
}

/// Where the entry stands that is number `index` of a list in the policy of a configuration text:
/// the policy has no blanks around entries and no repetitions, so its numbers are others than
/// those of the text.
pub fn locate_entry(text: &str, list: List, index: usize) -> Option<Place> {
    let source = Source::new(text, json::scan(text).ok()?);
    let array = source.field(crate::config::table::NETWORK.name, list.name())?;
    let spots: Vec<Spot> = source.items(array).collect();
    let texts: Vec<_> = spots.iter().map(|&spot| source.text(spot)).collect();
    let kept = unique(texts.iter().map(|text| trim(text)).enumerate());
    let range = kept.get(index).and_then(|(written, _)| spots.get(*written)).map(|&spot| source.range(spot))?;
    Some(Places::new(text).place(range.start, range.end))
}
