//! The interface `explain`.

use policy_core as core;

use crate::bindings::exports::pi_sandbox::policy::explain as wit;
use crate::bindings::exports::pi_sandbox::policy::network::NetworkPolicyBorrow;
use crate::config::to_u32;
use crate::{Component, Policy};

impl wit::Guest for Component {
    fn explain(policy: NetworkPolicyBorrow<'_>, host: String, port: u16) -> wit::Explanation {
        let Policy { policy, .. } = policy.get();
        policy.explain(&host, port).into()
    }
}

impl From<core::Explanation<'_>> for wit::Explanation {
    fn from(explanation: core::Explanation<'_>) -> Self {
        let core::Explanation { decision, summary, steps, matches, matches_omitted, misses, misses_omitted } =
            explanation;
        Self {
            decision: decision.into(),
            summary,
            steps: steps.into_iter().map(wit::Step::from).collect(),
            matches: matches.into_iter().map(wit::Match::from).collect(),
            matches_omitted: to_u32(matches_omitted),
            misses: misses.into_iter().map(wit::Miss::from).collect(),
            misses_omitted: to_u32(misses_omitted),
        }
    }
}

impl From<core::Step> for wit::Step {
    fn from(step: core::Step) -> Self {
        let core::Step { step, host, message } = step;
        Self { step: step.to_owned(), host, message: message.to_owned() }
    }
}

impl From<core::Match<'_>> for wit::Match {
    fn from(matching: core::Match<'_>) -> Self {
        let core::Match { rule, decides } = matching;
        Self { rule: rule.into(), decides }
    }
}

impl From<core::Miss<'_>> for wit::Miss {
    fn from(miss: core::Miss<'_>) -> Self {
        let core::Miss { kind, rule, message, suggestion } = miss;
        Self { kind: kind.to_owned(), rule: rule.into(), message, suggestion }
    }
}
