//! The kinds of problems.

use serde::ser::{Serialize, Serializer};

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

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $severity:ident,)+) => {
        /// The kind of a problem. A code never changes its meaning (SPEC DIAGNOSTIC-6).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, the errors first.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The code in kebab case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// How much problems of this kind matter.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }
        }
    };
}

codes! {
    /// The text is not JSON.
    InvalidJson "invalid-json" Error,
    /// The document or a section is no object.
    NotAnObject "not-an-object" Error,
    /// An object has a key that nothing reads.
    UnknownKey "unknown-key" Error,
    /// A value is of another JSON type than it must be.
    WrongType "wrong-type" Error,
    /// A field that takes one of a few words has another.
    UnknownWord "unknown-word" Error,
    /// An item of a list is empty or white space.
    BlankItem "blank-item" Error,
    /// A path does not begin with `/`.
    RelativePath "relative-path" Error,
    /// A domain entry is a URL or has a user name or path.
    EntryUrl "entry-url" Error,
    /// A domain entry is a network prefix.
    EntryAddressRange "entry-address-range" Error,
    /// A domain entry is an IPv6 address.
    EntryIpv6 "entry-ipv6" Error,
    /// A `*` stands elsewhere than in front.
    EntryWildcard "entry-wildcard" Error,
    /// A wildcard covers a whole top-level domain, or every allowed host.
    EntryTooBroad "entry-too-broad" Error,
    /// What follows the `:` is no port.
    EntryPort "entry-port" Error,
    /// A dot at an end, or two in a row.
    EntryDot "entry-dot" Error,
    /// A name without a dot.
    EntrySingleLabel "entry-single-label" Error,
    /// Letters outside ASCII.
    EntryNotAscii "entry-not-ascii" Error,
    /// A character that no host name has.
    EntryCharacter "entry-character" Error,
    /// A label that DNS does not allow.
    EntryLabel "entry-label" Error,
    /// A name that is too long.
    EntryTooLong "entry-too-long" Error,
    /// A key is there twice (SPEC LINT-2).
    DuplicateKey "duplicate-key" Warning,
    /// An entry is there twice (SPEC LINT-3).
    DuplicatePattern "duplicate-pattern" Info,
    /// Everything an allowed entry could allow is denied (SPEC LINT-4).
    ShadowedAllow "shadowed-allow" Warning,
    /// An entry changes nothing (SPEC LINT-5).
    RedundantPattern "redundant-pattern" Info,
    /// An entry matches nothing as it stands (SPEC LINT-6).
    DeadPattern "dead-pattern" Warning,
    /// A wildcard leaves its base out (SPEC LINT-7).
    ApexNotCovered "apex-not-covered" Info,
    /// Anyone can upload to an allowed host (SPEC LINT-8).
    MultiTenantHost "multi-tenant-host" Warning,
    /// Anyone can register below an allowed wildcard (SPEC LINT-9).
    PublicSuffixWildcard "public-suffix-wildcard" Warning,
    /// An allowed address is not public (SPEC LINT-10).
    PrivateAddress "private-address" Warning,
    /// A package index is allowed without the host of its files (SPEC LINT-11).
    CompanionHost "companion-host" Info,
    /// No supervisor can send the policy (SPEC LINT-12).
    TransportTooLarge "transport-too-large" Warning,
    /// More problems were found than are listed (SPEC DIAGNOSTIC-9).
    MoreProblems "more-problems" Info,
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
