//! A validated and compiled pair of lists.

use alloc::string::String;
use core::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::decision::Rule;
use crate::fingerprint::{Fingerprint, canonical_json};
use crate::host::CanonicalHost;
use crate::index::{Entries, EntriesTooLong, FirstMatches, Index};
use crate::pattern::{DomainPattern, List, Profile};

/// The two lists of a network policy, every entry valid, compiled for look-ups. Immutable; made
/// by [`Config::parse`](crate::Config::parse), [`from_transport`](Self::from_transport) or
/// [`from_lists`](Self::from_lists). Serialises as its canonical JSON object.
#[derive(Clone)]
pub struct NetworkPolicy {
    entries: Entries,
    index: Index,
    fingerprint: Fingerprint,
}

/// Why two lists make no policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidLists {
    /// An entry that the transport profile refuses.
    Pattern {
        /// The list it stands in.
        list: List,
        /// Its index in that list, from 0.
        index: usize,
    },
    /// The entries take more than 1 GiB together.
    TooLong,
}

impl fmt::Display for InvalidLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { list, index } => write!(f, "network.{list}[{index}] contains an invalid domain pattern"),
            Self::TooLong => f.write_str("the domain lists are too long"),
        }
    }
}

impl core::error::Error for InvalidLists {}

impl NetworkPolicy {
    /// A policy from lists that need only the transport profile (PATTERN-7, PATTERN-8, PATTERN-9, PATTERN-10,
    /// PATTERN-11, PATTERN-12); nothing is trimmed or deduplicated.
    ///
    /// # Errors
    /// [`InvalidLists`] names the first entry that is refused, allowed list first.
    pub fn from_lists<'a, A, D>(allowed: A, denied: D) -> Result<Self, InvalidLists>
    where
        A: IntoIterator<Item = &'a str>,
        A::IntoIter: Clone,
        D: IntoIterator<Item = &'a str>,
        D::IntoIter: Clone,
    {
        let (allowed, denied) = (allowed.into_iter(), denied.into_iter());
        first_invalid(allowed.clone(), List::Allowed)?;
        first_invalid(denied.clone(), List::Denied)?;
        Self::compile(allowed, denied).map_err(|EntriesTooLong| InvalidLists::TooLong)
    }

    /// The policy that denies everything: what a worker runs when it was sent no policy it
    /// understands (TRANSPORT-4).
    pub fn deny_all() -> Self {
        Self::from_entries(Entries::deny_all())
    }

    /// For lists whose entries were already judged.
    pub(crate) fn compile<'a>(
        allowed: impl IntoIterator<Item = &'a str>,
        denied: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, EntriesTooLong> {
        Entries::new(denied, allowed).map(Self::from_entries)
    }

    fn from_entries(mut entries: Entries) -> Self {
        let fingerprint = Fingerprint::of(&entries);
        let index = Index::new(&mut entries, fingerprint.seed());
        Self { entries, index, fingerprint }
    }

    /// The entries of `allowedDomains` as written.
    pub fn allowed_domains(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.entries.list(List::Allowed)
    }

    /// The entries of `deniedDomains` as written.
    pub fn denied_domains(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.entries.list(List::Denied)
    }

    /// The identity of the policy: the same on every host that runs the same lists.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The canonical JSON that the fingerprint is taken of.
    pub fn to_json(&self) -> String {
        canonical_json(&self.entries)
    }

    pub(crate) fn list(&self, list: List) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.entries.list(list)
    }

    #[inline]
    pub(crate) fn first_matches(&self, host: &CanonicalHost, port: u16) -> FirstMatches {
        self.index.first_matches(&self.entries, host, port)
    }

    #[inline]
    pub(crate) fn rule(&self, list: List, index: usize) -> Rule<'_> {
        Rule { list, index, pattern: self.entries.get(list, index) }
    }
}

fn first_invalid<'a>(mut texts: impl Iterator<Item = &'a str>, list: List) -> Result<(), InvalidLists> {
    let invalid = texts.position(|text| DomainPattern::parse(text, list, Profile::Transport).is_err());
    invalid.map_or(Ok(()), |index| Err(InvalidLists::Pattern { list, index }))
}

impl fmt::Debug for NetworkPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkPolicy({})", self.to_json())
    }
}

impl PartialEq for NetworkPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
    }
}

impl Eq for NetworkPolicy {}

impl Serialize for NetworkPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut lists = serializer.serialize_struct("NetworkPolicy", 2)?;
        for list in [List::Allowed, List::Denied] {
            lists.serialize_field(list.name(), &ListOf { entries: &self.entries, list })?;
        }
        lists.end()
    }
}

struct ListOf<'a> {
    entries: &'a Entries,
    list: List,
}

impl Serialize for ListOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.entries.list(self.list))
    }
}

/// No entry: denies what is not public and reviews the rest.
impl Default for NetworkPolicy {
    fn default() -> Self {
        Self::from_entries(Entries::default())
    }
}
