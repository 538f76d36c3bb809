//! The core behind four numbers-only exports: the least that a call into WebAssembly can cost when the host's text
//! is copied into linear memory. No one should embed the core like this: the caller must keep the protocol.

// The embedder looks the exports up by these names; nothing else in this module has them.
#![allow(unsafe_code)]

use std::cell::RefCell;

use policy_core::{Action, HostRoom, NetworkPolicy};

const LONGEST_HOST: usize = 255;

thread_local! {
    static HOST: RefCell<[u8; LONGEST_HOST]> = const { RefCell::new([0; LONGEST_HOST]) };
    static ROOM: RefCell<HostRoom> = const { RefCell::new(HostRoom::new()) };
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static POLICY: RefCell<NetworkPolicy> = RefCell::new(NetworkPolicy::deny_all());
}

/// Where the embedder writes a host, at most 255 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn host_address() -> usize {
    HOST.with(|host| host.as_ptr().addr())
}

/// Where the embedder writes the policy's JSON text of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn text_address(length: usize) -> usize {
    TEXT.with_borrow_mut(|text| {
        text.resize(length, 0);
        text.as_ptr().addr()
    })
}

/// Makes the policy from the text.
#[unsafe(no_mangle)]
pub extern "C" fn load() {
    let text = TEXT.take();
    let policy = std::str::from_utf8(&text).map_or_else(|_| NetworkPolicy::deny_all(), NetworkPolicy::from_transport);
    POLICY.set(policy);
}

/// 0 is deny, 1 review, 2 allow.
#[unsafe(no_mangle)]
pub extern "C" fn check(length: usize, port: u32) -> u32 {
    HOST.with_borrow(|host| {
        let host = host.get(..length).unwrap_or_default();
        let check = |port| {
            ROOM.with_borrow_mut(|room| {
                POLICY.with_borrow(|policy| policy_core_fast::verdict(policy, host, port, room)).action()
            })
        };
        let action = u16::try_from(port).map_or(Action::Deny, check);
        action as u32
    })
}
