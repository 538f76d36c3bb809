//! A state machine of the protocol, in an instance of its own.

use wasmtime::Error as WasmtimeError;
use wasmtime::component::ResourceAny;

use crate::engine::PolicyEngine;
use crate::error::{Failure, FailureKind};
use crate::instance::{Access, Instance};

/// What it remembers is in its instance only, so that a failed call is its end: nobody can know what it would have
/// answered, and every later call gets the same failure.
pub(crate) struct Machine {
    engine: PolicyEngine,
    state: Result<Box<Running>, Failure>,
}

struct Running {
    instance: Instance,
    resource: ResourceAny,
}

type Answer<T> = Result<T, WasmtimeError>;

impl Machine {
    /// Makes one; the inner error is an answer of the component.
    pub(crate) fn make<E>(
        engine: &PolicyEngine,
        create: impl FnOnce(Access<'_>) -> Answer<Result<ResourceAny, E>>,
    ) -> Result<Result<Self, E>, Failure> {
        let make = || {
            let mut instance = engine.instance()?;
            Ok(match instance.call(engine.load_deadline(), create)? {
                Ok(resource) => {
                    Ok(Self { engine: engine.clone(), state: Ok(Box::new(Running { instance, resource })) })
                }
                Err(error) => {
                    engine.retire(instance);
                    Err(error)
                }
            })
        };
        engine.count(make())
    }

    /// Calls it. After a failure it is gone, with its instance.
    pub(crate) fn call<T>(&mut self, call: impl FnOnce(Access<'_>, ResourceAny) -> Answer<T>) -> Result<T, Failure> {
        // Taken out, and put back only after success: a panic counts as a failure, too.
        let abandoned = Failure::new(FailureKind::Trap, "a call was not finished");
        let mut running = std::mem::replace(&mut self.state, Err(abandoned)).inspect_err(|failure| {
            self.state = Err(failure.clone());
        })?;
        let Running { instance, resource } = &mut *running;
        // The longer one: what is lost here is lost for good, and a starved machine must not look like a hang.
        let answer = instance.call(self.engine.load_deadline(), |access| call(access, *resource));
        self.state = match &answer {
            Ok(_) => Ok(running),
            Err(failure) => Err(failure.clone()),
        };
        self.engine.count(answer)
    }

    /// Why it has ended, if it has.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        self.state.as_ref().err()
    }
}
