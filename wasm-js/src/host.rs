//! Hosts and addresses outside of a policy.

use js_sys::{Array, JsString};
use policy_core::CanonicalHost;
use wasm_bindgen::prelude::*;

/// The canonical form; nothing for a malformed host.
#[wasm_bindgen(js_name = canonicalizeHost)]
pub fn canonicalize_host(host: &str) -> Option<String> {
    CanonicalHost::parse(host).ok().map(|host| host.as_str().to_owned())
}

/// Whether the host is not malformed.
#[wasm_bindgen(js_name = isValidHost)]
pub fn is_valid_host(host: &str) -> bool {
    CanonicalHost::parse(host).is_ok()
}

/// The public hostname in the text; nothing when there is none.
#[wasm_bindgen(js_name = normalizePublicHostname)]
pub fn normalize_public_hostname(text: &str) -> Option<String> {
    policy_core::normalize_public_hostname(text)
}

/// Whether the text is the literal of a public address.
#[wasm_bindgen(js_name = isPublicAddress)]
pub fn is_public_address(address: &str) -> bool {
    policy_core::is_public_address(address)
}

/// Whether there is an address and all are public.
#[wasm_bindgen(js_name = checkAddresses)]
pub fn check_addresses(addresses: &Array<JsString>) -> bool {
    let addresses: Vec<String> = addresses.iter().map(String::from).collect();
    policy_core::check_addresses(addresses.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_helper_asks_the_core() {
        assert_eq!(canonicalize_host("[0::1]").as_deref(), Some("::1"));
        assert_eq!(canonicalize_host("[a.com]"), None);
        assert!(is_valid_host("a_b"));
        assert!(!is_valid_host("a b"));
        assert_eq!(normalize_public_hostname(" Example.COM. ").as_deref(), Some("example.com"));
        assert!(is_public_address("8.8.8.8"));
        assert!(!is_public_address("10.0.0.1"));
    }
}
