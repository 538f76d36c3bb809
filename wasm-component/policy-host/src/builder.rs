//! Making an engine.

use std::fmt;
use std::thread;
use std::time::Duration;

use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::artifact::Artifact;
use crate::bindings::PolicyIndices;
use crate::engine::{OnFailure, Parts, PolicyEngine};
use crate::error::{BuildError, Failure};
use crate::instance::Template;
use crate::limits::{CALL_DEADLINE, Deadlines, LOAD_DEADLINE, MEMORY_LIMIT};
use crate::precompiled;
use crate::ticker::Ticker;

/// Settings of a [`PolicyEngine`]; every one has a sane default.
///
/// ```
/// # #[cfg(feature = "bundled")] {
/// use std::time::Duration;
/// use policy_host::{Artifact, PolicyEngine};
///
/// let engine = PolicyEngine::builder(Artifact::bundled())
///     .deadline(Duration::from_millis(100))
///     .memory_limit(64 << 20)
///     .on_failure(|failure| eprintln!("denied: {failure}"))
///     .build()?;
/// # }
/// # Ok::<(), policy_host::BuildError>(())
/// ```
#[must_use]
pub struct Builder {
    artifact: Artifact,
    deadline: Duration,
    load_deadline: Duration,
    memory_limit: usize,
    instances_per_policy: usize,
    idle_instances: usize,
    on_failure: Option<OnFailure>,
}

impl Builder {
    pub(crate) fn new(artifact: Artifact) -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self {
            artifact,
            deadline: CALL_DEADLINE,
            load_deadline: LOAD_DEADLINE,
            memory_limit: MEMORY_LIMIT,
            instances_per_policy: threads,
            idle_instances: threads,
            on_failure: None,
        }
    }

    /// How long a decision or another short question may take; 1 s by default. It is a guard against a component
    /// that hangs, checked a few times within the duration: a call may take up to a quarter longer.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How long reading a configuration or a policy may take; 10 s by default.
    ///
    /// It counts also for a decision that has to load its policy into a further instance first, and for each step of a
    /// supervisor or a worker, whose instance cannot be replaced.
    pub fn load_deadline(mut self, deadline: Duration) -> Self {
        self.load_deadline = deadline;
        self
    }

    /// Linear memory of one instance, in bytes; 256 MiB by default. Only what a policy really needs is taken: a
    /// small one stays near 1 MiB, one of a million entries takes less than 160 MiB while it is read.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// How many threads can ask one policy at the same moment; by default as many as the machine runs. Further ones
    /// wait for each other.
    ///
    /// Each of these instances holds the policy once more. They are started only when threads really meet.
    pub fn instances_per_policy(mut self, count: usize) -> Self {
        self.instances_per_policy = count;
        self
    }

    /// How many instances are kept although nothing uses them, for new policies and for questions without a policy;
    /// by default as many as the machine runs threads. An instance that grew over 8 MiB is never kept so.
    pub fn idle_instances(mut self, count: usize) -> Self {
        self.idle_instances = count;
        self
    }

    /// Is told of every call that fails, also of one that only shows as a denial. It runs on the thread of that
    /// call and should be quick.
    pub fn on_failure(mut self, tell: impl Fn(&Failure) + Send + Sync + 'static) -> Self {
        self.on_failure = Some(Box::new(tell));
        self
    }

    /// Compiles or loads the component and starts a first instance.
    ///
    /// # Errors
    /// [`BuildError`] says what is wrong with the component, the settings or the machine.
    pub fn build(self) -> Result<PolicyEngine, BuildError> {
        let deadlines = self.deadlines()?;
        let engine = Engine::new(&precompiled::settings()).map_err(incompatible)?;
        let ticker = Ticker::start(engine.clone(), deadlines.period).map_err(BuildError::Thread)?;
        let component = self.artifact.load(&engine)?;
        // A linker with nothing in it: what the component imports it does not get.
        let component = Linker::new(&engine).instantiate_pre(&component).map_err(another_world)?;
        let exports = PolicyIndices::new(&component).map_err(another_world)?;
        let template = Template { component, exports, memory_limit: self.memory_limit };
        let (store, instance) = template.instantiate(deadlines.load).map_err(BuildError::Start)?;
        let first = template.bind(store, instance).map_err(another_world)?;
        Ok(PolicyEngine::from_parts(Parts {
            template,
            first,
            deadlines,
            instances_per_policy: self.instances_per_policy,
            idle_limit: self.idle_instances,
            on_failure: self.on_failure,
            ticker,
        }))
    }

    fn deadlines(&self) -> Result<Deadlines, BuildError> {
        if self.instances_per_policy == 0 {
            return Err(BuildError::Setting { name: "instances_per_policy", needs: "at least one" });
        }
        for (name, deadline) in [("deadline", self.deadline), ("load_deadline", self.load_deadline)] {
            if deadline < Duration::from_millis(1) {
                return Err(BuildError::Setting { name, needs: "at least a millisecond" });
            }
        }
        Ok(Deadlines::new(self.deadline, self.load_deadline))
    }
}

fn another_world(error: wasmtime::Error) -> BuildError {
    BuildError::World { detail: format!("{error:#}") }
}

/// The settings are fixed, so it is the machine that lacks something.
fn incompatible(error: wasmtime::Error) -> BuildError {
    BuildError::Incompatible { detail: format!("{error:#}") }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("artifact", &self.artifact)
            .field("deadline", &self.deadline)
            .field("load_deadline", &self.load_deadline)
            .field("memory_limit", &self.memory_limit)
            .field("instances_per_policy", &self.instances_per_policy)
            .field("idle_instances", &self.idle_instances)
            .finish_non_exhaustive()
    }
}
