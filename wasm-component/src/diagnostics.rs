//! The interface `diagnostics`.

use policy_core as core;

use crate::Component;
use crate::bindings::exports::pi_sandbox::policy::diagnostics as wit;
use crate::bindings::exports::pi_sandbox::policy::network::DomainList;
use crate::config::{to_u32, to_usize};

impl wit::Guest for Component {
    fn validate_config(text: String) -> wit::Validation {
        let validation = core::validate_config(&text);
        let error = validation.compat_error().cloned().map(wit::ConfigError::from);
        wit::Validation {
            diagnostics: validation.diagnostics.into_iter().map(wit::Diagnostic::from).collect(),
            omitted: to_u32(validation.omitted),
            error,
        }
    }

    fn locate_entry(text: String, list: DomainList, index: u32) -> Option<wit::Place> {
        core::locate_entry(&text, list.into(), to_usize(index)).map(wit::Place::from)
    }
}

impl From<core::Diagnostic> for wit::Diagnostic {
    fn from(diagnostic: core::Diagnostic) -> Self {
        let core::Diagnostic { severity, code, path, start, end, line, column, message, help, column_utf16, fix } =
            diagnostic;
        Self {
            severity: severity.into(),
            code: code.name().to_owned(),
            path,
            start: to_u32(start),
            end: to_u32(end),
            line: to_u32(line),
            column: to_u32(column),
            message,
            help,
            column_utf16: to_u32(column_utf16),
            fix: fix.map(wit::Fix::from),
        }
    }
}

impl From<core::Severity> for wit::Severity {
    fn from(severity: core::Severity) -> Self {
        match severity {
            core::Severity::Info => Self::Info,
            core::Severity::Warning => Self::Warning,
            core::Severity::Error => Self::Error,
        }
    }
}

impl From<core::Fix> for wit::Fix {
    fn from(fix: core::Fix) -> Self {
        let core::Fix { start, end, text } = fix;
        Self { start: to_u32(start), end: to_u32(end), text }
    }
}

impl From<core::Place> for wit::Place {
    fn from(place: core::Place) -> Self {
        let core::Place { start, end, line, column, column_utf16 } = place;
        Self {
            start: to_u32(start),
            end: to_u32(end),
            line: to_u32(line),
            column: to_u32(column),
            column_utf16: to_u32(column_utf16),
        }
    }
}
