//! What can go wrong: in an input, in a call, and when an engine is made.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::artifact::Digest;
use crate::decision::List;

/// Why there is no policy, no configuration, no state machine of the protocol, or no request of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The text is no valid configuration.
    Config(ConfigError),
    /// The lists hold an entry that is no domain pattern.
    Lists(ListsError),
    /// A supervisor, a worker or a request of it was not made: why, for a person.
    Refused(String),
    /// The engine could not answer.
    Failed(Failure),
}

/// Why a text is no configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// `invalid JSON`, or `invalid pi-sandbox configuration: ` and the first check that failed. Programs may
    /// compare it.
    pub message: String,
    /// Where reading stopped, when the text is not JSON.
    pub position: Option<Position>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Offset in bytes, from 0.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Why two lists make no policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListsError {
    /// The reason, for a person.
    pub message: String,
    /// The list and the index of the first entry that is refused; `None` when the lists are too long altogether.
    pub entry: Option<(List, usize)>,
}

/// The engine could not answer a call: a trap, the deadline, the memory limit.
///
/// The instance that failed is gone; the next call gets another and is not affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    detail: String,
}

/// What stopped a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The call took longer than the engine allows.
    Deadline,
    /// The call needed more memory than the engine allows, or than the system gives.
    Memory,
    /// The component trapped otherwise: a stack overflow, a defect.
    Trap,
    /// No instance could be started, most often for lack of address space.
    Start,
    /// What came back cannot be: a policy that was loaded again is another one than before, or a batch has the
    /// wrong number of answers. Never seen with a component of this project.
    Inconsistent,
}

/// Why there is no engine.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A file could not be read.
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes are no WebAssembly component, or one that cannot be compiled.
    Compile {
        /// What the compiler said.
        detail: String,
    },
    /// A component that is not of the world `pi-sandbox:policy/policy`: it imports something, or lacks an export.
    World {
        /// The import or export.
        detail: String,
    },
    /// A precompiled component has another digest than the caller expects: it was damaged or exchanged.
    Digest {
        /// What the caller expects.
        expected: Digest,
        /// What the bytes have.
        found: Digest,
    },
    /// The bytes have the expected digest, but are no precompiled component of this crate and version.
    NotPrecompiled,
    /// A precompiled component that was made for another machine, or with another release of wasmtime.
    Incompatible {
        /// What differs.
        detail: String,
    },
    /// A setting that cannot work.
    Setting {
        /// The builder's method.
        name: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// The thread that watches the deadlines cannot be started.
    Thread(io::Error),
    /// The first instance, started to see whether the settings work, failed.
    Start(Failure),
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, detail: impl fmt::Display) -> Self {
        Self { kind, detail: detail.to_string() }
    }

    /// What stopped the call.
    pub const fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Lists(error) => error.fmt(f),
            Self::Refused(reason) => f.write_str(reason),
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.position {
            Some(Position { line, column, .. }) => write!(f, " at line {line}, column {column}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ListsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FailureKind::Deadline => "the policy engine ran out of time",
            FailureKind::Memory => "the policy engine ran out of memory",
            FailureKind::Trap => "the policy engine trapped",
            FailureKind::Start => "the policy engine cannot start an instance",
            FailureKind::Inconsistent => "the policy engine contradicts itself",
        };
        write!(f, "{kind}: {}", self.detail)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Compile { detail } => write!(f, "cannot compile the component: {detail}"),
            Self::World { detail } => write!(f, "not a component of the world pi-sandbox:policy/policy: {detail}"),
            Self::Digest { expected, found } => {
                write!(f, "the precompiled component has the digest {found}, not {expected}")
            }
            Self::NotPrecompiled => f.write_str("not a component precompiled by this version of policy-host"),
            Self::Incompatible { detail } => write!(f, "precompiled for something else: {detail}"),
            Self::Setting { name, needs } => write!(f, "the setting {name} needs {needs}"),
            Self::Thread(source) => write!(f, "cannot start the thread that watches the deadlines: {source}"),
            Self::Start(failure) => write!(f, "the component does not run with these settings: {failure}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Lists(error) => Some(error),
            Self::Refused(_) => None,
            Self::Failed(failure) => Some(failure),
        }
    }
}

impl std::error::Error for ConfigError {}

impl std::error::Error for ListsError {}

impl std::error::Error for Failure {}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } | Self::Thread(source) => Some(source),
            Self::Start(failure) => Some(failure),
            _ => None,
        }
    }
}
