//! What all benchmarks share.
//!
//! - [`Workload`]: lists of any size and hosts to ask about, the same on every machine and in every language.
//! - [`Race`]: contenders that take turns in one process, so that a figure is a ratio within one run.
//! - [`Part`]: tables and targets, in the shape that `cargo xtask bench` collects into its report.

mod part;
mod race;
mod random;
mod workload;

pub use part::{Column, Part, Section, Sense, Target, Unit};
pub use race::{Lane, Outcome, Race};
pub use random::Random;
pub use workload::{Kind, Query, SIZES, Workload};
