//! A policy, ready to be asked.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::ResourceAny;
use wasmtime::{Error as WasmtimeError, Store};

use crate::bindings::Policy as World;
use crate::bindings::exports::pi_sandbox::policy::network::{Destination, GuestNetworkPolicy as Network};
use crate::decision::{Action, Decision};
use crate::engine::PolicyEngine;
use crate::error::{Error, Failure};
use crate::instance::{Access, Contradiction, Instance};
use crate::limits::{BATCH, Meter, Steps};
use crate::lists::Lists;
use crate::slots::Slots;
use crate::text::{cut_host, texts};

/// A network policy inside the component. It never changes; a clone is another handle to the same policy.
///
/// Any number of threads may ask it at the same time. A question takes well under a microsecond, so async code
/// asks directly, without `await` and without a thread of its own; only making a policy of very many entries
/// takes long enough for that.
///
/// A question that the component fails to answer is denied, as [`Denial::Unavailable`](crate::Denial::Unavailable);
/// the policy goes on in another instance.
///
/// ```
/// # #[cfg(feature = "bundled")] {
/// use policy_host::{Action, Decision, Policy, PolicyEngine};
///
/// let engine = PolicyEngine::new()?;
/// let policy = Policy::from_config(
///     &engine,
///     r#"{ "network": { "allowedDomains": ["*.github.com:443"], "deniedDomains": ["gist.github.com"] } }"#,
/// )?;
/// assert_eq!(policy.check("API.GitHub.com.", 443), Action::Allow);
/// assert_eq!(policy.check("0x7f.1", 443), Action::Deny);
/// match policy.decide("gist.github.com", 443) {
///     Decision::Allow { rule, .. } => println!("allowed by {}", rule.pattern),
///     Decision::Review { host, port } => println!("ask about {host}:{port}"),
///     Decision::Deny { reason, .. } => println!("denied: {}", reason.name()),
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Policy {
    shared: Arc<Shared>,
}

struct Shared {
    engine: PolicyEngine,
    fingerprint: String,
    lists: Lists,
    loaded: Slots<Box<Loaded>>,
}

/// An instance that holds the policy.
struct Loaded {
    instance: Instance,
    policy: ResourceAny,
}

pub(crate) type Answer<T> = Result<T, WasmtimeError>;

impl Policy {
    /// The policy of a configuration document, from the text of its file.
    ///
    /// # Errors
    /// [`Error::Config`] with the first check that fails, or [`Error::Failed`].
    pub fn from_config(engine: &PolicyEngine, text: &str) -> Result<Self, Error> {
        let made = Self::make(engine, |network, store| network.call_from_config(store, text))?;
        made.map_err(|error| Error::Config(error.into()))
    }

    /// The policy that a supervisor sent: JSON text of an object with exactly the members `allowedDomains` and
    /// `deniedDomains`. Any other text makes the policy that denies everything.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer; there is no policy then, and nothing may connect.
    pub fn from_transport(engine: &PolicyEngine, text: &str) -> Result<Self, Failure> {
        let made = Self::make(engine, |network, store| network.call_from_transport(store, text).map(Ok::<_, Never>))?;
        made.map_err(|never| match never {})
    }

    /// A policy from two lists, entries taken as they are and judged as [`from_transport`](Self::from_transport)
    /// judges them.
    ///
    /// # Errors
    /// [`Error::Lists`] names the first entry that is refused, the allowed list first; or [`Error::Failed`].
    pub fn from_lists<A: AsRef<str>, D: AsRef<str>>(
        engine: &PolicyEngine,
        allowed: &[A],
        denied: &[D],
    ) -> Result<Self, Error> {
        let (allowed, denied) = (texts(allowed), texts(denied));
        let made = Self::make(engine, |network, store| network.call_from_lists(store, &allowed, &denied))?;
        made.map_err(|error| Error::Lists(error.into()))
    }

