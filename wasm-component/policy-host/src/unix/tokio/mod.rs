//! The same for async programs, on tokio.
//!
//! ```
//! # #[cfg(feature = "bundled")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use policy_host::unix::{PrivateDirectory, tokio::{SupervisorServer, WorkerClient}};
//! use policy_host::{Action, Answer, Ask, Capability, Policy, PolicyEngine, Supervisor};
//!
//! let engine = PolicyEngine::new()?;
//! let policy = Policy::from_lists(&engine, &["ok.example"], &["no.example"])?;
//! let capability = Capability::random()?;
//! let supervisor = Supervisor::new(&engine, &policy, &capability, engine.supervisor_options()?)?;
//! let directory = PrivateDirectory::new()?;
//! let approver = |ask: Ask| async move {
//!     if ask.hostname == "ask.example" { Answer::Allow } else { Answer::Deny }
//! };
//! let server = SupervisorServer::bind(directory.path().join("supervisor"), supervisor, approver)?;
//!
//! let worker = WorkerClient::register(&engine, server.path(), &capability, "worker-1", "/repo").await?;
//! assert_eq!(worker.check("ask.example", 443), Action::Review);
//! assert_eq!(worker.ask("ask.example", 443).await?, Answer::Allow);
//! worker.unregister().await?;
//! server.close().await;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "bundled"))]
//! # fn main() {}
//! ```

mod client;
mod server;

pub use client::WorkerClient;
pub use server::{Approver, SupervisorServer};
