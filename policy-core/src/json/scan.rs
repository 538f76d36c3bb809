//! One pass over a JSON text, without recursion: where each value stands, or where and why the text
//! is no JSON.

use alloc::vec::Vec;

use super::fault::{Fault, FaultKind};
use super::number::is_finite;

/// One value or key of the text, in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// First byte.
    pub(crate) start: usize,
    /// Behind the last byte.
    pub(crate) end: usize,
    /// Number of the first node behind this one and all that it holds.
    pub(crate) next: usize,
    pub(crate) shape: Shape,
}

impl Node {
    /// The value as it stands in the text.
    pub(crate) fn spelling<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// What stands between the quotes of a string.
    pub(crate) fn inner<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start.saturating_add(1)..self.end.saturating_sub(1)).unwrap_or_default()
    }
}

/// What a node is. The children of an object are its keys and values in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Object,
    Array,
    Text,
    Number,
    Word,
}

/// SPEC JSON-3
const MAX_OPEN: usize = 127;

/// The direct children of an object or array, by their numbers.
pub(crate) fn children(nodes: &[Node], at: usize) -> impl Iterator<Item = usize> {
    let end = nodes.get(at).map_or(0, |node| node.next);
    let within = move |child: &usize| *child < end;
    let first = Some(at.saturating_add(1)).filter(within);
    core::iter::successors(first, move |&child| nodes.get(child).map(|node| node.next).filter(within))
}

pub(crate) fn scan(text: &str) -> Result<Vec<Node>, Fault> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, comma: None, nodes: Vec::new(), open: Vec::new() };
    scanner.run()?;
    Ok(scanner.nodes)
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The comma just read, if nothing followed it yet.
    comma: Option<usize>,
    nodes: Vec<Node>,
    /// Numbers of the objects and arrays that are open.
    open: Vec<usize>,
}

