//! The protocol between workers and their supervisor (spec page `supervisor`).

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod limits;
mod model;
mod recorded;
mod rules;
mod state;
mod support;
mod worker;