    /// Whether a connection to `host` at `port` may be made. Every text is answered; what is no host is denied.
    pub fn decide(&self, host: &str, port: u16) -> Decision {
        let host = cut_host(host);
        match self.ask(|network, store, policy| network.call_decide(store, policy, host, port)) {
            Ok(decision) => decision.into(),
            Err(failure) => Decision::unavailable(failure, port),
        }
    }

    /// The action of [`decide`](Self::decide) alone, for less.
    pub fn check(&self, host: &str, port: u16) -> Action {
        let host = cut_host(host);
        match self.ask(|network, store, policy| network.call_check(store, policy, host, port)) {
            Ok(action) => action.into(),
            Err(_) => Action::Deny,
        }
    }

    /// [`decide`](Self::decide) for each destination, in order; cheaper than one by one.
    pub fn decide_many<'a>(&self, destinations: impl IntoIterator<Item = (&'a str, u16)>) -> Vec<Decision> {
        self.ask_many(
            destinations,
            |network, store, policy, batch| network.call_decide_many(store, policy, batch),
            Decision::unavailable,
        )
    }

    /// [`check`](Self::check) for each destination, in order; cheaper than one by one.
    pub fn check_many<'a>(&self, destinations: impl IntoIterator<Item = (&'a str, u16)>) -> Vec<Action> {
        self.ask_many(
            destinations,
            |network, store, policy, batch| network.call_check_many(store, policy, batch),
            |_, _| Action::Deny,
        )
    }

    /// `sha256:` and 64 hex digits: two hosts run the same policy exactly when they show the same fingerprint.
    pub fn fingerprint(&self) -> &str {
        &self.shared.fingerprint
    }

    /// The entries of `allowedDomains` as written, in order.
    pub fn allowed_domains(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.shared.lists.allowed()
    }

    /// The entries of `deniedDomains` as written, in order.
    pub fn denied_domains(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.shared.lists.denied()
    }

    /// The canonical JSON, of which the fingerprint is taken; [`from_transport`](Self::from_transport) reads it back.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn to_json(&self) -> Result<String, Failure> {
        self.ask(|network, store, policy| network.call_to_json(store, policy))
    }

    /// Makes a policy in an instance; the inner error is an answer of the component.
    fn make<E>(
        engine: &PolicyEngine,
        construct: impl FnOnce(Network<'_>, &mut Store<Meter>) -> Answer<Result<ResourceAny, E>>,
    ) -> Result<Result<Self, E>, Failure> {
        let make = || {
            let mut instance = engine.instance()?;
            let constructed = instance.call(engine.load_deadline(), |(world, store)| {
                construct(world.pi_sandbox_policy_network().network_policy(), store)
            })?;
            let policy = match constructed {
                Ok(policy) => policy,
                Err(error) => {
                    engine.retire(instance);
                    return Ok(Err(error));
                }
            };
            let (fingerprint, allowed, denied) = instance.call(engine.load_deadline(), |(world, store)| {
                let network = world.pi_sandbox_policy_network().network_policy();
                Ok((
                    network.call_fingerprint(&mut *store, policy)?,
                    network.call_allowed_domains(&mut *store, policy)?,
                    network.call_denied_domains(store, policy)?,
                ))
            })?;
            let loaded = Slots::new(engine.instances_per_policy(), Box::new(Loaded { instance, policy }));
            let lists = Lists::new(&allowed, &denied);
            Ok(Ok(Self { shared: Arc::new(Shared { engine: engine.clone(), fingerprint, lists, loaded }) }))
        };
        engine.count(make())
    }

    /// Asks in an instance that holds the policy.
    #[inline]
    fn ask<T>(
        &self,
        question: impl FnOnce(Network<'_>, &mut Store<Meter>, ResourceAny) -> Answer<T>,
    ) -> Result<T, Failure> {
        let engine = &self.shared.engine;
        engine.count(self.shared.ask(engine.call_deadline(), |(world, store), policy| {
            question(world.pi_sandbox_policy_network().network_policy(), store, policy)
        }))
    }

    /// The same for a question that takes longer the longer the policy is.
    pub(crate) fn ask_at_length<T>(
        &self,
        question: impl FnOnce(Access<'_>, ResourceAny) -> Answer<T>,
    ) -> Result<T, Failure> {
        let engine = &self.shared.engine;
        engine.count(self.shared.ask(engine.load_deadline(), question))
    }

    pub(crate) fn engine(&self) -> &PolicyEngine {
        &self.shared.engine
    }

    /// Loads the policy once more, into an instance of somebody else.
    pub(crate) fn load_into(&self, world: &World, store: &mut Store<Meter>) -> Answer<ResourceAny> {
        self.shared.load_into(world, store)
    }

    fn ask_many<'a, W, T: From<W> + Clone>(
        &self,
        destinations: impl IntoIterator<Item = (&'a str, u16)>,
        question: impl Fn(Network<'_>, &mut Store<Meter>, ResourceAny, &[Destination<'a>]) -> Answer<Vec<W>>,
        unavailable: impl Fn(Failure, u16) -> T,
    ) -> Vec<T> {
        let destinations: Vec<Destination<'a>> =
            destinations.into_iter().map(|(host, port)| Destination { host: cut_host(host), port }).collect();
        let mut answers = Vec::with_capacity(destinations.len());
        for batch in destinations.chunks(BATCH) {
            let answered = self.ask(|network, store, policy| {
                let answers = question(network, store, policy, batch)?;
                let complete = answers.len() == batch.len();
                complete.then_some(answers).ok_or_else(|| contradiction("a batch has another number of answers"))
            });
            match answered {
                Ok(answered) => answers.extend(answered.into_iter().map(T::from)),
                Err(failure) => answers.extend(batch.iter().map(|to| unavailable(failure.clone(), to.port))),
            }
        }
        answers
    }
}

impl Shared {
    #[inline]
    fn ask<T>(
        &self,
        deadline: Steps,
        question: impl FnOnce(Access<'_>, ResourceAny) -> Answer<T>,
    ) -> Result<T, Failure> {
        let mut held = self.loaded.hold();
        let mut loaded = match held.take() {
            Some(loaded) => loaded,
            None => self.load()?,
        };
        let Loaded { instance, policy } = &mut *loaded;
        let answer = instance.call(deadline, |access| question(access, *policy))?;
        *held = Some(loaded);
        Ok(answer)
    }

    /// Loads the policy once more, into another instance.
    #[cold]
    fn load(&self) -> Result<Box<Loaded>, Failure> {
        self.engine.count_reload();
        let mut instance = self.engine.instance()?;
        let policy = instance.call(self.engine.load_deadline(), |(world, store)| self.load_into(world, store))?;
        Ok(Box::new(Loaded { instance, policy }))
    }

    fn load_into(&self, world: &World, store: &mut Store<Meter>) -> Answer<ResourceAny> {
        let allowed: Vec<&str> = self.lists.allowed().collect();
        let denied: Vec<&str> = self.lists.denied().collect();
        let network = world.pi_sandbox_policy_network().network_policy();
        let made = network.call_from_lists(&mut *store, &allowed, &denied)?;
        let policy = made.map_err(|error| contradiction(&error.message))?;
        let same = network.call_fingerprint(store, policy)? == self.fingerprint;
        same.then_some(policy).ok_or_else(|| contradiction("the policy has another fingerprint than before"))
    }
}

/// Gives instances back to the engine.
impl Drop for Shared {
    fn drop(&mut self) {
        let Self { engine, loaded, .. } = self;
        for loaded in loaded.drain() {
            let Loaded { mut instance, policy } = *loaded;
            if instance.is_worth_keeping() {
                let dropped = instance.call(engine.call_deadline(), |(_, store)| policy.resource_drop(store));
                if engine.count(dropped).is_ok() {
                    engine.retire(instance);
                }
            }
        }
    }
}

/// No error at all.
enum Never {}

fn contradiction(what: &str) -> WasmtimeError {
    WasmtimeError::new(Contradiction(what.to_owned()))
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Policy({})", self.fingerprint())
    }
}
