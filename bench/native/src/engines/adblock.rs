//! adblock: the engine of Brave's blocker.

use std::collections::HashMap;
use std::rc::Rc;

use adblock::Engine;
use adblock::lists::{FilterSet, ParseOptions};
use adblock::request::Request;
use anyhow::Result;
use bench_lab::{Query, Workload};
use policy_core::Action;

use super::{Decide, lower, without_port};

pub(super) const HOW: &str =
    "denied entries as `||x^`, allowed ones as `@@||x^`, exceptions always checked; a `Request::preparsed` per host";
pub(super) const PREPARED_HOW: &str = "the same, with the requests made beforehand";

pub(super) fn load(workload: &Workload) -> Result<Decide> {
    let engine = engine(workload);
    Ok(Box::new(move |query| Ok(decide(&engine, &request(query)))))
}

pub(super) fn load_prepared(workload: &Workload) -> Result<Decide> {
    let engine = engine(workload);
    let requests: HashMap<*const Query, Rc<Request>> =
        workload.queries.iter().map(|query| (std::ptr::from_ref(query), Rc::new(request(query)))).collect();
    Ok(Box::new(move |query| {
        // A query that is not of the workload cannot be asked; its place in memory is its name.
        let Some(request) = requests.get(&std::ptr::from_ref(query)) else { anyhow::bail!("no such request") };
        Ok(decide(&engine, request))
    }))
}

fn engine(workload: &Workload) -> Engine {
    let mut rules = String::new();
    for (prefix, entries) in [("", &workload.denied), ("@@", &workload.allowed)] {
        for entry in entries {
            let name = without_port(entry);
            rules.push_str(prefix);
            rules.push_str("||");
            rules.push_str(name.strip_prefix("*.").unwrap_or(name));
            rules.push_str("^\n");
        }
    }
    let mut set = FilterSet::new(false);
    set.add_filter_list(rules, ParseOptions::default());
    Engine::new_with_filter_set(set)
}

fn request(query: &Query) -> Request {
    let host = lower(&query.host);
    Request::preparsed(&format!("https://{host}/"), &host, "", "xhr", true, "GET")
}

fn decide(engine: &Engine, request: &Request) -> Action {
    let result = engine.check_network_request_subset(request, false, true);
    if result.filter.is_some() {
        Action::Deny
    } else if result.exception.is_some() {
        Action::Allow
    } else {
        Action::Review
    }
}
