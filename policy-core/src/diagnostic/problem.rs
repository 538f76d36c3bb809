//! Failed checks of a configuration, worded for people.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::code::Code;
use super::entry::entry_fault;
use super::near::nearest;
use super::quote::{list, say, visible};
use super::repair::accepted;
use super::report::{Finding, Replacement};
use super::source::{Source, Spot};
use crate::config::table::{self, Field, Kind};
use crate::config::{Problem, Problems};
use crate::pattern::List;
use crate::text::{is_space, trim};

/// No object of the document has more keys.
const MAX_KEYS: usize = 4;

/// A failed check and the value that failed it.
pub(super) enum What<'p> {
    NotAnObject {
        name: &'static str,
        value: Spot,
    },
    /// `taken`: which of the section's own keys the object has, in the order of the table.
    UnknownKey {
        section: &'p str,
        key: Spot,
        taken: [bool; MAX_KEYS],
    },
    WrongValue {
        field: &'static Field,
        value: Spot,
    },
    WrongItem {
        field: &'static Field,
        array: Spot,
        item: Spot,
        index: usize,
    },
    WrongPattern {
        list: List,
        item: Spot,
        index: usize,
    },
}

/// All that failed: where each begins, and which one a program is told.
pub(super) fn pending<'p>(source: &Source<'_>, problems: &'p Problems) -> (Vec<(usize, What<'p>)>, Option<usize>) {
    let mut all = Vec::new();
    let mut items = Items { of: None, array: None, spots: Vec::new() };
    for problem in problems.iter() {
        collect(source, problem, &mut items, &mut all);
    }
    // SPEC DIAGNOSTIC-3: of several unknown keys the first one named is not always the first one written.
    let named = match problems.first() {
        Problem::UnknownKeys { keys, .. } => keys.first(),
        _ => None,
    };
    let leads = |what: &What<'_>| match (what, named) {
        (What::UnknownKey { key, .. }, Some(named)) => source.text(*key) == *named,
        _ => named.is_none(),
    };
    let lead = all.iter().position(|(_, what)| leads(what));
    (all, lead)
}

/// The list looked at last, and its items.
struct Items {
    of: Option<(&'static str, &'static str)>,
    array: Option<Spot>,
    spots: Vec<Spot>,
}

impl Items {
    fn item(
        &mut self,
        source: &Source<'_>,
        section: &'static str,
        field: &'static str,
        index: usize,
    ) -> Option<(Spot, Spot)> {
        if self.of != Some((section, field)) {
            self.of = Some((section, field));
            self.array = source.field(section, field);
            self.spots = self.array.into_iter().flat_map(|array| source.items(array)).collect();
        }
        self.array.zip(self.spots.get(index).copied())
    }
}

fn collect<'p>(source: &Source<'_>, problem: &'p Problem, items: &mut Items, all: &mut Vec<(usize, What<'p>)>) {
    let mut push = |spot: Spot, what| all.push((source.range(spot).start, what));
    let object = |name: &str| match name {
        table::ROOT => Some(Source::ROOT),
        _ => source.member(Source::ROOT, name).map(|(_, value)| value),
    };
    match problem {
        Problem::NotAnObject { name } => {
            if let Some(value) = object(name) {
                push(value, What::NotAnObject { name, value });
            }
        }
        Problem::UnknownKeys { section, .. } => {
            let Some(object) = object(section) else { return };
            let position = |key| table::keys_of(section).position(|known| source.text(key) == known);
            let mut taken = [false; MAX_KEYS];
            for (key, _) in source.members(object) {
                if let Some(taken) = position(key).and_then(|at| taken.get_mut(at)) {
                    *taken = true;
                }
            }
            for (key, _) in source.members(object).filter(|&(key, _)| position(key).is_none()) {
                push(key, What::UnknownKey { section, key, taken });
            }
        }
        Problem::WrongValue { field } => {
            if let Some(value) = source.field(field.section, field.name) {
                push(value, What::WrongValue { field, value });
            }
        }
        Problem::WrongItem { field, index } => {
            if let Some((array, item)) = items.item(source, field.section, field.name, *index) {
                push(item, What::WrongItem { field, array, item, index: *index });
            }
        }
        Problem::WrongPattern { list, index, .. } => {
            if let Some((_, item)) = items.item(source, table::NETWORK.name, list.name(), *index) {
                push(item, What::WrongPattern { list: *list, item, index: *index });
            }
        }
    }
}

