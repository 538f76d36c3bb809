//! The protocol over Unix sockets, for programs that use threads; [`tokio`] has the same for async ones.
//!
//! A [`SupervisorServer`] listens in a private directory and asks an [`Approver`]. A [`WorkerClient`] registers with
//! it, decides by the policy it was sent, and asks about what the policy leaves open.
//!
//! ```
//! # #[cfg(feature = "bundled")] {
//! use policy_host::unix::{PrivateDirectory, SupervisorServer, WorkerClient};
//! use policy_host::{Action, Answer, Ask, Capability, Policy, PolicyEngine, Supervisor};
//!
//! let engine = PolicyEngine::new()?;
//! let policy = Policy::from_lists(&engine, &["ok.example"], &["no.example"])?;
//! let capability = Capability::random()?;
//! let supervisor = Supervisor::new(&engine, &policy, &capability, engine.supervisor_options()?)?;
//! let directory = PrivateDirectory::new()?;
//! let approver = |ask: &Ask| if ask.hostname == "ask.example" { Answer::Allow } else { Answer::Deny };
//! let server = SupervisorServer::bind(directory.path().join("supervisor"), supervisor, approver)?;
//!
//! // Usually in another process, which was given the path and the capability.
//! let worker = WorkerClient::register(&engine, server.path(), &capability, "worker-1", "/repo")?;
//! assert_eq!(worker.check("ok.example", 443), Action::Allow);
//! assert_eq!(worker.check("ask.example", 443), Action::Review);
//! assert_eq!(worker.ask("ask.example", 443)?, Answer::Allow);
//! worker.unregister()?;
//! server.close();
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approvals;
mod client;
mod clock;
mod directory;
mod error;
mod reactor;
mod server;
mod session;
#[cfg(feature = "tokio")]
pub mod tokio;

pub use approvals::Approver;
pub use client::WorkerClient;
pub use directory::PrivateDirectory;
pub use error::{ClientError, ServerError};
pub use server::SupervisorServer;
