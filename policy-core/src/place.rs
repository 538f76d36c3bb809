//! Line and column of an offset.

/// Where something stands in a text: a range of bytes, and line and columns of its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// First byte of the UTF-8 text.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// Line of the start, from 1.
    pub line: usize,
    /// Column of the start in characters, from 1: for people.
    pub column: usize,
    /// Column of the start in UTF-16 units, from 1: for editors.
    pub column_utf16: usize,
}

/// Finds lines and columns; offsets that come in order cost one walk through the text together.
pub(crate) struct Places<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
    column_utf16: usize,
}

impl<'t> Places<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1, column_utf16: 1 }
    }

    /// SPEC DIAGNOSTIC-5
    pub(crate) fn place(&mut self, start: usize, end: usize) -> Place {
        if start < self.at {
            *self = Self::new(self.text);
        }
        let passed = self.text.get(self.at..start).unwrap_or_default();
        for c in passed.chars() {
            if c == '\n' {
                (self.line, self.column, self.column_utf16) = (self.line.saturating_add(1), 1, 1);
            } else {
                self.column = self.column.saturating_add(1);
                self.column_utf16 = self.column_utf16.saturating_add(c.len_utf16());
            }
        }
        self.at = start;
        Place { start, end, line: self.line, column: self.column, column_utf16: self.column_utf16 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_units() {
        let mut places = Places::new("é😀x\r\n\nab");
        let mut at = |start| {
            let place = places.place(start, start);
            (place.line, place.column, place.column_utf16)
        };
        assert_eq!(at(6), (1, 3, 4));
        assert_eq!(at(10), (3, 1, 1));
        assert_eq!(at(11), (3, 2, 2));
        assert_eq!(at(2), (1, 2, 2));
        assert_eq!(at(9), (2, 1, 1));
    }
}
