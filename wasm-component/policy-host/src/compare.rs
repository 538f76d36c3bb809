//! What a change of the policy does.

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use crate::bindings::exports::pi_sandbox::policy::compare::{self as wit, Guest};
use crate::decision::Action;
use crate::error::Failure;
use crate::limits::Meter;
use crate::policy::{Answer, Policy};

/// How two policies differ, with proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Of the new policy to the old one.
    pub relation: Relation,
    /// Destinations to which the new policy gives less access.
    pub narrower: Vec<Witness>,
    /// Destinations to which the new policy gives more access.
    pub wider: Vec<Witness>,
}

/// How much access one policy gives, seen from another, over every host and every port from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The same everywhere.
    Equal,
    /// Less somewhere, nowhere more.
    Narrower,
    /// More somewhere, nowhere less.
    Wider,
    /// More somewhere and less elsewhere.
    Incomparable,
}

/// A destination that two policies decide differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// A host, as one can ask for it.
    pub host: String,
    /// A port.
    pub port: u16,
    /// What the old policy says.
    pub old: Action,
    /// What the new policy says.
    pub new: Action,
}

impl Policy {
    /// Compares this policy, the old one, with a new one, exactly: every destination that they decide differently
    /// has a witness of its kind.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn compare(&self, new: &Self) -> Result<Comparison, Failure> {
        self.beside(new, |compare, store, old, new| compare.call_compare(store, old, new)).map(Comparison::from)
    }

    /// Whether this policy gives no destination more access than `other`: what a supervisor can ask of a worker's
    /// policy.
    ///
    /// `false`, too, when the engine cannot answer.
    pub fn is_no_wider_than(&self, other: &Self) -> bool {
        self.beside(other, |compare, store, policy, other| compare.call_is_no_wider_than(store, policy, other))
            .unwrap_or(false)
    }

    /// Asks in an instance that holds two policies.
    fn beside<T>(
        &self,
        other: &Self,
        question: impl FnOnce(&Guest, &mut Store<Meter>, ResourceAny, ResourceAny) -> Answer<T>,
    ) -> Result<T, Failure> {
        let engine = self.engine();
        engine.run(engine.load_deadline(), |(world, store)| {
            let own = self.load_into(world, store)?;
            let others = other.load_into(world, store)?;
            let answer = question(world.pi_sandbox_policy_compare(), store, own, others)?;
            own.resource_drop(&mut *store)?;
            others.resource_drop(store)?;
            Ok(answer)
        })
    }
}

impl Relation {
    /// `equal`, `narrower`, `wider` or `incomparable`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Incomparable => "incomparable",
        }
    }
}

impl From<wit::Comparison> for Comparison {
    fn from(comparison: wit::Comparison) -> Self {
        let wit::Comparison { relation, narrower, wider } = comparison;
        Self {
            relation: match relation {
                wit::Relation::Equal => Relation::Equal,
                wit::Relation::Narrower => Relation::Narrower,
                wit::Relation::Wider => Relation::Wider,
                wit::Relation::Incomparable => Relation::Incomparable,
            },
            narrower: narrower.into_iter().map(Witness::from).collect(),
            wider: wider.into_iter().map(Witness::from).collect(),
        }
    }
}

impl From<wit::Witness> for Witness {
    fn from(witness: wit::Witness) -> Self {
        let wit::Witness { host, port, old, new } = witness;
        Self { host, port, old: old.into(), new: new.into() }
    }
}
