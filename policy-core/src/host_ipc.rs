//! Helpers for the host's IPC gate (spec page `host_ipc`).

use crate::text::{is_space, trim};

/// The first of `prefixes` that the trimmed `command` starts with and that is followed by the end
/// or by white space; the prefixes are used as given.
pub fn matching_preflight_prefix<'p>(command: &str, prefixes: impl IntoIterator<Item = &'p str>) -> Option<&'p str> {
    // SPEC IPC-1, IPC-2, IPC-3
    let command = trim(command);
    prefixes
        .into_iter()
        .find(|prefix| command.strip_prefix(prefix).is_some_and(|rest| rest.chars().next().is_none_or(is_space)))
}

/// Whether `stderr` speaks of a Unix socket that the sandbox refused.
pub fn is_unix_socket_permission_error(stderr: &str) -> bool {
    // SPEC IPC-4
    contains_ignore_ascii_case(stderr, "operation not permitted")
        && ["socket", "connect", "ipc"].iter().any(|word| contains_ignore_ascii_case(stderr, word))
}

fn contains_ignore_ascii_case(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}
