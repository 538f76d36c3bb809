//! The interface `compare`.

use policy_core as core;

use crate::bindings::exports::pi_sandbox::policy::compare as wit;
use crate::bindings::exports::pi_sandbox::policy::network::NetworkPolicyBorrow;
use crate::{Component, Policy};

impl wit::Guest for Component {
    fn compare(old: NetworkPolicyBorrow<'_>, new: NetworkPolicyBorrow<'_>) -> wit::Comparison {
        let (Policy { policy: old, .. }, Policy { policy: new, .. }) = (old.get(), new.get());
        let core::Comparison { relation, narrower, wider } = core::compare(old, new);
        wit::Comparison {
            relation: relation.into(),
            narrower: narrower.into_iter().map(wit::Witness::from).collect(),
            wider: wider.into_iter().map(wit::Witness::from).collect(),
        }
    }

    fn is_no_wider_than(policy: NetworkPolicyBorrow<'_>, other: NetworkPolicyBorrow<'_>) -> bool {
        let (Policy { policy, .. }, Policy { policy: other, .. }) = (policy.get(), other.get());
        policy.is_no_wider_than(other)
    }
}

impl From<core::Relation> for wit::Relation {
    fn from(relation: core::Relation) -> Self {
        match relation {
            core::Relation::Equal => Self::Equal,
            core::Relation::Narrower => Self::Narrower,
            core::Relation::Wider => Self::Wider,
            core::Relation::Incomparable => Self::Incomparable,
        }
    }
}

impl From<core::Witness> for wit::Witness {
    fn from(witness: core::Witness) -> Self {
        let core::Witness { host, port, old, new } = witness;
        Self { host, port, old: old.into(), new: new.into() }
    }
}
