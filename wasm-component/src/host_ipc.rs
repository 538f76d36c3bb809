//! The interface `host-ipc`.

use policy_core as core;

use crate::Component;
use crate::bindings::exports::pi_sandbox::policy::host_ipc as wit;

impl wit::Guest for Component {
    fn matching_preflight_prefix(command: String, prefixes: Vec<String>) -> Option<String> {
        core::matching_preflight_prefix(&command, prefixes.iter().map(String::as_str)).map(str::to_owned)
    }

    fn is_unix_socket_permission_error(stderr: String) -> bool {
        core::is_unix_socket_permission_error(&stderr)
    }
}
