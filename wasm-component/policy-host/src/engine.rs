//! The engine: one compiled component, its instances, and the questions that need no policy.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wasmtime::Error as WasmtimeError;

use crate::artifact::Artifact;
use crate::builder::Builder;
use crate::config::Config;
use crate::decision::List;
use crate::diagnostics::{Place, Validation};
use crate::error::{Error, Failure};
use crate::instance::{Access, Instance, Template};
use crate::limits::{Deadlines, Steps};
use crate::protocol::SupervisorOptions;
use crate::text::{cut_host, texts};
use crate::ticker::Ticker;

/// Runs the component. One per process is enough: it is shared by all policies and threads, and a clone is
/// another handle to the same engine.
///
/// ```
/// # #[cfg(feature = "bundled")] {
/// use policy_host::PolicyEngine;
///
/// let engine = PolicyEngine::new()?;
/// assert_eq!(engine.canonicalize_host("0x7f.1")?.as_deref(), Some("127.0.0.1"));
/// assert!(!engine.is_public_address("::ffff:10.0.0.1"));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PolicyEngine {
    shared: Arc<Shared>,
}

struct Shared {
    template: Template,
    deadlines: Deadlines,
    instances_per_policy: usize,
    idle: Idle,
    counters: Counters,
    on_failure: Option<OnFailure>,
    /// Ends its thread when the engine goes.
    _ticker: Ticker,
}

pub(crate) type OnFailure = Box<dyn Fn(&Failure) + Send + Sync>;

/// Instances that nobody uses.
struct Idle {
    instances: Mutex<Vec<Instance>>,
    limit: usize,
}

#[derive(Default)]
struct Counters {
    started: AtomicU64,
    reused: AtomicU64,
    failed: AtomicU64,
    reloaded: AtomicU64,
}

/// What an engine did so far; for a monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Instances that were started.
    pub started: u64,
    /// Idle instances that were put to use again.
    pub reused: u64,
    /// Calls that failed: each also discarded its instance.
    pub failed: u64,
    /// Policies that were loaded into a further instance, after a failure or because several threads asked at
    /// once.
    pub reloaded: u64,
    /// Instances that are idle now.
    pub idle: usize,
}

/// What the builder made.
pub(crate) struct Parts {
    pub(crate) template: Template,
    pub(crate) first: Instance,
    pub(crate) deadlines: Deadlines,
    pub(crate) instances_per_policy: usize,
    pub(crate) idle_limit: usize,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) ticker: Ticker,
}

impl PolicyEngine {
    /// An engine with the component that is inside this crate and the default limits.
    ///
    /// Compiling the component takes tens of milliseconds; [`Artifact::precompile`] saves them.
    ///
    /// # Errors
    /// The system gives no thread or no memory.
    #[cfg(all(feature = "bundled", bundled_component))]
    pub fn new() -> Result<Self, crate::error::BuildError> {
        Self::builder(Artifact::bundled()).build()
    }

    /// An engine with other limits or another component.
    pub fn builder(artifact: Artifact) -> Builder {
        Builder::new(artifact)
    }

    /// Reads a configuration from the text of its file.
    ///
    /// # Errors
    /// [`Error::Config`] with the first check that fails, or [`Error::Failed`].
    pub fn parse_config(&self, text: &str) -> Result<Config, Error> {
        let parsed = self.run(self.load_deadline(), |(world, store)| {
            world.pi_sandbox_policy_config().call_parse_config(store, text)
        })?;
        parsed.map(Config::from).map_err(|error| Error::Config(error.into()))
    }

