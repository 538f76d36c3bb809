//! Reads the answer to `decide` for people.

use serde_json::Value;

use super::destination::Destination;

/// A decision in words.
#[derive(Debug, PartialEq)]
pub(crate) struct Decision {
    /// `allow`, `deny` or `review`; for anything else the answer as it came.
    pub(crate) action: String,
    /// What decided.
    pub(crate) reason: String,
    /// The host that would be dialled, when that is another text than was asked for.
    pub(crate) canonical: Option<String>,
}

impl Decision {
    pub(crate) fn read(line: &str, asked: &Destination) -> Self {
        let answer: Value = serde_json::from_str(line).unwrap_or_default();
        let member = |name: &str| answer.get(name).and_then(Value::as_str);
        let Some(action) = member("action") else {
            return Self { action: line.to_owned(), reason: "not a decision".to_owned(), canonical: None };
        };
        let reason = match member("reason").unwrap_or("no reason") {
            "rule" => {
                let index = answer.get("index").map(Value::to_string).unwrap_or_default();
                let list = member("list").unwrap_or("no list");
                format!("{list}[{index}] {}", member("pattern").unwrap_or("no pattern"))
            }
            "malformed-host" => "malformed host".to_owned(),
            "not-public" => "no rule matches, and not public".to_owned(),
            "unmatched" => "no rule matches".to_owned(),
            other => other.to_owned(),
        };
        let canonical = member("host").filter(|host| *host != asked.host).map(str::to_owned);
        Self { action: action.to_owned(), reason, canonical }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Decision {
        Decision::read(line, &Destination { host: "API.example".into(), port: 443 })
    }

    #[test]
    fn a_rule_is_named_with_its_place() {
        let line = r#"{"action":"allow","reason":"rule","list":"allowedDomains","index":2,"pattern":"*.example","host":"api.example","port":443}"#;
        let expected = Decision {
            action: "allow".into(),
            reason: "allowedDomains[2] *.example".into(),
            canonical: Some("api.example".into()),
        };
        assert_eq!(read(line), expected);
    }

    #[test]
    fn other_reasons_are_words() {
        let malformed = read(r#"{"action":"deny","reason":"malformed-host","host":null,"port":443}"#);
        assert_eq!((malformed.reason.as_str(), malformed.canonical), ("malformed host", None));
        let review = read(r#"{"action":"review","reason":"unmatched","host":"API.example","port":443}"#);
        assert_eq!((review.reason.as_str(), review.canonical), ("no rule matches", None));
    }

    #[test]
    fn what_is_no_decision_is_shown_as_it_came() {
        assert_eq!(read(r#"{"error":"bad request"}"#).action, r#"{"error":"bad request"}"#);
        assert_eq!(read("garbage").action, "garbage");
    }
}
