//! The reader of JSON is no part of the core's interface, so its files are taken in as they stand.

#![no_main]

extern crate alloc;

#[path = "../../../policy-core/src"]
mod source {
    #![allow(dead_code, unused_imports, reason = "the core uses the rest")]

    pub(crate) mod json;
    #[path = "json/oracle.rs"]
    pub(crate) mod oracle;
    pub(crate) mod order;
    pub(crate) mod place;
}

use source::{json, order, place};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = core::str::from_utf8(data) {
        source::oracle::agrees(text);
    }
});
