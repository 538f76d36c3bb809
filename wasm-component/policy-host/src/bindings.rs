//! The typed calls, generated from `wit/`: the only module that knows WIT's names and the canonical ABI.

wasmtime::component::bindgen!({
    world: "policy",
    path: "wit",
    ownership: Borrowing { duplicate_if_necessary: true },
});
