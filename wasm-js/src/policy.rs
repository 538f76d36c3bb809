//! A compiled policy, owned by JavaScript.

use js_sys::{Array, JsString, Object};
use policy_core::{Action, NetworkPolicy};
use wasm_bindgen::prelude::*;

use crate::batch;
use crate::host_buffer;
use crate::outcome::{self, OTHER_SPELLING};
use crate::plain;

/// A compiled policy.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Policy(pub(crate) NetworkPolicy);

#[wasm_bindgen]
impl Policy {
    /// From the text of a configuration; nothing when it is none, and `parseConfig` tells why.
    #[wasm_bindgen(js_name = fromConfig)]
    pub fn from_config(text: &str) -> Option<Policy> {
        NetworkPolicy::from_config(text).ok().map(Self)
    }

    /// From the JSON text of a policy that a supervisor sent; the deny-all policy when it is none.
    #[wasm_bindgen(js_name = fromTransport)]
    pub fn from_transport(text: &str) -> Policy {
        Self(NetworkPolicy::from_transport(text))
    }

    /// 0 for deny, 1 for review, 2 for allow: of the host in the buffer.
    pub fn check(&self, length: usize, port: u16) -> u32 {
        host_buffer::with_host(length, |host| self.check_bytes(host, port))
    }

    /// [`check`](Self::check) of a host that does not fit the buffer.
    #[wasm_bindgen(js_name = checkText)]
    pub fn check_text(&self, host: &str, port: u16) -> u32 {
        self.check_bytes(host.as_bytes(), port)
    }

    /// The packed decision of the host in the buffer.
    pub fn decide(&self, length: usize, port: u16) -> u32 {
        host_buffer::with_host(length, |host| self.decide_bytes(host, port))
    }

    /// [`decide`](Self::decide) of a host that does not fit the buffer.
    #[wasm_bindgen(js_name = decideText)]
    pub fn decide_text(&self, host: &str, port: u16) -> u32 {
        self.decide_bytes(host.as_bytes(), port)
    }

    /// Answers a batch of questions.
    #[wasm_bindgen(js_name = decideMany)]
    pub fn decide_many(&self, questions: &[u8], count: usize) -> Vec<u8> {
        batch::decide(&self.0, questions, count)
    }

    /// The decision for one destination and all that led to it.
    ///
    /// # Errors
    /// When the result cannot be made into an object, which counts as a trap.
    pub fn explain(&self, host: &str, port: u16) -> Result<JsValue, JsValue> {
        plain::object(&self.0.explain(host, port))
    }

    /// Whether this policy gives no destination more access than `other`.
    #[wasm_bindgen(js_name = isNoWiderThan)]
    pub fn is_no_wider_than(&self, other: &Policy) -> bool {
        self.0.is_no_wider_than(&other.0)
    }

    /// `sha256:` and 64 hex digits.
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint().to_string()
    }

    /// The allowed entries as written, in a frozen array.
    #[wasm_bindgen(js_name = allowedDomains)]
    pub fn allowed_domains(&self) -> Array<JsString> {
        frozen(self.0.allowed_domains())
    }

    /// The denied entries as written, in a frozen array.
    #[wasm_bindgen(js_name = deniedDomains)]
    pub fn denied_domains(&self) -> Array<JsString> {
        frozen(self.0.denied_domains())
    }
}

impl Policy {
    fn check_bytes(&self, host: &[u8], port: u16) -> u32 {
        match host_buffer::with_room(|room| policy_core_fast::verdict(&self.0, host, port, room)).action() {
            Action::Deny => 0,
            Action::Review => 1,
            Action::Allow => 2,
        }
    }

    fn decide_bytes(&self, host: &[u8], port: u16) -> u32 {
        host_buffer::with_room(|room| {
            let packed = outcome::pack(policy_core_fast::verdict(&self.0, host, port, room), host, room);
            if packed & OTHER_SPELLING != 0 {
                host_buffer::leave_canonical_host(room.host().as_bytes());
            }
            packed
        })
    }
}

fn frozen<'a>(texts: impl Iterator<Item = &'a str>) -> Array<JsString> {
    let array = Array::new_typed();
    for text in texts {
        array.push(&JsString::from(text));
    }
    Object::freeze(&array);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"allowedDomains":["a.example"],"deniedDomains":["1.2.3.4"]}"#;

    #[test]
    fn the_buffer_and_the_text_give_one_answer() {
        let policy = Policy::from_transport(TEXT);
        for host in ["a.example", "A.example.", "other.example", "::ffff:1.2.3.4", "localhost", "a b", ""] {
            let length = host_buffer::write_host(host);
            assert_eq!(policy.check(length, 443), policy.check_text(host, 443), "{host}");
            assert_eq!(policy.decide(length, 443), policy.decide_text(host, 443), "{host}");
        }
    }

    #[test]
    fn another_spelling_is_left_in_the_buffer() {
        let policy = Policy::from_transport(TEXT);
        assert_eq!(policy.decide_text("::ffff:1.2.3.4", 443) & OTHER_SPELLING, OTHER_SPELLING);
        assert_eq!(host_buffer::read_canonical_host(), "1.2.3.4");
    }

    #[test]
    fn the_actions_have_their_numbers() {
        let policy = Policy::from_config(r#"{"network":{"allowedDomains":["a.example"]}}"#).unwrap();
        assert_eq!(["a b", "b.example", "a.example"].map(|host| policy.check_text(host, 443)), [0, 1, 2]);
        assert!(Policy::from_config(r#"{"network":null}"#).is_none());
        assert_eq!(Policy::from_transport("").check_text("a.example", 443), 0);
    }
}