impl What<'_> {
    /// The finding, in words.
    pub(super) fn word(&self, source: &Source<'_>) -> Finding {
        match *self {
            Self::NotAnObject { name, value } => not_an_object(source, name, value),
            Self::UnknownKey { section, key, taken } => unknown_key(source, section, key, taken),
            Self::WrongValue { field, value } => wrong_value(source, field, value),
            Self::WrongItem { field, array, item, index } => wrong_item(source, field, array, item, index),
            Self::WrongPattern { list, item, index } => wrong_pattern(source, list, item, index),
        }
    }
}

/// A finding about a whole value.
fn finding(source: &Source<'_>, spot: Spot, code: Code, path: String, message: String) -> Finding {
    let range = source.range(spot);
    Finding { code, path, start: range.start, end: range.end, message, help: String::new(), fix: None }
}

impl Finding {
    /// Offers JSON text to write in place of the whole range.
    fn with_json(mut self, json: String) -> Self {
        self.help = say("write @", &[&json]);
        self.fix = Some(Replacement { start: self.start, end: self.end, text: json });
        self
    }

    fn with_help(mut self, help: &str, arguments: &[&str]) -> Self {
        self.help = say(help, arguments);
        self
    }
}

/// What a message calls an object of the document.
fn object_name(section: &str) -> String {
    if section == table::ROOT { "the configuration".into() } else { say("@", &[section]) }
}

fn not_an_object(source: &Source<'_>, name: &str, value: Spot) -> Finding {
    let is_root = name == table::ROOT;
    let type_name = source.type_name(value);
    let message = say("# must be an object, not #", &[&object_name(name), type_name]);
    let path = if is_root { String::new() } else { name.into() };
    let told = finding(source, value, Code::NotAnObject, path, message);
    match type_name {
        "null" if !is_root => told.with_help("leave @ out for its defaults, or write `{}`", &[name]),
        _ => told,
    }
}

fn unknown_key(source: &Source<'_>, section: &str, key: Spot, taken: [bool; MAX_KEYS]) -> Finding {
    let name = source.text(key);
    let path = member_path(if section == table::ROOT { "" } else { section }, &name);
    let message = say("# has no key @", &[&object_name(section), &name]);
    let told = finding(source, key, Code::UnknownKey, path, message);
    let is_taken = |key: &str| table::keys_of(section).zip(taken).any(|(known, taken)| taken && known == key);
    match nearest(&name, &mut table::keys_of(section)) {
        // A key that is there already would only be repeated.
        Some(known) if is_taken(known) => return told.with_help("@ is there already", &[known]),
        Some(known) => return told.with_json(json_string(known)),
        None => {}
    }
    let has = |other: &&table::Section| other.name != section && other.keys().any(|known| known == name);
    match table::SECTIONS.into_iter().find(has) {
        Some(home) => told.with_help("it is a key of @", &[home.name]),
        None if name == "$schema" => {
            told.with_help("remove it; an editor is told of the schema in its own settings", &[])
        }
        None => told.with_help("the keys are #", &[&list(table::keys_of(section), " and ")]),
    }
}

