//! regorus: Rego, the language of Open Policy Agent.

use anyhow::Result;
use bench_lab::Workload;
use policy_core::Action;
use regorus::{Engine, Value};
use serde_json::json;

use super::{Decide, lower, without_port};

pub(super) const HOW: &str = "a Rego rule per list: `some p in data.denied; glob.match(p, null, input.host)`, compiled";

const POLICY: &str = r#"package net
import rego.v1

default action := "review"

action := "deny" if {
    some pattern in data.denied
    glob.match(pattern, null, input.host)
} else := "allow" if {
    some pattern in data.allowed
    glob.match(pattern, null, input.host)
}
"#;

pub(super) fn load(workload: &Workload) -> Result<Decide> {
    let patterns = |list: &[String]| list.iter().map(|entry| without_port(entry).to_owned()).collect::<Vec<_>>();
    let data = json!({ "denied": patterns(&workload.denied), "allowed": patterns(&workload.allowed) });
    let mut engine = Engine::new();
    engine.add_policy("net.rego".to_owned(), POLICY.to_owned())?;
    engine.add_data(Value::from_json_str(&data.to_string())?)?;
    let policy = engine.compile_with_entrypoint(&"data.net.action".into())?;
    Ok(Box::new(move |query| {
        let mut input = Value::new_object();
        input.as_object_mut()?.insert("host".into(), lower(&query.host).into());
        let answer = policy.eval_with_input(input)?;
        Ok(match answer.as_string()?.as_ref() {
            "deny" => Action::Deny,
            "allow" => Action::Allow,
            _ => Action::Review,
        })
    }))
}
