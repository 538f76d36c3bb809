//! The report as a page.

use serde_json::Value;

const HEAD: &str = "# Benchmarks

Written by `cargo xtask bench`; [README.md](README.md) explains what is measured and how. Contenders of one table took
turns in one process, or as processes in one run: **trust the ratios**. Times belong to the machine below, and to what
else it was doing.
";

/// The whole report.
pub(crate) fn render(report: &Value) -> String {
    let mut page = HEAD.to_owned();
    if field(report, "quick") == true {
        page.push_str("\n**A quick run: a first look, not to be quoted.**\n");
    }
    page.push('\n');
    for (name, value) in field(report, "machine").as_object().into_iter().flatten() {
        page.push_str(&format!("- {name}: {}\n", value.as_str().unwrap_or_default()));
    }
    for name in items(report, "leftOut") {
        page.push_str(&format!("\n**The part `{}` could not be measured.**\n", name.as_str().unwrap_or_default()));
    }
    page.push_str("\n## Targets\n\n");
    page.push_str(&targets(report));
    for part in parts(report) {
        page.push_str(&format!("\n## {}\n", text(field(part, "title"))));
        for section in items(part, "sections") {
            page.push_str(&format!(
                "\n### {}\n\n{}\n\n{}",
                text(field(section, "title")),
                text(field(section, "text")),
                table(section)
            ));
        }
    }
    page
}

/// The targets alone, for the end of the run.
pub(crate) fn summary(report: &Value) -> String {
    let mut lines = String::new();
    for target in all_targets(report) {
        let verdict = Verdict::of(target);
        let word = if verdict.met { "met   " } else { "MISSED" };
        lines.push_str(&format!(
            "{word}  {}: {} ({})\n",
            text(field(target, "what")).replace('`', ""),
            quantity(field(target, "measured"), text(field(target, "unit"))),
            goal(target)
        ));
    }
    lines
}

fn targets(report: &Value) -> String {
    let mut rows = vec![["target", "goal", "measured", "", "note"].map(str::to_owned)];
    for target in all_targets(report) {
        rows.push([
            text(field(target, "what")).to_owned(),
            goal(target),
            quantity(field(target, "measured"), text(field(target, "unit"))),
            Verdict::of(target).words(),
            text(field(target, "note")).to_owned(),
        ]);
    }
    markdown(&rows, &[false, true, true, false, false])
}

fn table(section: &Value) -> String {
    let columns = field(section, "columns").as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rows = vec![columns.iter().map(|column| text(field(column, "name")).to_owned()).collect::<Vec<_>>()];
    for row in items(section, "rows") {
        let cells = row.as_array().into_iter().flatten().zip(columns);
        rows.push(cells.map(|(cell, column)| quantity(cell, text(field(column, "unit")))).collect());
    }
    let right: Vec<bool> = columns.iter().map(|column| text(field(column, "unit")) != "text").collect();
    markdown(&rows, &right)
}

/// The first row is the head.
fn markdown<R: AsRef<[String]>>(rows: &[R], right: &[bool]) -> String {
    let mut page = String::new();
    for (number, row) in rows.iter().enumerate() {
        page.push_str(&format!("| {} |\n", row.as_ref().join(" | ")));
        if number == 0 {
            let rule: Vec<&str> = right.iter().map(|&right| if right { "---:" } else { "---" }).collect();
            page.push_str(&format!("| {} |\n", rule.join(" | ")));
        }
    }
    page
}

/// How a measured figure stands to its limit.
struct Verdict {
    met: bool,
    /// Part of the limit that is missing, or left.
    distance: f64,
}

impl Verdict {
    fn of(target: &Value) -> Self {
        let number = |name: &str| field(target, name).as_f64().unwrap_or(f64::NAN);
        let (measured, limit) = (number("measured"), number("limit"));
        let met = if is_at_most(target) { measured <= limit } else { measured >= limit };
        Self { met, distance: (measured / limit - 1.0).abs() }
    }

    fn words(&self) -> String {
        let distance = if self.distance < 2.0 {
            format!("{:.0} %", self.distance * 100.0)
        } else {
            format!("{:.1} ×", self.distance + 1.0)
        };
        if self.met { format!("met, by {distance}") } else { format!("**missed by {distance}**") }
    }
}

fn goal(target: &Value) -> String {
    let sign = if is_at_most(target) { "≤" } else { "≥" };
    format!("{sign} {}", quantity(field(target, "limit"), text(field(target, "unit"))))
}

