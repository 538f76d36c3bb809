//! The plain loop that the core is measured against.

mod plain;

pub use plain::Plain;
