//! Lays out what the runtimes answered.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::answer::Decision;
use super::destination::Destination;
use super::runtime::{Answers, RUNTIMES};

const REVIEW_NOTE: &str = "\
review means that an approver is asked about that destination. Only the answer `allow` opens it, for this
one connection, and only if every address the name resolves to is public. Any other answer, and none, is deny.
";

/// Everything that is shown.
pub(crate) struct Page {
    pub(crate) config_name: String,
    pub(crate) network: Value,
    /// The answers to parse-config.
    pub(crate) parsed: Vec<Answers>,
    pub(crate) destinations: Vec<Destination>,
    /// One for each destination.
    pub(crate) decisions: Vec<Answers>,
    pub(crate) fingerprints: Answers,
}

impl Page {
    /// How many answers each runtime gave.
    pub(crate) fn answers(&self) -> usize {
        self.all().count()
    }

    /// To how many requests the answers differ.
    pub(crate) fn disagreements(&self) -> usize {
        self.all().filter(|answers| !answers.agree()).count()
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("\npolicy of {}\n", printable(&self.config_name));
        for list in ["allowedDomains", "deniedDomains"] {
            text.push_str(&format!("  {list:14}  {}\n", self.patterns(list)));
        }
        text.push_str(&format!("\n{}", self.table()));
        for answers in self.all().filter(|answers| !answers.agree()) {
            text.push_str("\nnot the same answer:\n");
            text.push_str(&by_runtime(answers, |line| line.to_owned()));
        }
        if self.decisions.iter().any(|answers| answers.first().contains(r#""action":"review""#)) {
            text.push_str(&format!("\n{REVIEW_NOTE}"));
        }
        text.push_str("\nfingerprint of the policy\n");
        text.push_str(&by_runtime(&self.fingerprints, fingerprint));
        let runtimes = RUNTIMES.join(", ");
        text.push_str(&match self.disagreements() {
            0 => format!("\nall runtimes agree byte for byte: {} answers each from {runtimes}\n", self.answers()),
            several => format!("\nthe runtimes DIFFER in {several} of {} answers: {runtimes}\n", self.answers()),
        });
        text
    }

    fn all(&self) -> impl Iterator<Item = &Answers> {
        self.parsed.iter().chain(&self.decisions).chain([&self.fingerprints])
    }

    fn patterns(&self, list: &str) -> String {
        let patterns = self.network.get(list).and_then(Value::as_array);
        let shown: Vec<&str> = patterns.into_iter().flatten().filter_map(Value::as_str).collect();
        if shown.is_empty() { "none".to_owned() } else { printable(&shown.join(", ")) }
    }

    fn table(&self) -> String {
        let mut rows =
            vec![["destination"].into_iter().chain(RUNTIMES).chain(["decided by"]).map(str::to_owned).collect()];
        for (destination, answers) in self.destinations.iter().zip(&self.decisions) {
            let decision = Decision::read(answers.first(), destination);
            let mut row = vec![printable(&destination.to_string())];
            for (_, line) in answers.by_runtime() {
                let differs = if line == answers.first() { "" } else { " (differs)" };
                row.push(printable(&Decision::read(line, destination).action) + differs);
            }
            let spelling = decision.canonical.map(|host| format!(", as {host}")).unwrap_or_default();
            row.push(printable(&format!("{}{spelling}", decision.reason)));
            rows.push(row);
        }
        columns(&rows)
    }
}

fn by_runtime(answers: &Answers, show: impl Fn(&str) -> String) -> String {
    answers.by_runtime().map(|(runtime, line)| format!("  {runtime:8}  {}\n", printable(&show(line)))).collect()
}

fn fingerprint(line: &str) -> String {
    let answer: Value = serde_json::from_str(line).unwrap_or_default();
    answer.get("fingerprint").and_then(Value::as_str).unwrap_or(line).to_owned()
}

/// Every column as wide as its widest cell, in columns of the terminal.
fn columns(rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let mut text = String::new();
    for row in rows {
        let padded =
            |(cell, width): (&String, &usize)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())));
        let cells: Vec<String> = row.iter().zip(&widths).map(padded).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Text from a person's file or command line, safe for a terminal: what would move the cursor, turn the
/// writing direction or not be seen is spelled out.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\\' | '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ALLOW: &str = r#"{"action":"allow","reason":"rule","list":"allowedDomains","index":0,"pattern":"a.example","host":"a.example","port":443}"#;
    const REVIEW: &str = r#"{"action":"review","reason":"unmatched","host":"b.example","port":80}"#;

    fn answers(lines: [&str; RUNTIMES.len()]) -> Answers {
        Answers::new(lines.map(str::to_owned).to_vec())
    }

    fn page(wasmtime: &str) -> Page {
        Page {
            config_name: "c.json".into(),
            network: json!({ "allowedDomains": ["a.example"], "deniedDomains": [] }),
            parsed: vec![answers(["{}"; 3])],
            destinations: ["A.example", "b.example:80"].map(|text| Destination::parse(text).unwrap()).to_vec(),
            decisions: vec![answers([ALLOW, ALLOW, wasmtime]), answers([REVIEW; 3])],
            fingerprints: answers([r#"{"fingerprint":"sha256:00"}"#; 3]),
        }
    }

    #[test]
    fn runtimes_stand_side_by_side() {
        let expected = "
policy of c.json
  allowedDomains  a.example
  deniedDomains   none

destination    native  node    wasmtime  decided by
A.example:443  allow   allow   allow     allowedDomains[0] a.example, as a.example
b.example:80   review  review  review    no rule matches
";
        let text = page(ALLOW).text();
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("  wasmtime  sha256:00\n"), "{text}");
        assert!(text.contains(REVIEW_NOTE), "{text}");
        assert!(
            text.ends_with("\nall runtimes agree byte for byte: 4 answers each from native, node, wasmtime\n"),
            "{text}"
        );
    }

    #[test]
    fn a_difference_is_shown_in_full() {
        let page = page(r#"{"action":"deny"}"#);
        let text = page.text();
        assert!(text.contains("allow   allow   deny (differs)"), "{text}");
        assert!(text.contains("  wasmtime  {\"action\":\"deny\"}\n"), "{text}");
        assert!(text.ends_with("\nthe runtimes DIFFER in 1 of 4 answers: native, node, wasmtime\n"), "{text}");
        assert_eq!((page.disagreements(), page.answers()), (1, 4));
    }

    #[test]
    fn wide_characters_keep_the_columns_straight() {
        let rows = [["a", "b"], ["例え", "b"], ["e\u{301}", "b"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "a     b\n例え  b\ne\u{301}     b\n");
    }

    #[test]
    fn a_terminal_is_not_played_with() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c\u{e0041} ü 例 \"\n"), "a\\u{1b}[2Jb\\u{202e}c\\u{e0041} ü 例 \"\\n");
    }
}
