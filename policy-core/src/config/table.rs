//! Names, choices and wording of the configuration document: the one place to change them.

use super::{ExternalWorkerIsolation, HostIpcMode, SubagentProvider};
use crate::pattern::List;

/// One object of the document and the keys it may have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) keys: &'static [&'static str],
}

/// A field of a section; `expected` completes the sentence "must be …".
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    pub(super) expected: &'static str,
}

/// A field that takes one of a few words; the first is the default.
pub(super) struct Choice<T: 'static> {
    pub(super) field: Field,
    pub(super) words: &'static [(&'static str, T)],
}

pub(super) const ROOT: Section = Section { name: "root", keys: &["subagents", "filesystem", "network", "hostIPC"] };

pub(super) const SUBAGENTS: Section = Section { name: "subagents", keys: &["provider", "externalWorkerIsolation"] };
pub(super) const FILESYSTEM: Section = Section { name: "filesystem", keys: &["additionalAllowRead"] };
pub(super) const NETWORK: Section = Section { name: "network", keys: &["allowedDomains", "deniedDomains"] };
pub(super) const HOST_IPC: Section =
    Section { name: "hostIPC", keys: &["mode", "preflightCommandPrefixes", "retryOnUnixSocketError"] };

pub(super) const PROVIDER: Choice<SubagentProvider> = Choice {
    field: Field { section: "subagents", name: "provider", expected: "one of builtin, pi-subagents, off" },
    words: &[
        ("builtin", SubagentProvider::Builtin),
        ("pi-subagents", SubagentProvider::PiSubagents),
        ("off", SubagentProvider::Off),
    ],
};

pub(super) const EXTERNAL_WORKER_ISOLATION: Choice<ExternalWorkerIsolation> = Choice {
    field: Field { section: "subagents", name: "externalWorkerIsolation", expected: "off or enforce" },
    words: &[("off", ExternalWorkerIsolation::Off), ("enforce", ExternalWorkerIsolation::Enforce)],
};

pub(super) const ADDITIONAL_ALLOW_READ: Field =
    Field { section: "filesystem", name: "additionalAllowRead", expected: "an array of absolute paths" };

pub(super) const ALLOWED_DOMAINS: Field =
    Field { section: "network", name: List::Allowed.name(), expected: "an array of non-empty strings" };
pub(super) const DENIED_DOMAINS: Field =
    Field { section: "network", name: List::Denied.name(), expected: "an array of non-empty strings" };

pub(super) const MODE: Choice<HostIpcMode> = Choice {
    field: Field { section: "hostIPC", name: "mode", expected: "one of off, ask" },
    words: &[("off", HostIpcMode::Off), ("ask", HostIpcMode::Ask)],
};

pub(super) const PREFLIGHT_COMMAND_PREFIXES: Field =
    Field { section: "hostIPC", name: "preflightCommandPrefixes", expected: "an array of non-empty strings" };

pub(super) const RETRY_ON_UNIX_SOCKET_ERROR: Field =
    Field { section: "hostIPC", name: "retryOnUnixSocketError", expected: "a boolean" };
