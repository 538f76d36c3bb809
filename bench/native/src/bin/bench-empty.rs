//! `bench-empty`: a fresh process that does nothing.

fn main() {}