fn wrong_value(source: &Source<'_>, field: &'static Field, value: Spot) -> Finding {
    let type_name = source.type_name(value);
    let is_text = type_name == "a string";
    let text = source.text(value);
    let path = say("#.#", &[field.section, field.name]);
    let told = |code, template, what: &str| {
        let message = say(template, &[&path, what, type_name]);
        finding(source, value, code, path.clone(), message)
    };
    const MUST_BE: &str = "@ must be #, not #";
    let good = match field.kind {
        Kind::Words(words) => {
            let mut words = words.iter().map(|(word, _)| *word);
            if !is_text {
                return told(Code::WrongType, MUST_BE, &list(words, " or "));
            }
            let told = told(Code::UnknownWord, "@ cannot be @", &text);
            return match nearest(trim(&text), &mut words.clone()) {
                Some(word) => told.with_json(json_string(word)),
                None => told.with_help("write #", &[&list(&mut words, " or ")]),
            };
        }
        Kind::Flag => {
            let told = told(Code::WrongType, MUST_BE, "`true` or `false`");
            let is_flag = matches!(text.as_ref(), "true" | "false");
            return if is_flag { told.with_json(text.into_owned()) } else { told };
        }
        Kind::Paths => text.starts_with('/'),
        Kind::Domains(list) => accepted(trim(&text), list).is_some(),
        Kind::Texts => !trim(&text).is_empty(),
    };
    let told = told(Code::WrongType, MUST_BE, "a list of strings");
    if is_text && good { told.with_json(say("[#]", &[&json_string(&text)])) } else { told }
}

fn wrong_item(source: &Source<'_>, field: &'static Field, array: Spot, item: Spot, index: usize) -> Finding {
    let path = item_path(field.section, field.name, index);
    let type_name = source.type_name(item);
    let text = source.text(item);
    let (code, message) = if type_name != "a string" {
        (Code::WrongType, say("@ must be a string, not #", &[&path, type_name]))
    } else if trim(&text).is_empty() {
        (Code::BlankItem, say("@ is blank", &[&path]))
    } else {
        (Code::RelativePath, say("@ is no absolute path", &[&text]))
    };
    let mut told = finding(source, item, code, path, message);
    match code {
        Code::BlankItem => {
            let range = source.removal(array, item);
            told.fix = Some(Replacement { start: range.start, end: range.end, text: String::new() });
            told.with_help("remove it", &[])
        }
        Code::RelativePath if trim(&text).starts_with('/') => told.with_json(json_string(trim(&text))),
        Code::RelativePath if text.starts_with('~') => {
            told.with_help("`~` is not expanded: write the whole path, from `/` on", &[])
        }
        Code::RelativePath => told.with_help("write the whole path, from `/` on", &[]),
        _ => told,
    }
}

fn wrong_pattern(source: &Source<'_>, list: List, item: Spot, index: usize) -> Finding {
    let text = source.text(item);
    let fault = entry_fault(trim(&text), list);
    let offset = text.len().saturating_sub(text.trim_start_matches(is_space).len());
    let within = fault.range.start.saturating_add(offset)..fault.range.end.saturating_add(offset);
    let path = item_path(table::NETWORK.name, list.name(), index);
    let mut told = finding(source, item, fault.code, path, fault.message);
    let replace = |entry: String| Replacement { start: told.start, end: told.end, text: json_string(&entry) };
    told.fix = fault.write.map(replace);
    told.help = fault.help;
    let range = source.range_within(item, within);
    (told.start, told.end) = (range.start, range.end);
    told
}

/// SPEC DIAGNOSTIC-4
pub(crate) fn item_path(section: &str, field: &str, index: usize) -> String {
    say("#.#[#]", &[section, field, &index.to_string()])
}

/// `section.key`, or `section["key"]` for a key that is no plain word.
pub(super) fn member_path(section: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-'));
    if plain && key.len() <= 64 {
        return say(if section.is_empty() { "##" } else { "#.#" }, &[section, key]);
    }
    let shown: String = key.chars().take(64).collect();
    say("#[#]", &[section, &visible(&json_string(&shown))])
}

/// The text as JSON writes it.
pub(crate) fn json_string(text: &str) -> String {
    // Writing a string into memory cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}
