//! cedar-policy: an authorization language.

use std::fmt::Write;

use anyhow::Result;
use bench_lab::Workload;
use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request, RestrictedExpression};
use policy_core::Action;

use super::{Decide, lower, without_port};

pub(super) const HOW: &str =
    "a policy for each entry: `permit` or `forbid … when { context.host like \"*.x\" }`, `==` for names";

pub(super) fn load(workload: &Workload) -> Result<Decide> {
    let mut text = String::new();
    for (effect, entries) in [("forbid", &workload.denied), ("permit", &workload.allowed)] {
        for entry in entries {
            let name = without_port(entry);
            let operator = if name.starts_with('*') { "like" } else { "==" };
            writeln!(text, r#"{effect}(principal, action, resource) when {{ context.host {operator} "{name}" }};"#)?;
        }
    }
    let policies: PolicySet = text.parse()?;
    let entities = Entities::empty();
    let authorizer = Authorizer::new();
    let principal: EntityUid = r#"User::"sandbox""#.parse()?;
    let verb: EntityUid = r#"Action::"connect""#.parse()?;
    let resource: EntityUid = r#"Net::"internet""#.parse()?;
    Ok(Box::new(move |query| {
        let host = RestrictedExpression::new_string(lower(&query.host));
        let context = Context::from_pairs([("host".to_owned(), host)])?;
        let request = Request::new(principal.clone(), verb.clone(), resource.clone(), context, None)?;
        let response = authorizer.is_authorized(&request, &policies, &entities);
        Ok(match response.decision() {
            Decision::Allow => Action::Allow,
            // A policy that forbade is named; without one nothing matched.
            Decision::Deny if response.diagnostics().reason().next().is_some() => Action::Deny,
            Decision::Deny => Action::Review,
        })
    }))
}
