//! One instance of the component, and what a failed call means.

use std::fmt;

use wasmtime::component::{Instance as Exports, InstancePre};
use wasmtime::{Error, Store, Trap};

use crate::bindings::{Policy as World, PolicyIndices};
use crate::error::{Failure, FailureKind};
use crate::limits::{KEPT_MEMORY, Meter, NoMemory, Steps};

/// What instances are made from.
pub(crate) struct Template {
    pub(crate) component: InstancePre<Meter>,
    pub(crate) exports: PolicyIndices,
    pub(crate) memory_limit: usize,
}

/// An instance with the memory of its own.
///
/// After a failed call its memory may hold anything, so it must not be called again: callers take an instance out
/// of where it is kept, call, and put it back only after success.
pub(crate) struct Instance {
    store: Store<Meter>,
    world: World,
}

/// What a call may use.
pub(crate) type Access<'a> = (&'a World, &'a mut Store<Meter>);

impl Template {
    /// Starts an instance.
    pub(crate) fn start(&self, deadline: Steps) -> Result<Instance, Failure> {
        let (store, exports) = self.instantiate(deadline)?;
        self.bind(store, exports).map_err(|error| failure(&error, FailureKind::Start))
    }

    pub(crate) fn instantiate(&self, Steps(deadline): Steps) -> Result<(Store<Meter>, Exports), Failure> {
        let mut store = Store::new(self.component.engine(), Meter::new(self.memory_limit));
        store.limiter(|meter| meter);
        // What an answer takes on this side is limited like what it took on the other.
        store.set_hostcall_fuel(self.memory_limit);
        store.set_epoch_deadline(deadline);
        let exports = self.component.instantiate(&mut store).map_err(|error| failure(&error, FailureKind::Start))?;
        Ok((store, exports))
    }

    /// Fails when the component's types are others than those of the world.
    pub(crate) fn bind(&self, mut store: Store<Meter>, exports: Exports) -> Result<Instance, Error> {
        let world = self.exports.load(&mut store, &exports)?;
        Ok(Instance { store, world })
    }
}

impl Instance {
    /// Calls into the instance. After an error the instance must be dropped.
    #[inline]
    pub(crate) fn call<T>(
        &mut self,
        Steps(deadline): Steps,
        call: impl FnOnce(Access<'_>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        self.store.set_epoch_deadline(deadline);
        call((&self.world, &mut self.store)).map_err(|error| failure(&error, FailureKind::Trap))
    }

    /// Whether the instance is small enough to be kept without a use for it.
    pub(crate) fn is_worth_keeping(&self) -> bool {
        self.store.data().memory <= KEPT_MEMORY
    }
}

/// What came back cannot be: says what.
#[derive(Debug)]
pub(crate) struct Contradiction(pub(crate) String);

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Contradiction {}

#[cold]
fn failure(error: &Error, otherwise: FailureKind) -> Failure {
    let kind = if error.is::<NoMemory>() {
        FailureKind::Memory
    } else if error.is::<Contradiction>() {
        FailureKind::Inconsistent
    } else {
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => FailureKind::Deadline,
            Some(_) => FailureKind::Trap,
            None => otherwise,
        }
    };
    Failure::new(kind, error.root_cause())
}
