//! Problems of a configuration, as plain types.

use crate::bindings::exports::pi_sandbox::policy::diagnostics as wit;
use crate::decision::to_usize;
use crate::error::ConfigError;

/// All that can be said about a configuration text: its errors or, when there are none, its lints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    /// In the order of the text; an error that `error` names comes first.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more there are. Then the last one listed says so.
    pub omitted: usize,
    /// What [`parse_config`](crate::PolicyEngine::parse_config) says of the same text; `None` when it is a
    /// configuration. Lints do not count.
    pub error: Option<ConfigError>,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// What kind of problem it is, in kebab case, such as `entry-wildcard`. A code never changes its meaning.
    pub code: String,
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

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably not what was meant.
    Warning,
    /// The text is refused.
    Error,
}

/// A replacement in the text that takes one problem away. Apply one, then validate again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// First byte to replace.
    pub start: usize,
    /// Behind the last one.
    pub end: usize,
    /// What to write there.
    pub text: String,
}

/// Where something stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// First byte of the UTF-8 text.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// Line of the start, from 1.
    pub line: usize,
    /// Column of the start in characters, from 1: for people.
    pub column: usize,
    /// Column of the start in UTF-16 units, from 1: for editors.
    pub column_utf16: usize,
}

impl Validation {
    /// Whether the text is a configuration; lints do not count.
    pub const fn is_valid(&self) -> bool {
        self.error.is_none()
    }
}

impl Severity {
    /// `error`, `warning` or `info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

impl From<wit::Validation> for Validation {
    fn from(validation: wit::Validation) -> Self {
        let wit::Validation { diagnostics, omitted, error } = validation;
        Self {
            diagnostics: diagnostics.into_iter().map(Diagnostic::from).collect(),
            omitted: to_usize(omitted),
            error: error.map(ConfigError::from),
        }
    }
}

impl From<wit::Diagnostic> for Diagnostic {
    fn from(diagnostic: wit::Diagnostic) -> Self {
        let wit::Diagnostic { severity, code, path, start, end, line, column, message, help, column_utf16, fix } =
            diagnostic;
        Self {
            severity: match severity {
                wit::Severity::Info => Severity::Info,
                wit::Severity::Warning => Severity::Warning,
                wit::Severity::Error => Severity::Error,
            },
            code,
            path,
            start: to_usize(start),
            end: to_usize(end),
            line: to_usize(line),
            column: to_usize(column),
            message,
            help,
            column_utf16: to_usize(column_utf16),
            fix: fix.map(|wit::Fix { start, end, text }| Fix { start: to_usize(start), end: to_usize(end), text }),
        }
    }
}

impl From<wit::Place> for Place {
    fn from(place: wit::Place) -> Self {
        let wit::Place { start, end, line, column, column_utf16 } = place;
        Self {
            start: to_usize(start),
            end: to_usize(end),
            line: to_usize(line),
            column: to_usize(column),
            column_utf16: to_usize(column_utf16),
        }
    }
}
