//! The canonical ABI, generated from `wit/`: the one place with `unsafe` code.

#![cfg_attr(
    target_family = "wasm",
    expect(unsafe_code, reason = "generated: the canonical ABI passes pointers into linear memory")
)]

#[cfg(target_family = "wasm")]
use crate::Component;

wit_bindgen::generate!({
    world: "policy",
    path: "wit",
});

// Elsewhere the crate is only checked and tested; native linkers do not take the exports' names.
#[cfg(target_family = "wasm")]
export!(Component with_types_in self);
