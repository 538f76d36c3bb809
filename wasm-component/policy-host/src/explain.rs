//! Why a destination is allowed, denied or asked about.

use crate::bindings::exports::pi_sandbox::policy::explain as wit;
use crate::decision::{Decision, Rule, to_usize};
use crate::error::Failure;
use crate::policy::Policy;
use crate::text::cut_host;

/// A decision and all that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The answer of [`Policy::decide`].
    pub decision: Decision,
    /// The answer in a sentence.
    pub summary: String,
    /// How the host as asked became the host that was judged; the steps that change nothing are left out.
    pub steps: Vec<Step>,
    /// Every entry that matches, the denied list first, each list in its order.
    pub matches: Vec<Match>,
    /// How many more match.
    pub matches_omitted: usize,
    /// When no entry decided: entries that nearly match, the allowed list first.
    pub misses: Vec<Miss>,
    /// How many more there are.
    pub misses_omitted: usize,
}

/// One step from the host as asked to its canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// `brackets`, `ipv6`, `ipv4-mapped`, `lower-case`, `dot` or `ipv4`.
    pub step: String,
    /// The host after it.
    pub host: String,
    /// What was done, for people.
    pub message: String,
}

/// An entry that matches the destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The entry.
    pub rule: Rule,
    /// Whether it is the one that decided.
    pub decides: bool,
}

/// An entry that nearly matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// `apex`, `port`, `subdomain`, `parent`, `address-wildcard` or `spelling`.
    pub kind: String,
    /// The entry.
    pub rule: Rule,
    /// Why it does not match.
    pub message: String,
    /// An entry that would, for the same list: a configuration accepts it, and it matches.
    pub suggestion: Option<String>,
}

impl Policy {
    /// Explains the decision for one destination, to a person. Takes time in proportion to the length of the policy.
    ///
    /// # Errors
    /// [`Failure`] when the engine cannot answer.
    pub fn explain(&self, host: &str, port: u16) -> Result<Explanation, Failure> {
        let host = cut_host(host);
        let explanation = self.ask_at_length(|(world, store), policy| {
            world.pi_sandbox_policy_explain().call_explain(store, policy, host, port)
        })?;
        Ok(explanation.into())
    }
}

impl From<wit::Explanation> for Explanation {
    fn from(explanation: wit::Explanation) -> Self {
        let wit::Explanation { decision, summary, steps, matches, matches_omitted, misses, misses_omitted } =
            explanation;
        let step = |wit::Step { step, host, message }| Step { step, host, message };
        let matching = |wit::Match { rule, decides }| Match { rule: rule.into(), decides };
        let miss = |miss| {
            let wit::Miss { kind, rule, message, suggestion } = miss;
            Miss { kind, rule: rule.into(), message, suggestion }
        };
        Self {
            decision: decision.into(),
            summary,
            steps: steps.into_iter().map(step).collect(),
            matches: matches.into_iter().map(matching).collect(),
            matches_omitted: to_usize(matches_omitted),
            misses: misses.into_iter().map(miss).collect(),
            misses_omitted: to_usize(misses_omitted),
        }
    }
}
