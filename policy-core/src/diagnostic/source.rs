//! Where the values of a document stand in its text.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::problem::member_path;
use super::quote::say;
use crate::json::{self, Node, Shape, next_character, unescape};

/// A JSON text and the places of its values.
pub(crate) struct Source<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

/// One value or key of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot(usize);

impl<'t> Source<'t> {
    /// Of a text that was scanned.
    pub(super) const fn new(text: &'t str, nodes: Vec<Node>) -> Self {
        Self { text, nodes }
    }

    /// What the text means.
    pub(super) fn tree(&self) -> json::Value<'t> {
        json::tree(self.text, &self.nodes)
    }

    pub(crate) const ROOT: Spot = Spot(0);

    fn node(&self, spot: Spot) -> Option<&Node> {
        self.nodes.get(spot.0)
    }

    /// The bytes that the value takes.
    pub(crate) fn range(&self, spot: Spot) -> Range<usize> {
        self.node(spot).map_or(0..0, |node| node.start..node.end)
    }

    /// The direct children: the items of an array; of an object its keys and values in turn.
    fn children(&self, spot: Spot, shape: Shape) -> impl Iterator<Item = Spot> + '_ {
        let is_one = self.node(spot).is_some_and(|node| node.shape == shape);
        json::children(&self.nodes, spot.0).filter(move |_| is_one).map(Spot)
    }

    /// Of an array; of anything else none.
    pub(crate) fn items(&self, array: Spot) -> impl Iterator<Item = Spot> + '_ {
        self.children(array, Shape::Array)
    }

    /// Key and value of every member of an object as written, repeated keys included.
    pub(crate) fn members(&self, object: Spot) -> impl Iterator<Item = (Spot, Spot)> + '_ {
        let mut children = self.children(object, Shape::Object);
        core::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The member that counts under this key: the last one (SPEC JSON-5).
    pub(crate) fn member(&self, object: Spot, key: &str) -> Option<(Spot, Spot)> {
        self.members(object).filter(|&(name, _)| self.text(name) == key).last()
    }

    /// The value at `section` and `field` that counts.
    pub(crate) fn field(&self, section: &str, field: &str) -> Option<Spot> {
        let (_, section) = self.member(Self::ROOT, section)?;
        self.member(section, field).map(|(_, value)| value)
    }

    /// Every object of the document.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Spot> + '_ {
        self.nodes.iter().enumerate().filter(|(_, node)| node.shape == Shape::Object).map(|(at, _)| Spot(at))
    }

    /// What a message calls the type of a value.
    pub(crate) fn type_name(&self, spot: Spot) -> &'static str {
        match self.node(spot).map(|node| node.shape) {
            Some(Shape::Object) => "an object",
            Some(Shape::Array) => "a list",
            Some(Shape::Text) => "a string",
            Some(Shape::Number) => "a number",
            Some(Shape::Word) => match self.text(spot).as_ref() {
                "true" => "true",
                "false" => "false",
                _ => "null",
            },
            None => "nothing",
        }
    }

    /// The text that a string means; of anything else its own spelling.
    pub(crate) fn text(&self, spot: Spot) -> Cow<'t, str> {
        match self.node(spot) {
            Some(node) if node.shape == Shape::Text => unescape(node.inner(self.text)),
            Some(node) => Cow::Borrowed(node.spelling(self.text)),
            None => Cow::Borrowed(""),
        }
    }

    /// Where bytes of the text that a string means stand in the source.
    pub(crate) fn range_within(&self, spot: Spot, within: Range<usize>) -> Range<usize> {
        let own = self.range(spot);
        let raw = self.text.get(own.clone()).unwrap_or_default();
        let at = |offset: usize| own.start.saturating_add(raw_offset(raw, offset)).min(own.end);
        at(within.start)..at(within.end)
    }

    /// The path of a key: SPEC DIAGNOSTIC-1.
    pub(crate) fn path(&self, key: Spot) -> String {
        let mut path = String::new();
        let mut at = Self::ROOT;
        loop {
            // The part of the value that holds the key; one of the two is empty.
            let holds = |spot: Spot| spot.0 <= key.0 && self.node(spot).is_some_and(|node| key.0 < node.next);
            let member = self.members(at).find(|&(name, value)| name == key || holds(value));
            let item = self.items(at).enumerate().find(|&(_, item)| holds(item));
            match (member, item) {
                (Some((name, value)), _) => {
                    path = member_path(&path, &self.text(name));
                    if name == key {
                        return path;
                    }
                    at = value;
                }
                (None, Some((index, item))) => {
                    path = say("#[#]", &[&path, &index.to_string()]);
                    at = item;
                }
                (None, None) => return path,
            }
        }
    }

    /// What to delete so that a member is gone that another one follows.
    pub(crate) fn member_removal(&self, key: Spot) -> Option<Range<usize>> {
        let value = self.node(Spot(key.0.saturating_add(1)))?;
        let next = self.nodes.get(value.next)?;
        Some(self.node(key)?.start..next.start)
    }

    /// What to delete so that an item of a list is gone together with one comma.
    pub(crate) fn removal(&self, array: Spot, item: Spot) -> Range<usize> {
        let own = self.range(item);
        let behind = self.node(item).map(|node| Spot(node.next));
        let end = self.node(array).map_or(0, |node| node.next);
        if let Some(next) = behind.filter(|next| next.0 < end) {
            return own.start..self.range(next).start;
        }
        let before = self.items(array).take_while(|&other| other != item).last();
        before.map_or(own.clone(), |before| self.range(before).end..own.end)
    }
}

/// The offset in the raw spelling of a string of the byte at `decoded` in what it means.
fn raw_offset(raw: &str, decoded: usize) -> usize {
    // Behind the opening quote.
    let mut rest = raw.get(1..).unwrap_or_default();
    let mut seen = 0_usize;
    while let (true, Some((character, behind))) = (seen < decoded, next_character(rest)) {
        seen = seen.saturating_add(character.len_utf8());
        rest = behind;
    }
    raw.len().saturating_sub(rest.len())
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "tests stop at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_source() {
        let text = r#" {"a": [1, "b\u00fc\ud83d\ude00c", {"x": null}], "a": {} , "c":"d"} "#;
        let source = Source::new(text, json::scan(text).unwrap());
        let keys: Vec<_> = source.members(Source::ROOT).map(|(key, _)| source.text(key)).collect();
        assert_eq!(keys, ["a", "a", "c"]);
        let (_, first) = source.members(Source::ROOT).next().unwrap();
        let items: Vec<_> = source.items(first).map(|item| &text[source.range(item)]).collect();
        assert_eq!(items, ["1", r#""b\u00fc\ud83d\ude00c""#, r#"{"x": null}"#]);
        let item = source.items(first).nth(1).unwrap();
        assert_eq!(source.text(item), "bü😀c");
        assert_eq!(&text[source.range_within(item, 0..1)], "b");
        assert_eq!(&text[source.range_within(item, 1..3)], r"\u00fc");
        assert_eq!(&text[source.range_within(item, 3..7)], r"\ud83d\ude00");
        assert_eq!(&text[source.range_within(item, 7..8)], "c");
        assert_eq!(&text[source.range(source.member(Source::ROOT, "a").unwrap().1)], "{}");
        assert_eq!(source.objects().count(), 3);
    }
}
