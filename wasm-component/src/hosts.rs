//! The interface `hosts`.

use policy_core as core;

use crate::Component;
use crate::bindings::exports::pi_sandbox::policy::hosts as wit;

impl wit::Guest for Component {
    fn canonicalize_host(host: String) -> Option<String> {
        core::CanonicalHost::parse(&host).ok().map(|host| host.to_string())
    }

    fn normalize_public_hostname(host: String) -> Option<String> {
        core::normalize_public_hostname(&host)
    }

    fn is_public_address(address: String) -> bool {
        core::is_public_address(&address)
    }

    fn check_addresses(addresses: Vec<String>) -> bool {
        core::check_addresses(addresses.iter().map(String::as_str))
    }
}
