//! The twenty checks, in their order.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::table::{self, Choice, Field, Kind, Section};
use super::unique::unique;
use super::{Config, Filesystem, HostIpc, Subagents};
use crate::json::{Object, Value};
use crate::pattern::{DomainPattern, List, Profile};
use crate::policy::NetworkPolicy;
use crate::text::trim;

/// A failed check. Displayed as the message that programs rely on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The root or a section is something else than an object.
    NotAnObject { name: &'static str },
    /// Keys that the section does not have, in JavaScript's order.
    UnknownKeys { section: &'static str, keys: Vec<String> },
    /// A field holds what it cannot hold.
    WrongValue { field: &'static Field },
    /// An item of a list of texts is no text, blank, or no absolute path; `index` as written.
    WrongItem { field: &'static Field, index: usize },
    /// An entry of a domain list is no pattern of the config profile: its index as written, and
    /// among the entries that remain after trimming and removing duplicates. Where it repeats an
    /// earlier one, that index is that of the next entry that remains; such a problem is never first.
    WrongPattern { list: List, index: usize, unique_index: usize },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { name } => write!(f, "{name} must be an object"),
            Self::UnknownKeys { section, keys } => {
                let plural = if keys.len() == 1 { "" } else { "s" };
                write!(f, "unknown {section} key{plural}: {}", keys.join(", "))
            }
            Self::WrongValue { field } | Self::WrongItem { field, .. } => {
                write!(f, "{}.{} must be {}", field.section, field.name, field.expected)
            }
            Self::WrongPattern { list, unique_index, .. } => {
                write!(f, "network.{list}[{unique_index}] contains an invalid domain pattern")
            }
        }
    }
}

/// One problem or more, in the order of the checks.
#[derive(Debug)]
pub(crate) struct Problems {
    first: Problem,
    rest: Vec<Problem>,
}

impl Problems {
    pub(crate) const fn first(&self) -> &Problem {
        &self.first
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Problem> {
        core::iter::once(&self.first).chain(&self.rest)
    }
}

/// Runs every check on a parsed document.
pub(crate) fn check(root: &Value<'_>) -> Result<Config, Problems> {
    let mut checker = Checker { problems: Vec::new() };
    let config = checker.config(root);
    let mut problems = checker.problems.into_iter();
    match problems.next() {
        None => Ok(config),
        Some(first) => Err(Problems { first, rest: problems.collect() }),
    }
}

struct Checker {
    problems: Vec<Problem>,
}

impl Checker {
    fn config(&mut self, root: &Value<'_>) -> Config {
        // SPEC CONFIG-1, CONFIG-2
        let Some(root) = self.object(root, table::ROOT) else { return Config::default() };
        // SPEC CONFIG-3, CONFIG-4, CONFIG-5, CONFIG-6
        let section = self.section(root, &table::SUBAGENTS);
        let subagents = Subagents {
            provider: self.choice(section, &table::PROVIDER),
            external_worker_isolation: self.choice(section, &table::EXTERNAL_WORKER_ISOLATION),
        };
        // SPEC CONFIG-7, CONFIG-8, CONFIG-9
        let section = self.section(root, &table::FILESYSTEM);
        let paths = self.texts(section, &table::ADDITIONAL_ALLOW_READ, |path| path.starts_with('/'));
        let filesystem = Filesystem { additional_allow_read: owned(paths) };
        // SPEC CONFIG-10, CONFIG-11, CONFIG-12, CONFIG-13, CONFIG-14, CONFIG-15
        let section = self.section(root, &table::NETWORK);
        let allowed = self.domains(section, &table::ALLOWED_DOMAINS, List::Allowed);
        let denied = self.domains(section, &table::DENIED_DOMAINS, List::Denied);
        // Entries that no 32-bit offset reaches come from no text that fits in memory; if they
        // ever do, the policy denies.
        let network = NetworkPolicy::compile(allowed, denied).unwrap_or_else(|_| NetworkPolicy::deny_all());
        // SPEC CONFIG-16, CONFIG-17, CONFIG-18, CONFIG-19, CONFIG-20
        let section = self.section(root, &table::HOST_IPC);
        let mode = self.choice(section, &table::MODE);
        let prefixes = self.texts(section, &table::PREFLIGHT_COMMAND_PREFIXES, |_| true).into_iter().map(trimmed);
        let retry_on_unix_socket_error = self.flag(section, &table::RETRY_ON_UNIX_SOCKET_ERROR);
        let host_ipc = HostIpc { mode, preflight_command_prefixes: owned(prefixes), retry_on_unix_socket_error };
        Config { subagents, filesystem, network, host_ipc }
    }

    fn object<'v, 'a>(&mut self, value: &'v Value<'a>, name: &'static str) -> Option<&'v Object<'a>> {
        let Some(object) = value.as_object() else {
            self.problems.push(Problem::NotAnObject { name });
            return None;
        };
        // SPEC CONFIG-22
        let is_unknown = |key: &&str| table::keys_of(name).all(|known| known != *key);
        let keys: Vec<String> = object.keys().into_iter().filter(is_unknown).map(String::from).collect();
        if !keys.is_empty() {
            self.problems.push(Problem::UnknownKeys { section: name, keys });
        }
        Some(object)
    }

    /// SPEC CONFIG-23: an absent section is empty; a null one is an error.
    fn section<'v, 'a>(&mut self, root: &'v Object<'a>, section: &'static Section) -> Option<&'v Object<'a>> {
        root.get(section.name).and_then(|value| self.object(value, section.name))
    }

    fn choice<T: Copy + Default>(&mut self, section: Option<&Object<'_>>, choice: &'static Choice<T>) -> T {
        let Some(value) = present(section, choice.field) else { return T::default() };
        let Kind::Words(words) = choice.field.kind else { return T::default() };
        let chosen = words.iter().zip(choice.values).find(|((word, _), _)| value.as_str() == Some(word));
        if chosen.is_none() {
            self.problems.push(Problem::WrongValue { field: choice.field });
        }
        chosen.map(|(_, value)| *value).unwrap_or_default()
    }

    fn flag(&mut self, section: Option<&Object<'_>>, field: &'static Field) -> bool {
        match present(section, field) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.problems.push(Problem::WrongValue { field });
                false
            }
        }
    }

    /// The items of a list of texts that are not blank and that `accepts` accepts, each with its
    /// index as written.
    fn texts<'v>(
        &mut self,
        section: Option<&'v Object<'_>>,
        field: &'static Field,
        accepts: impl Fn(&str) -> bool,
    ) -> Vec<(usize, &'v str)> {
        let Some(value) = present(section, field) else { return Vec::new() };
        let Some(items) = value.as_array() else {
            self.problems.push(Problem::WrongValue { field });
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.as_str().filter(|text| !trim(text).is_empty() && accepts(text)) {
                Some(text) => texts.push((index, text)),
                None => self.problems.push(Problem::WrongItem { field, index }),
            }
        }
        texts
    }

    /// SPEC CONFIG-12, CONFIG-13, CONFIG-25, CONFIG-26
    fn domains<'v>(&mut self, section: Option<&'v Object<'_>>, field: &'static Field, list: List) -> Vec<&'v str> {
        let texts: Vec<(usize, &str)> = self.texts(section, field, |_| true).into_iter().map(trimmed).collect();
        let entries = unique(texts.iter().copied());
        // Every wrong entry is a problem, the repeated ones too.
        let mut kept = entries.iter().map(|(index, _)| index).peekable();
        let mut unique_index = 0_usize;
        for (index, text) in &texts {
            if DomainPattern::parse(text, list, Profile::Config).is_err() {
                self.problems.push(Problem::WrongPattern { list, index: *index, unique_index });
            }
            if kept.next_if_eq(&index).is_some() {
                unique_index = unique_index.saturating_add(1);
            }
        }
        entries.into_iter().map(|(_, text)| text).collect()
    }
}

/// SPEC CONFIG-23: null is as good as absent for a field.
fn present<'v, 'a>(section: Option<&'v Object<'a>>, field: &Field) -> Option<&'v Value<'a>> {
    section?.get(field.name).filter(|value| **value != Value::Null)
}

fn trimmed((index, text): (usize, &str)) -> (usize, &str) {
    (index, trim(text))
}

/// SPEC CONFIG-25
fn owned<'a>(texts: impl IntoIterator<Item = (usize, &'a str)>) -> Vec<String> {
    unique(texts).into_iter().map(|(_, text)| text.into()).collect()
}
