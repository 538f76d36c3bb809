//! The protocol between workers and their supervisor, without I/O.

mod capability;
mod machine;
mod supervisor;
mod types;
mod worker;

pub use capability::Capability;
#[cfg(unix)]
pub(crate) use capability::random_hex;
pub use supervisor::Supervisor;
pub use types::{
    Answer, Ask, AskId, ConnectionId, ExchangeId, Outcome, OutgoingRequest, Output, SupervisorLimits,
    SupervisorOptions, WorkerRecord, WorkerStage, WorkerState,
};
pub use worker::Worker;
