//! One reply: written by the supervisor, read by a worker.

use alloc::string::String;

use serde::Serialize;

use crate::json::{self, Value};

/// SPEC SUPERVISOR-9: the answer to whatever breaks a rule.
pub(super) const BARE_DENY: &str = r#"{"action":"deny"}"#;

/// What an approver says to one ask, and what a worker is told about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The one connection may be made; the worker is in, or out.
    Allow,
    /// It may not.
    Deny,
}

impl Answer {
    /// SPEC SUPERVISOR-16: from an approver's word; every word but `allow` is deny.
    pub fn from_word(word: &str) -> Self {
        if word == Self::Allow.name() { Self::Allow } else { Self::Deny }
    }

    /// `allow` or `deny`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// The answer to a request whose id it used up.
pub(super) fn answer_line(id: &str, answer: Answer) -> String {
    let mut line = opening(id, answer);
    line.push('}');
    line
}

/// SPEC SUPERVISOR-11: with the policy's canonical JSON.
pub(super) fn registration_line(id: &str, network: &str) -> String {
    let mut line = opening(id, Answer::Allow);
    line.push_str(",\"network\":");
    line.push_str(network);
    line.push('}');
    line
}

fn opening(id: &str, answer: Answer) -> String {
    // Writing a string into memory cannot fail; without its id a reply would be a deny to its reader.
    let id = serde_json::to_string(id).unwrap_or_else(|_| "null".into());
    let mut line = String::from("{\"id\":");
    line.push_str(&id);
    line.push_str(",\"action\":\"");
    line.push_str(answer.name());
    line.push('"');
    line
}

/// SPEC SUPERVISOR-22, SUPERVISOR-25: reads a reply and hands its `network` on when it allows the request `id`.
pub(super) fn with_allowed<T>(line: &[u8], id: &str, then: impl FnOnce(&Value<'_>) -> T) -> Option<T> {
    let reply = json::parse(core::str::from_utf8(line).ok()?).ok()?;
    let object = reply.as_object()?;
    let text = |name| object.get(name).and_then(Value::as_str);
    (text("action") == Some(Answer::Allow.name()) && text("id") == Some(id))
        .then(|| then(object.get("network").unwrap_or(&Value::Null)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::limits::{MAX_FRAME_BYTES, MAX_ID_UNITS, MAX_POLICY_BYTES};

    #[test]
    fn lines_have_their_members_in_order() {
        assert_eq!(answer_line("a\"\u{1}é", Answer::Allow), r#"{"id":"a\"\u0001é","action":"allow"}"#);
        assert_eq!(answer_line("a", Answer::Deny), r#"{"id":"a","action":"deny"}"#);
        assert_eq!(registration_line("a", "{}"), r#"{"id":"a","action":"allow","network":{}}"#);
    }

    #[test]
    fn the_longest_registration_reply_fits_into_a_frame() {
        let longest = registration_line(&"\u{1}".repeat(MAX_ID_UNITS), &"x".repeat(MAX_POLICY_BYTES));
        assert_eq!(longest.len(), MAX_POLICY_BYTES + 768 + 37);
        assert!(longest.len() <= MAX_FRAME_BYTES);
    }

    #[test]
    fn only_the_exact_word_allows() {
        assert_eq!(Answer::from_word("allow"), Answer::Allow);
        for word in ["", "Allow", "ALLOW", " allow", "allow\n", "allowed", "true", "deny"] {
            assert_eq!(Answer::from_word(word), Answer::Deny, "{word:?}");
        }
    }

    #[test]
    fn a_reply_allows_only_its_own_request_by_the_exact_word() {
        let allows = |line: &str| with_allowed(line.as_bytes(), "a", |_| ()).is_some();
        for line in [
            r#"{"id":"a","action":"allow"}"#,
            r#" {"action":"allow","x":[],"id":"a"} "#,
            "{\"id\":\"a\",\"action\":\"allow\"}\r",
            r#"{"id":"a","action":"deny","action":"allow"}"#,
            r#"{"id":"\u0061","action":"\u0061llow"}"#,
        ] {
            assert!(allows(line), "{line}");
        }
        for line in [
            "",
            "allow",
            "\"allow\"",
            "[]",
            "null",
            BARE_DENY,
            r#"{"id":"a","action":"deny"}"#,
            r#"{"id":"a","action":"Allow"}"#,
            r#"{"id":"a","action":["allow"]}"#,
            r#"{"id":"a","action":true}"#,
            r#"{"id":"a","action":"allow","action":"deny"}"#,
            r#"{"id":"b","action":"allow"}"#,
            r#"{"id":["a"],"action":"allow"}"#,
            r#"{"action":"allow"}"#,
            r#"{"id":"a","action":"allow"}x"#,
            r#"{"id":"a","action":"allow""#,
            r#"{"id":"a","action":"allow","x":"\ud800"}"#,
            r#"{"id":"a","action":"allow","x":1e400}"#,
            "\u{FEFF}{\"id\":\"a\",\"action\":\"allow\"}",
        ] {
            assert!(!allows(line), "{line}");
        }
        assert!(with_allowed(b"{\"id\":\"a\",\"action\":\"allow\",\"x\":\"\xFF\"}", "a", |_| ()).is_none());
    }
}
