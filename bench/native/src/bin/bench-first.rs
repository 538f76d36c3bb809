//! `bench-first`: a fresh process that makes one decision, natively. Ends with 1 if the decision is wrong.

use std::process::ExitCode;

use policy_core::{Action, NetworkPolicy};

const NETWORK: &str = include_str!("../../../node/startups/network.json");

fn main() -> ExitCode {
    let action = NetworkPolicy::from_transport(NETWORK).check("api.github.com", 443);
    if action == Action::Allow { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
