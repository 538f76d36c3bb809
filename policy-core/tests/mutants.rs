//! Cases that mutation testing asked for: each fails for a change of the core that no other test saw.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use policy_core::{
    CanonicalHost, DomainPattern, InvalidLists, InvalidPattern, List, MalformedHost, NetworkPolicy, Profile, Relation,
};

#[test]
fn an_entry_prints_as_it_was_written() {
    let text = "*.Example.COM:443";
    assert_eq!(DomainPattern::parse(text, List::Allowed, Profile::Config).unwrap().as_str(), text);
}

#[test]
fn hosts_are_equal_by_their_canonical_form() {
    let host = |text| CanonicalHost::parse(text).unwrap();
    assert_eq!(host("127.1"), host("::ffff:127.0.0.1"));
    assert_ne!(host("a.b"), host("a.c"));
    assert_ne!(host("a"), host("a.b"));
}

#[test]
fn errors_say_what_they_are() {
    assert_eq!(MalformedHost.to_string(), "malformed host");
    assert_eq!(InvalidPattern.to_string(), "invalid domain pattern");
    assert_eq!(List::Denied.to_string(), "deniedDomains");
    assert_eq!(Relation::Narrower.to_string(), "narrower");
    assert_eq!(format!("{:?}", CanonicalHost::parse("A.B.").unwrap()), "\"a.b\"");
}

#[test]
fn lists_with_a_bad_entry_make_no_policy() {
    let error = |allowed: &[&'static str], denied: &[&'static str]| {
        NetworkPolicy::from_lists(allowed.iter().copied(), denied.iter().copied()).unwrap_err()
    };
    let pattern = |list, index| InvalidLists::Pattern { list, index };
    assert_eq!(error(&["a.b", "bad"], &["bad"]), pattern(List::Allowed, 1));
    assert_eq!(error(&["*"], &[]), pattern(List::Allowed, 0));
    assert_eq!(error(&["a.b"], &["*", "a.b", "[a.b]"]), pattern(List::Denied, 2));
    assert_eq!(error(&["bad"], &[]).to_string(), "network.allowedDomains[0] contains an invalid domain pattern");
    assert_eq!(InvalidLists::TooLong.to_string(), "the domain lists are too long");
}

#[test]
fn policies_are_equal_by_their_lists() {
    let policy = |allowed| NetworkPolicy::from_lists([allowed], []).unwrap();
    assert_eq!(policy("a.b"), policy("a.b"));
    assert_ne!(policy("a.b"), policy("A.b"));
    assert_eq!(format!("{:?}", policy("a.b")), r#"NetworkPolicy({"allowedDomains":["a.b"],"deniedDomains":[]})"#);
}

#[test]
fn the_policy_of_a_configuration_is_its_own() {
    let policy = NetworkPolicy::from_config(r#"{"network":{"deniedDomains":["a.b"]}}"#).unwrap();
    assert_eq!(policy.denied_domains().collect::<Vec<_>>(), ["a.b"]);
}
