#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| policy_fuzz::supervisor(data));