fn is_at_most(target: &Value) -> bool {
    field(target, "sense") == "at-most"
}

/// A number in its unit, with about three digits that count.
fn quantity(value: &Value, unit: &str) -> String {
    match (value.as_f64(), unit) {
        (None, _) if value.is_null() => "–".to_owned(),
        (None, _) => text(value).to_owned(),
        (Some(number), "time") => time(number),
        (Some(number), "ratio") => format!("{} ×", digits(number)),
        (Some(number), "part") => format!("{:.0} %", number * 100.0),
        (Some(number), _) => separated(&format!("{number:.0}")),
    }
}

fn time(ns: f64) -> String {
    let (number, unit) = match ns.abs() {
        small if small < 1e3 => (ns, "ns"),
        small if small < 1e6 => (ns / 1e3, "µs"),
        small if small < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(number))
}

fn digits(number: f64) -> String {
    match number.abs() {
        small if small < 10.0 => format!("{number:.2}"),
        small if small < 100.0 => format!("{number:.1}"),
        _ => separated(&format!("{number:.0}")),
    }
}

/// `1234567` as `1,234,567`.
fn separated(whole: &str) -> String {
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn all_targets(report: &Value) -> impl Iterator<Item = &Value> {
    parts(report).flat_map(|part| items(part, "targets"))
}

fn parts(report: &Value) -> impl Iterator<Item = &Value> {
    items(report, "parts")
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    field(value, name).as_array().into_iter().flatten()
}

/// A member; null when there is none.
fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    static NULL: Value = Value::Null;
    value.get(name).unwrap_or(&NULL)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        let shown = |number: f64, unit: &str| quantity(&json!(number), unit);
        assert_eq!(shown(41.23, "time"), "41.2 ns");
        assert_eq!(shown(2_712.0, "time"), "2.71 µs");
        assert_eq!(shown(499e6, "time"), "499 ms");
        assert_eq!(shown(1.048, "ratio"), "1.05 ×");
        assert_eq!(shown(123_456.7, "ratio"), "123,457 ×");
        assert_eq!(shown(0.5, "part"), "50 %");
        assert_eq!(shown(1_000_000.0, "count"), "1,000,000");
        assert_eq!(quantity(&Value::Null, "time"), "–");
        assert_eq!(quantity(&json!("not here"), "time"), "not here");
    }

    #[test]
    fn separators_leave_the_sign_alone() {
        assert_eq!(separated("-123"), "-123");
        assert_eq!(separated("-1234"), "-1,234");
    }

    fn target(sense: &str, limit: f64, measured: f64) -> Value {
        json!({ "what": "speed", "sense": sense, "limit": limit, "unit": "ratio", "measured": measured, "note": "" })
    }

    #[test]
    fn a_target_is_met_at_its_limit() {
        assert!(Verdict::of(&target("at-most", 1.25, 1.25)).met);
        assert!(Verdict::of(&target("at-least", 10.0, 10.0)).met);
        assert_eq!(Verdict::of(&target("at-most", 1.0, 1.5)).words(), "**missed by 50 %**");
        assert_eq!(Verdict::of(&target("at-least", 10.0, 15.0)).words(), "met, by 50 %");
        assert_eq!(Verdict::of(&target("at-least", 10.0, 100.0)).words(), "met, by 10.0 ×");
        assert!(!Verdict::of(&json!({})).met);
    }

    #[test]
    fn a_report_becomes_tables() {
        let report = json!({
            "quick": false,
            "machine": { "date": "2026-01-01" },
            "leftOut": ["node"],
            "parts": [{
                "title": "Native",
                "sections": [{
                    "title": "Size",
                    "text": "All of it.",
                    "columns": [{ "name": "what", "unit": "text" }, { "name": "bytes", "unit": "bytes" }],
                    "rows": [["it", 1234]],
                }],
                "targets": [target("at-most", 2.0, 1.0)],
            }],
        });
        let page = render(&report);
        for piece in [
            "- date: 2026-01-01\n",
            "**The part `node` could not be measured.**\n",
            "| speed | ≤ 2.00 × | 1.00 × | met, by 50 % |  |\n",
            "## Native\n\n### Size\n\nAll of it.\n\n| what | bytes |\n| --- | ---: |\n| it | 1,234 |\n",
        ] {
            assert!(page.contains(piece), "{piece}\nis not in\n{page}");
        }
        assert_eq!(summary(&report), "met     speed: 1.00 × (≤ 2.00 ×)\n");
    }
}
