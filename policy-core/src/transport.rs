//! The policy that a supervisor sends to a worker (spec page `transport`).
//!
//! SPEC TRANSPORT-5, TRANSPORT-6: true of the whole module.

use alloc::vec::Vec;

use crate::json::{self, Value};
use crate::pattern::{DomainPattern, List, Profile};
use crate::policy::NetworkPolicy;

impl NetworkPolicy {
    /// Decodes the `network` member of a registration reply from its JSON text.
    ///
    /// SPEC TRANSPORT-4: anything but an object with exactly two lists of valid entries is the deny-all policy: a
    /// worker has no error that it could ignore.
    pub fn from_transport(text: &str) -> Self {
        json::parse(text).ok().and_then(|value| decode(&value)).unwrap_or_else(Self::deny_all)
    }
}

/// SPEC TRANSPORT-1, TRANSPORT-2, TRANSPORT-3
pub(crate) fn decode(value: &Value<'_>) -> Option<NetworkPolicy> {
    let object = value.as_object()?;
    if object.len() != 2 {
        return None;
    }
    let allowed = read_list(object.get(List::Allowed.name())?, List::Allowed)?;
    let denied = read_list(object.get(List::Denied.name())?, List::Denied)?;
    NetworkPolicy::compile(allowed, denied).ok()
}

fn read_list<'v>(value: &'v Value<'_>, list: List) -> Option<Vec<&'v str>> {
    let valid =
        |item: &'v Value<'_>| item.as_str().filter(|text| DomainPattern::parse(text, list, Profile::Transport).is_ok());
    value.as_array()?.iter().map(valid).collect()
}
