//! Names, choices and wording of the configuration document: the one place to change them. The
//! checks, the suggestions for misspelt keys and the JSON Schema are all made from it.

use super::{ExternalWorkerIsolation, HostIpcMode, SubagentProvider};
use crate::pattern::List;

/// One object of the document and what it may have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    /// What an editor shows.
    pub(crate) about: &'static str,
    pub(crate) fields: &'static [&'static Field],
}

/// A field of a section; `expected` completes the sentence "must be …".
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    pub(crate) expected: &'static str,
    /// What an editor shows.
    pub(crate) about: &'static str,
    pub(crate) kind: Kind,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of a few words, each with what it means; the first is the default.
    Words(&'static [(&'static str, &'static str)]),
    /// `true` or `false`; the default is `false`.
    Flag,
    /// A list of absolute paths.
    Paths,
    /// A list of texts that are not blank.
    Texts,
    /// A domain list.
    Domains(List),
}

/// A field that takes one of a few words, and the values they stand for in the same order.
pub(crate) struct Choice<T: 'static> {
    pub(crate) field: &'static Field,
    pub(crate) values: &'static [T],
}

/// What the root is called in messages.
pub(crate) const ROOT: &str = "root";

/// The keys of the root, in the order of the checks.
pub(crate) const SECTIONS: [&Section; 4] = [&SUBAGENTS, &FILESYSTEM, &NETWORK, &HOST_IPC];

pub(crate) const SUBAGENTS: Section = Section {
    name: "subagents",
    about: "How subagents run.",
    fields: &[PROVIDER.field, EXTERNAL_WORKER_ISOLATION.field],
};
pub(crate) const FILESYSTEM: Section = Section {
    name: "filesystem",
    about: "What sandboxed commands may read besides the working directory and the system.",
    fields: &[&ADDITIONAL_ALLOW_READ],
};
pub(crate) const NETWORK: Section = Section {
    name: "network",
    about: "Which hosts sandboxed commands may reach. What neither list names is asked about, one connection at a time.",
    fields: &[&ALLOWED_DOMAINS, &DENIED_DOMAINS],
};
pub(crate) const HOST_IPC: Section = Section {
    name: "hostIPC",
    about: "Commands that need a Unix socket of the host.",
    fields: &[MODE.field, &PREFLIGHT_COMMAND_PREFIXES, &RETRY_ON_UNIX_SOCKET_ERROR],
};

pub(crate) const PROVIDER: Choice<SubagentProvider> = Choice {
    field: &Field {
        section: "subagents",
        name: "provider",
        expected: "one of builtin, pi-subagents, off",
        about: "Who provides subagents.",
        kind: Kind::Words(&[
            ("builtin", "The subagents that come with the sandbox."),
            ("pi-subagents", "The extension pi-subagents, whose workers run as processes of their own."),
            ("off", "No subagents."),
        ]),
    },
    values: &[SubagentProvider::Builtin, SubagentProvider::PiSubagents, SubagentProvider::Off],
};

pub(crate) const EXTERNAL_WORKER_ISOLATION: Choice<ExternalWorkerIsolation> = Choice {
    field: &Field {
        section: "subagents",
        name: "externalWorkerIsolation",
        expected: "off or enforce",
        about: "Whether workers that run as processes of their own must be sandboxed too.",
        kind: Kind::Words(&[
            ("off", "They need not be."),
            ("enforce", "They must be, and get their network policy from the supervisor."),
        ]),
    },
    values: &[ExternalWorkerIsolation::Off, ExternalWorkerIsolation::Enforce],
};

pub(crate) const ADDITIONAL_ALLOW_READ: Field = Field {
    section: "filesystem",
    name: "additionalAllowRead",
    expected: "an array of absolute paths",
    about: "Absolute paths that sandboxed commands may read as well.",
    kind: Kind::Paths,
};

pub(crate) const ALLOWED_DOMAINS: Field = Field {
    section: "network",
    name: List::Allowed.name(),
    expected: "an array of non-empty strings",
    about: "Hosts that may be reached without asking, such as `example.com`, `*.example.com` (every name below it, not \
            itself) or `example.com:443` (that port only). A host where anyone can upload lets data out.",
    kind: Kind::Domains(List::Allowed),
};
pub(crate) const DENIED_DOMAINS: Field = Field {
    section: "network",
    name: List::Denied.name(),
    expected: "an array of non-empty strings",
    about: "Hosts that are never reached. Wins over allowedDomains, however broad the entry. `*` denies every host.",
    kind: Kind::Domains(List::Denied),
};

pub(crate) const MODE: Choice<HostIpcMode> = Choice {
    field: &Field {
        section: "hostIPC",
        name: "mode",
        expected: "one of off, ask",
        about: "Whether to ask about commands that need a Unix socket of the host.",
        kind: Kind::Words(&[
            ("off", "Never: they fail."),
            ("ask", "Ask before such a command runs outside the sandbox."),
        ]),
    },
    values: &[HostIpcMode::Off, HostIpcMode::Ask],
};

pub(crate) const PREFLIGHT_COMMAND_PREFIXES: Field = Field {
    section: "hostIPC",
    name: "preflightCommandPrefixes",
    expected: "an array of non-empty strings",
    about: "Beginnings of commands to ask about before they run, such as `docker`. A prefix ends at the end of a word.",
    kind: Kind::Texts,
};

pub(crate) const RETRY_ON_UNIX_SOCKET_ERROR: Field = Field {
    section: "hostIPC",
    name: "retryOnUnixSocketError",
    expected: "a boolean",
    about: "Whether to offer a command that failed on a Unix socket again outside the sandbox.",
    kind: Kind::Flag,
};

impl Section {
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.fields.iter().map(|field| field.name)
    }
}

/// The keys that the object called `section` may have.
pub(crate) fn keys_of(section: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    let root = SECTIONS.into_iter().filter(move |_| section == ROOT).map(|section| section.name);
    root.chain(SECTIONS.into_iter().filter(move |known| known.name == section).flat_map(Section::keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_value() {
        let words = |field: &Field| match field.kind {
            Kind::Words(words) => words.len(),
            _ => 0,
        };
        assert_eq!(words(PROVIDER.field), PROVIDER.values.len());
        assert_eq!(words(EXTERNAL_WORKER_ISOLATION.field), EXTERNAL_WORKER_ISOLATION.values.len());
        assert_eq!(words(MODE.field), MODE.values.len());
    }

    #[test]
    fn a_field_names_its_section() {
        for section in SECTIONS {
            assert!(section.fields.iter().all(|field| field.section == section.name), "{}", section.name);
        }
    }
}
