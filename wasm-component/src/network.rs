//! The interface `network`.

use std::cell::RefCell;

use policy_core as core;

use crate::Component;
use crate::bindings::exports::pi_sandbox::policy::config::ConfigError;
use crate::bindings::exports::pi_sandbox::policy::network as wit;
use crate::config::to_u32;

impl wit::Guest for Component {
    type NetworkPolicy = Policy;
}

/// What stands behind a `network-policy` handle.
#[derive(Debug)]
pub struct Policy {
    pub(crate) policy: core::NetworkPolicy,
    /// For all decisions: making one costs a quarter of a decision.
    room: RefCell<core::HostRoom>,
}

impl Policy {
    fn action(&self, host: &str, port: u16) -> wit::Action {
        let Self { policy, room } = self;
        policy_core_fast::verdict(policy, host.as_bytes(), port, &mut room.borrow_mut()).action().into()
    }
}

impl wit::GuestNetworkPolicy for Policy {
    fn from_config(text: String) -> Result<wit::NetworkPolicy, ConfigError> {
        Ok(handle(core::NetworkPolicy::from_config(&text)?))
    }

    fn from_transport(text: String) -> wit::NetworkPolicy {
        handle(core::NetworkPolicy::from_transport(&text))
    }

    fn from_lists(allowed: Vec<String>, denied: Vec<String>) -> Result<wit::NetworkPolicy, wit::ListsError> {
        let (allowed, denied) = (allowed.iter().map(String::as_str), denied.iter().map(String::as_str));
        Ok(handle(core::NetworkPolicy::from_lists(allowed, denied)?))
    }

    fn decide(&self, host: String, port: u16) -> wit::Decision {
        policy_core_fast::decide(&self.policy, &host, port).into()
    }

    fn check(&self, host: String, port: u16) -> wit::Action {
        self.action(&host, port)
    }

    fn decide_many(&self, destinations: Vec<wit::Destination>) -> Vec<wit::Decision> {
        destinations.iter().map(|to| policy_core_fast::decide(&self.policy, &to.host, to.port).into()).collect()
    }

    fn check_many(&self, destinations: Vec<wit::Destination>) -> Vec<wit::Action> {
        destinations.iter().map(|to| self.action(&to.host, to.port)).collect()
    }

    fn fingerprint(&self) -> String {
        self.policy.fingerprint().to_string()
    }

    fn allowed_domains(&self) -> Vec<String> {
        self.policy.allowed_domains().map(str::to_owned).collect()
    }

    fn denied_domains(&self) -> Vec<String> {
        self.policy.denied_domains().map(str::to_owned).collect()
    }

    fn to_json(&self) -> String {
        self.policy.to_json()
    }
}

pub(crate) fn handle(policy: core::NetworkPolicy) -> wit::NetworkPolicy {
    wit::NetworkPolicy::new(Policy { policy, room: RefCell::default() })
}

impl From<core::Decision<'_>> for wit::Decision {
    fn from(decision: core::Decision<'_>) -> Self {
        match decision {
            core::Decision::Allow { rule, host, port } => {
                Self::Allow(wit::Allowance { rule: rule.into(), host: host.to_string(), port })
            }
            core::Decision::Deny { reason, port } => Self::Deny(wit::Refusal { reason: reason.into(), port }),
            core::Decision::Review { host, port } => Self::Review(wit::Review { host: host.to_string(), port }),
        }
    }
}

impl From<core::Denial<'_>> for wit::Denial {
    fn from(denial: core::Denial<'_>) -> Self {
        match denial {
            core::Denial::MalformedHost => Self::MalformedHost,
            core::Denial::Rule { rule, host } => {
                Self::Rule(wit::DenyingRule { rule: rule.into(), host: host.to_string() })
            }
            core::Denial::NotPublic { host } => Self::NotPublic(host.to_string()),
        }
    }
}

impl From<core::Rule<'_>> for wit::Rule {
    fn from(rule: core::Rule<'_>) -> Self {
        let core::Rule { list, index, pattern } = rule;
        Self { list: list.into(), index: to_u32(index), pattern: pattern.to_owned() }
    }
}

impl From<core::List> for wit::DomainList {
    fn from(list: core::List) -> Self {
        match list {
            core::List::Allowed => Self::AllowedDomains,
            core::List::Denied => Self::DeniedDomains,
        }
    }
}

impl From<wit::DomainList> for core::List {
    fn from(list: wit::DomainList) -> Self {
        match list {
            wit::DomainList::AllowedDomains => Self::Allowed,
            wit::DomainList::DeniedDomains => Self::Denied,
        }
    }
}

impl From<core::Action> for wit::Action {
    fn from(action: core::Action) -> Self {
        match action {
            core::Action::Deny => Self::Deny,
            core::Action::Review => Self::Review,
            core::Action::Allow => Self::Allow,
        }
    }
}

impl From<core::InvalidLists> for wit::ListsError {
    fn from(error: core::InvalidLists) -> Self {
        let entry = if let core::InvalidLists::Pattern { list, index } = error {
            Some(wit::EntryPlace { list: list.into(), index: to_u32(index) })
        } else {
            None
        };
        Self { message: error.to_string(), entry }
    }
}
