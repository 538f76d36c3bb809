//! The worker's state machine, owned by JavaScript, which does the I/O around it.

use std::error::Error;

use policy_core::{Capability, OutgoingRequest, RequestRefused};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::plain;

/// A worker.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Worker(policy_core::Worker);

/// `{ ok: … }` or `{ error: … }`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Requested {
    Ok(OutgoingRequest),
    Error(String),
}

#[wasm_bindgen]
impl Worker {
    /// A worker that has not registered; nothing when there can be none, and `workerRefusal` tells why.
    pub fn create(capability: &str, id: &str, cwd: &str) -> Option<Worker> {
        new(capability, id, cwd).ok().map(Self)
    }

    /// Asks to join.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn register(&mut self, id: &str, now: u64) -> Result<JsValue, JsValue> {
        requested(self.0.register(id, now))
    }

    /// Asks about one connection.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn network(&mut self, id: &str, hostname: &str, port: u16, now: u64) -> Result<JsValue, JsValue> {
        requested(self.0.network(id, hostname, port, now))
    }

    /// Says that the worker leaves.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn unregister(&mut self, id: &str, now: u64) -> Result<JsValue, JsValue> {
        requested(self.0.unregister(id, now))
    }

    /// Bytes have come back, cut anywhere.
    pub fn receive(&mut self, exchange: u64, bytes: &[u8], now: u64) {
        self.0.receive(exchange.into(), bytes, now);
    }

    /// No more will come back.
    pub fn end(&mut self, exchange: u64) {
        self.0.end(exchange.into());
    }

    /// Denies every exchange whose time is over.
    pub fn expire(&mut self, now: u64) {
        self.0.expire(now);
    }

    /// When `expire` has something to do next.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&self) -> Option<u64> {
        self.0.next_deadline()
    }

    /// The next outcome; null when there is none.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn poll(&mut self) -> Result<JsValue, JsValue> {
        plain::object(&self.0.poll())
    }

    /// How far it has come.
    pub fn stage(&self) -> String {
        self.0.stage().name().to_owned()
    }

    /// The policy in force, as JSON that `Policy.fromTransport` reads.
    #[wasm_bindgen(js_name = policyJson)]
    pub fn policy_json(&self) -> String {
        self.0.policy().to_json()
    }
}

/// Why there can be no such worker; nothing when there can.
#[wasm_bindgen(js_name = workerRefusal)]
pub fn worker_refusal(capability: &str, id: &str, cwd: &str) -> Option<String> {
    new(capability, id, cwd).err().map(|error| error.to_string())
}

fn new(capability: &str, id: &str, cwd: &str) -> Result<policy_core::Worker, Box<dyn Error>> {
    Ok(policy_core::Worker::new(Capability::parse(capability)?, id, cwd)?)
}

fn requested(request: Result<OutgoingRequest, RequestRefused>) -> Result<JsValue, JsValue> {
    plain::object(&match request {
        Ok(request) => Requested::Ok(request),
        Err(refused) => Requested::Error(refused.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_words_of_the_core() {
        let capability = "ab".repeat(32);
        assert_eq!(worker_refusal(&capability, "w", "/"), None);
        assert_eq!(worker_refusal("ab", "w", "/").as_deref(), Some("a capability has 64 hex digits"));
        assert_eq!(worker_refusal(&capability, "", "/").as_deref(), Some("a `workerId` has 1 to 128 UTF-16 units"));
        assert!(worker_refusal(&capability, "w", "repo").is_some_and(|why| why.starts_with("a `cwd` starts with `/`")));
    }
}
