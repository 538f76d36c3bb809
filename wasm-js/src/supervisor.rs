//! The supervisor's state machine, owned by JavaScript, which does the I/O around it.
//!
//! Times and ids are 64 bits wide and cross as BigInt: nothing is rounded.

use std::error::Error;

use policy_core::{Answer, Capability, SupervisorLimits, WorkerRecord, WorkerState};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::plain;
use crate::policy::Policy;

/// A supervisor.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Supervisor(policy_core::Supervisor);

/// What the host may choose, with the core's defaults.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SupervisorOptions {
    /// Whether the policy decides before the approver is asked.
    pub recheck: bool,
    /// Milliseconds that the approver has for one ask.
    #[wasm_bindgen(js_name = askTimeoutMs)]
    pub ask_timeout_ms: u64,
    /// Connections open at once.
    pub connections: usize,
    /// Workers ever registered.
    pub workers: usize,
    /// Request ids ever used up.
    #[wasm_bindgen(js_name = requestIds)]
    pub request_ids: usize,
    /// Asks that wait, of all workers together.
    #[wasm_bindgen(js_name = pendingAsks)]
    pub pending_asks: usize,
    /// Asks of one worker that wait.
    #[wasm_bindgen(js_name = pendingAsksPerWorker)]
    pub pending_asks_per_worker: usize,
}

#[wasm_bindgen]
impl SupervisorOptions {
    /// The defaults.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "called by JavaScript alone")]
    pub fn new() -> Self {
        let policy_core::SupervisorOptions { recheck, ask_timeout_ms, limits } = Default::default();
        let SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker } = limits;
        Self { recheck, ask_timeout_ms, connections, workers, request_ids, pending_asks, pending_asks_per_worker }
    }
}

impl From<SupervisorOptions> for policy_core::SupervisorOptions {
    fn from(options: SupervisorOptions) -> Self {
        let SupervisorOptions { recheck, ask_timeout_ms, connections, workers, request_ids, .. } = options;
        let SupervisorOptions { pending_asks, pending_asks_per_worker, .. } = options;
        let limits = SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker };
        Self { recheck, ask_timeout_ms, limits }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'w> {
    id: &'w str,
    cwd: &'w str,
    state: WorkerState,
    requests: u64,
    registered_at: u64,
    exited_at: Option<u64>,
}

#[wasm_bindgen]
impl Supervisor {
    /// A supervisor without workers; nothing when there can be none, and `supervisorRefusal` tells why.
    pub fn create(policy: &Policy, capability: &str, options: SupervisorOptions) -> Option<Supervisor> {
        new(policy, capability, options).ok().map(Self)
    }

    /// A worker has connected.
    pub fn open(&mut self) -> u64 {
        self.0.open().into()
    }

    /// Bytes have come, cut anywhere.
    pub fn receive(&mut self, connection: u64, bytes: &[u8], now: u64) {
        self.0.receive(connection.into(), bytes, now);
    }

    /// A whole frame has come.
    #[wasm_bindgen(js_name = receiveLine)]
    pub fn receive_line(&mut self, connection: u64, line: &str, now: u64) {
        self.0.receive_line(connection.into(), line, now);
    }

    /// The connection has ended.
    pub fn close(&mut self, connection: u64) {
        self.0.close(connection.into());
    }

    /// The approver has spoken.
    pub fn answer(&mut self, ask: u64, word: &str, now: u64) {
        self.0.answer(ask.into(), Answer::from_word(word), now);
    }

    /// Denies every ask whose time is over.
    pub fn expire(&mut self, now: u64) {
        self.0.expire(now);
    }

    /// When `expire` has something to do next.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&self) -> Option<u64> {
        self.0.next_deadline()
    }

    /// Denies every ask, ends every connection and refuses new ones.
    pub fn shutdown(&mut self) {
        self.0.shutdown();
    }

    /// The next thing to do; null when there is none.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn poll(&mut self) -> Result<JsValue, JsValue> {
        plain::object(&self.0.poll())
    }

    /// Every worker that ever registered, in that order.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn workers(&self) -> Result<JsValue, JsValue> {
        plain::object(&self.0.workers().map(record).collect::<Vec<_>>())
    }
}

/// Why there can be no such supervisor; nothing when there can.
#[wasm_bindgen(js_name = supervisorRefusal)]
pub fn supervisor_refusal(policy: &Policy, capability: &str) -> Option<String> {
    new(policy, capability, SupervisorOptions::new()).err().map(|error| error.to_string())
}

fn new(
    policy: &Policy,
    capability: &str,
    options: SupervisorOptions,
) -> Result<policy_core::Supervisor, Box<dyn Error>> {
    Ok(policy_core::Supervisor::new(policy.0.clone(), Capability::parse(capability)?, options.into())?)
}

fn record(worker: &WorkerRecord) -> Record<'_> {
    let &WorkerRecord { ref id, ref cwd, state, requests, registered_at, exited_at } = worker;
    Record { id, cwd, state, requests, registered_at, exited_at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_of_javascript_start_as_the_defaults_of_the_core() {
        let options = policy_core::SupervisorOptions::from(SupervisorOptions::new());
        assert_eq!(options, policy_core::SupervisorOptions::default());
    }

    #[test]
    fn a_refusal_has_the_words_of_the_core() {
        let refusal = |entries: usize, capability: &str| {
            let entry = format!("\"{}.example\"", "a".repeat(50));
            let entries = vec![entry; entries].join(",");
            let policy = Policy::from_transport(&format!(r#"{{"allowedDomains":[{entries}],"deniedDomains":[]}}"#));
            supervisor_refusal(&policy, capability)
        };
        let capability = "ab".repeat(32);
        assert_eq!(refusal(1, &capability), None);
        assert_eq!(refusal(1, "ab").as_deref(), Some("a capability has 64 hex digits"));
        assert_eq!(refusal(300, &capability).as_deref(), Some("policy too large: 18339 bytes, limit 15360"));
    }
}