#[derive(Clone, Copy)]
enum State {
    Value,
    /// A value, or the end of the array just opened.
    FirstItem,
    Key,
    /// A key, or the end of the object just opened.
    FirstKey,
    /// Behind a value.
    After,
    End,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        if self.text.starts_with('\u{FEFF}') {
            return Err(Fault { kind: FaultKind::ByteOrderMark, start: 0, end: '\u{FEFF}'.len_utf8() });
        }
        let mut state = State::Value;
        loop {
            self.skip_space();
            state = match state {
                State::FirstItem if self.peek() == Some(b']') => self.close(),
                State::FirstKey if self.peek() == Some(b'}') => self.close(),
                State::FirstItem | State::Value => self.value()?,
                State::FirstKey | State::Key => self.key()?,
                State::After => self.after()?,
                State::End => return Ok(()),
            };
        }
    }

    fn value(&mut self) -> Result<State, Fault> {
        let start = self.at;
        let Some(first) = self.peek() else { return Err(self.at_end("a value")) };
        let opened = match first {
            b'{' => Some((Shape::Object, State::FirstKey)),
            b'[' => Some((Shape::Array, State::FirstItem)),
            _ => None,
        };
        if let Some((shape, inside)) = opened {
            if self.open.len() >= MAX_OPEN {
                return Err(Fault { kind: FaultKind::TooDeep, start, end: start.saturating_add(1) });
            }
            self.open.push(self.nodes.len());
            self.bump();
            self.push(start, shape);
            self.comma = None;
            return Ok(inside);
        }
        let shape = match first {
            b'"' => {
                self.string()?;
                Shape::Text
            }
            b'-' | b'0'..=b'9' if !self.rest().starts_with("-I") => {
                self.number()?;
                Shape::Number
            }
            b'+' | b'.' if self.bytes.get(start.saturating_add(1)).is_some_and(u8::is_ascii_digit) => {
                self.take_while(is_number_part);
                let why = if first == b'+' { "the number @ begins with `+`" } else { "the number @ begins with a dot" };
                return Err(self.fault(FaultKind::Number(why), start));
            }
            _ if is_word_part(first) || first == b'-' => {
                self.bump();
                self.take_while(is_word_part);
                if !matches!(self.text.get(start..self.at), Some("true" | "false" | "null")) {
                    return Err(self.fault(FaultKind::Word, start));
                }
                Shape::Word
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.push(start, shape);
        self.comma = None;
        Ok(State::After)
    }

    fn key(&mut self) -> Result<State, Fault> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(first) if is_word_part(first) => {
                self.take_while(|b| is_word_part(b) || b == b'-');
                return Err(self.fault(FaultKind::UnquotedKey, start));
            }
            _ => return Err(self.unexpected("a key in double quotes")),
        }
        self.string()?;
        self.push(start, Shape::Text);
        self.comma = None;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:` after the key"));
        }
        self.bump();
        Ok(State::Value)
    }

    fn after(&mut self) -> Result<State, Fault> {
        let Some(shape) = self.open.last().and_then(|&open| self.nodes.get(open)).map(|node| node.shape) else {
            return match self.peek() {
                None => Ok(State::End),
                Some(_) => Err(self.unexpected("the end of the text")),
            };
        };
        let (close, next, expected) = match shape {
            Shape::Object => (b'}', State::Key, "`,` or `}`"),
            _ => (b']', State::Value, "`,` or `]`"),
        };
        match self.peek() {
            Some(b',') => {
                self.comma = Some(self.at);
                self.bump();
                Ok(next)
            }
            Some(byte) if byte == close => Ok(self.close()),
            Some(byte) if is_word_part(byte) || matches!(byte, b'"' | b'{' | b'[' | b'-') => {
                let end = self.at.saturating_add(1);
                Err(Fault { kind: FaultKind::MissingComma, start: self.at, end })
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Behind the bracket that closes the innermost object or array.
    fn close(&mut self) -> State {
        self.bump();
        let (next, end) = (self.nodes.len(), self.at);
        if let Some(node) = self.open.pop().and_then(|open| self.nodes.get_mut(open)) {
            (node.next, node.end) = (next, end);
        }
        State::After
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.bump();
        loop {
            self.take_while(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
            let at = self.at;
            match self.peek() {
                None => return Err(self.fault(FaultKind::OpenText, start)),
                Some(b'\n' | b'\r') => return Err(self.fault(FaultKind::OpenLine, start)),
                Some(b'"') => {
                    self.bump();
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => {
                    self.bump();
                    return Err(self.fault(FaultKind::Control, at));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.bump();
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.bump();
                return Ok(());
            }
            Some(b'u') => {}
            None => return Ok(()),
            Some(_) => {
                let end = self.at.saturating_add(self.char_len());
                return Err(Fault { kind: FaultKind::Escape, start, end });
            }
        }
        let unit = self.unit(start)?;
        match unit {
            // SPEC JSON-2
            0xD800..=0xDBFF => {
                let low = self.at;
                let paired = self.rest().starts_with("\\u") && matches!(self.unit_after_slash(low)?, 0xDC00..=0xDFFF);
                if paired { Ok(()) } else { Err(Fault { kind: FaultKind::LoneSurrogate, start, end: low }) }
            }
            0xDC00..=0xDFFF => Err(self.fault(FaultKind::LoneSurrogate, start)),
            _ => Ok(()),
        }
    }

    fn unit_after_slash(&mut self, start: usize) -> Result<u32, Fault> {
        self.bump();
        self.unit(start)
    }

    /// The four hex digits behind the `u` at this place.
    fn unit(&mut self, start: usize) -> Result<u32, Fault> {
        self.bump();
        let digits = self.at..self.at.saturating_add(4);
        let hex = self.text.get(digits.clone()).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
            Some(unit) => {
                self.at = digits.end;
                Ok(unit)
            }
            None => Err(self.fault(FaultKind::Escape, start)),
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.bump();
        }
        let whole = self.at;
        self.digits();
        let mut wrong = None;
        if self.at == whole {
            wrong = Some("the number @ has no digit behind `-`");
        } else if self.bytes.get(whole) == Some(&b'0') && self.at > whole.saturating_add(1) {
            wrong = Some("the number @ begins with `0`");
        }
        if self.peek() == Some(b'.') {
            self.bump();
            if self.digits() == 0 {
                wrong = wrong.or(Some("the number @ has no digit behind the dot"));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.bump();
            if let Some(b'+' | b'-') = self.peek() {
                self.bump();
            }
            if self.digits() == 0 {
                wrong = wrong.or(Some("the number @ has no digit behind the `e`"));
            }
        }
        let end = self.at;
        self.take_while(is_number_part);
        if self.at > end {
            wrong = wrong.or(Some("the number @ has characters that no number has"));
        }
        match wrong {
            Some(why) => Err(self.fault(FaultKind::Number(why), start)),
            // SPEC JSON-4
            None if !is_finite(self.text.get(start..self.at).unwrap_or_default()) => {
                Err(self.fault(FaultKind::TooLarge, start))
            }
            None => Ok(()),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        self.take_while(|b| b.is_ascii_digit());
        self.at.saturating_sub(start)
    }

    /// The fault of a character that cannot stand here.
    fn unexpected(&mut self, expected: &'static str) -> Fault {
        let start = self.at;
        let Some(next) = self.rest().chars().next() else { return self.at_end(expected) };
        let rest = self.rest();
        let (kind, len) = match next {
            '/' if rest.starts_with("//") => (FaultKind::Comment, line_len(rest)),
            '/' if rest.starts_with("/*") => {
                (FaultKind::Comment, pair_at(rest, b"*/").map_or(rest.len(), |at| at.saturating_add(2)))
            }
            '#' => (FaultKind::Comment, line_len(rest)),
            '}' | ']' if self.comma.is_some() => {
                let comma = self.comma.unwrap_or(start);
                return Fault { kind: FaultKind::TrailingComma, start: comma, end: comma.saturating_add(1) };
            }
            '\'' | '`' | '‘' | '’' | '“' | '”' | '„' | '«' => (FaultKind::Quotes, quoted_len(rest)),
            _ if next.is_whitespace() || next == '\u{FEFF}' || next == '\u{200B}' => {
                (FaultKind::Space, next.len_utf8())
            }
            _ => (FaultKind::Expected(expected), next.len_utf8()),
        };
        Fault { kind, start, end: start.saturating_add(len) }
    }

    fn at_end(&self, expected: &'static str) -> Fault {
        let kind = match self.open.last().and_then(|&open| self.nodes.get(open)) {
            Some(node) => FaultKind::Unclosed { open: node.start },
            None => FaultKind::Expected(expected),
        };
        Fault { kind, start: self.at, end: self.at }
    }

    fn fault(&self, kind: FaultKind, start: usize) -> Fault {
        Fault { kind, start, end: self.at }
    }

    fn push(&mut self, start: usize, shape: Shape) {
        let next = self.nodes.len().saturating_add(1);
        self.nodes.push(Node { start, end: self.at, next, shape });
    }

    fn skip_space(&mut self) {
        self.take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn take_while(&mut self, accepts: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.iter().position(|&byte| !accepts(byte)).unwrap_or(rest.len());
        self.at = self.at.saturating_add(taken);
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn char_len(&self) -> usize {
        self.rest().chars().next().map_or(0, char::len_utf8)
    }
}

/// Where two characters first stand side by side.
pub(crate) fn pair_at(text: &str, pair: &[u8; 2]) -> Option<usize> {
    text.as_bytes().windows(2).position(|window| window == pair)
}

fn is_word_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

fn is_number_part(byte: u8) -> bool {
    is_word_part(byte) || matches!(byte, b'.' | b'+' | b'-')
}

fn line_len(rest: &str) -> usize {
    rest.find(['\n', '\r']).unwrap_or(rest.len())
}

/// Up to the next quotation mark of the same kind on this line; the mark alone when there is none.
fn quoted_len(rest: &str) -> usize {
    let line = rest.get(..line_len(rest)).unwrap_or(rest);
    let mut chars = line.char_indices();
    let Some((_, open)) = chars.next() else { return 0 };
    let close = |c: char| match open {
        '‘' | '’' => matches!(c, '‘' | '’'),
        '“' | '”' | '„' => matches!(c, '“' | '”'),
        '«' => c == '»',
        _ => c == open,
    };
    chars.find(|&(_, c)| close(c)).map_or(open.len_utf8(), |(at, c)| at.saturating_add(c.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_limited() {
        for depth in [126, 127, 128, 129] {
            for text in ["[".repeat(depth) + &"]".repeat(depth), "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth)] {
                assert_eq!(scan(&text).is_ok(), depth <= 127, "{depth}");
            }
        }
        let text = "[".repeat(1_000_000);
        assert_eq!(scan(&text), Err(Fault { kind: FaultKind::TooDeep, start: 127, end: 128 }));
    }

    #[test]
    fn a_node_knows_what_it_holds() {
        let nodes = scan(r#" {"a": [1, true], "b": "c"} "#).unwrap();
        let seen: Vec<_> = nodes.iter().map(|node| (node.start, node.end, node.next, node.shape)).collect();
        let expected = [
            (1, 27, 7, Shape::Object),
            (2, 5, 2, Shape::Text),
            (7, 16, 5, Shape::Array),
            (8, 9, 4, Shape::Number),
            (11, 15, 5, Shape::Word),
            (18, 21, 6, Shape::Text),
            (23, 26, 7, Shape::Text),
        ];
        assert_eq!(seen, expected);
    }
}