    /// The JSON Schema (draft 2020-12) of the configuration document, as text: for editors.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn config_schema(&self) -> Result<String, Failure> {
        self.ask(|(world, store)| world.pi_sandbox_policy_config().call_config_schema(store))
    }

    /// Finds every problem of a configuration text: its errors or, when there are none, its lints.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn validate_config(&self, text: &str) -> Result<Validation, Failure> {
        self.run(self.load_deadline(), |(world, store)| {
            world.pi_sandbox_policy_diagnostics().call_validate_config(store, text)
        })
        .map(Validation::from)
    }

    /// Where the entry stands in a configuration text that is number `index` of a list in its policy, whose numbers
    /// are others than those of the text: it has no blanks around entries and no repetitions.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn locate_entry(&self, text: &str, list: List, index: usize) -> Result<Option<Place>, Failure> {
        let Ok(index) = u32::try_from(index) else { return Ok(None) };
        self.run(self.load_deadline(), |(world, store)| {
            world.pi_sandbox_policy_diagnostics().call_locate_entry(store, text, list.into(), index)
        })
        .map(|place| place.map(Place::from))
    }

    /// The options that a [`Supervisor`](crate::Supervisor) has by default, to be changed where a program chooses
    /// otherwise.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn supervisor_options(&self) -> Result<SupervisorOptions, Failure> {
        self.ask(|(world, store)| world.pi_sandbox_policy_supervisor().call_default_options(store))
            .map(SupervisorOptions::from)
    }

    /// The canonical form of a host: the one spelling that the operating system would connect to. `None` when the
    /// text is no host.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn canonicalize_host(&self, host: &str) -> Result<Option<String>, Failure> {
        let host = cut_host(host);
        self.ask(|(world, store)| world.pi_sandbox_policy_hosts().call_canonicalize_host(store, host))
    }

    /// The public hostname in a text: trimmed, lower-case, without one trailing dot. `None` when it is none.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn normalize_public_hostname(&self, host: &str) -> Result<Option<String>, Failure> {
        self.ask(|(world, store)| world.pi_sandbox_policy_hosts().call_normalize_public_hostname(store, host))
    }

    /// Whether a resolved address may be reached: a bare IP literal of a public network.
    ///
    /// `false`, too, when the engine cannot answer.
    pub fn is_public_address(&self, address: &str) -> bool {
        self.ask(|(world, store)| world.pi_sandbox_policy_hosts().call_is_public_address(store, address))
            .unwrap_or(false)
    }

    /// Whether a name that resolved to these addresses may be reached: there is at least one, and every one is
    /// public.
    ///
    /// `false`, too, when the engine cannot answer.
    pub fn check_addresses<S: AsRef<str>>(&self, addresses: &[S]) -> bool {
        let addresses = texts(addresses);
        self.ask(|(world, store)| world.pi_sandbox_policy_hosts().call_check_addresses(store, &addresses))
            .unwrap_or(false)
    }

    /// The first of the prefixes that the trimmed command starts with and that is followed by the end or by white
    /// space.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer: not the same as a command that needs no question.
    pub fn matching_preflight_prefix<S: AsRef<str>>(
        &self,
        command: &str,
        prefixes: &[S],
    ) -> Result<Option<String>, Failure> {
        let prefixes = texts(prefixes);
        self.ask(|(world, store)| {
            world.pi_sandbox_policy_host_ipc().call_matching_preflight_prefix(store, command, &prefixes)
        })
    }

    /// Whether the standard error of a command speaks of a Unix socket that the sandbox refused.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn is_unix_socket_permission_error(&self, stderr: &str) -> Result<bool, Failure> {
        self.ask(|(world, store)| {
            world.pi_sandbox_policy_host_ipc().call_is_unix_socket_permission_error(store, stderr)
        })
    }

    /// What the engine did so far.
    pub fn stats(&self) -> Stats {
        let Counters { started, reused, failed, reloaded } = &self.shared.counters;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            started: count(started),
            reused: count(reused),
            failed: count(failed),
            reloaded: count(reloaded),
            idle: self.shared.idle.lock().len(),
        }
    }

    /// The engine below, for a program that runs components of its own on it. Its epoch moves several times a
    /// second and its `Config` belongs to this crate.
    #[cfg(feature = "wasmtime")]
    pub fn wasmtime(&self) -> &wasmtime::Engine {
        self.shared.template.component.engine()
    }

    pub(crate) fn from_parts(parts: Parts) -> Self {
        let Parts { template, first, deadlines, instances_per_policy, idle_limit, on_failure, ticker } = parts;
        let idle = Idle { instances: Mutex::default(), limit: idle_limit };
        let counters = Counters { started: AtomicU64::new(1), ..Counters::default() };
        let shared = Shared { template, deadlines, instances_per_policy, idle, counters, on_failure, _ticker: ticker };
        let engine = Self { shared: Arc::new(shared) };
        engine.retire(first);
        engine
    }

    /// A short call on an idle instance.
    fn ask<T>(&self, call: impl FnOnce(Access<'_>) -> Result<T, WasmtimeError>) -> Result<T, Failure> {
        self.run(self.call_deadline(), call)
    }

    /// A call on an idle instance.
    pub(crate) fn run<T>(
        &self,
        deadline: Steps,
        call: impl FnOnce(Access<'_>) -> Result<T, WasmtimeError>,
    ) -> Result<T, Failure> {
        let run = || {
            let mut instance = self.instance()?;
            let answer = instance.call(deadline, call)?;
            self.retire(instance);
            Ok(answer)
        };
        self.count(run())
    }

    /// An idle instance, or a new one.
    pub(crate) fn instance(&self) -> Result<Instance, Failure> {
        let idle = self.shared.idle.lock().pop();
        if let Some(instance) = idle {
            self.shared.counters.reused.fetch_add(1, Ordering::Relaxed);
            return Ok(instance);
        }
        let instance = self.shared.template.start(self.load_deadline())?;
        self.shared.counters.started.fetch_add(1, Ordering::Relaxed);
        Ok(instance)
    }

    /// Takes back an instance whose last call succeeded.
    pub(crate) fn retire(&self, instance: Instance) {
        if !instance.is_worth_keeping() {
            return;
        }
        let mut idle = self.shared.idle.lock();
        if idle.len() < self.shared.idle.limit {
            idle.push(instance);
        }
    }

    /// Passes a result on; a failure is counted and told. To be called when the instance is gone and no lock is
    /// held, since the one who is told may call the engine again.
    #[inline]
    pub(crate) fn count<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        if let Err(failure) = &result {
            self.failed(failure);
        }
        result
    }

    #[cold]
    fn failed(&self, failure: &Failure) {
        self.shared.counters.failed.fetch_add(1, Ordering::Relaxed);
        if let Some(tell) = &self.shared.on_failure {
            tell(failure);
        }
    }

    pub(crate) fn count_reload(&self) {
        self.shared.counters.reloaded.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn call_deadline(&self) -> Steps {
        self.shared.deadlines.call
    }

    pub(crate) fn load_deadline(&self) -> Steps {
        self.shared.deadlines.load
    }

    pub(crate) fn instances_per_policy(&self) -> usize {
        self.shared.instances_per_policy
    }
}

impl Idle {
    /// No code that can panic runs while this is held.
    fn lock(&self) -> MutexGuard<'_, Vec<Instance>> {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for PolicyEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyEngine").field(&self.stats()).finish()
    }
}
