//! What can be wrong with a JSON text.

/// Where and why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    ByteOrderMark,
    Comment,
    /// A comma with nothing behind it; the range is the comma's.
    TrailingComma,
    /// Text in other quotes than `"`.
    Quotes,
    UnquotedKey,
    /// A bare word that JSON does not have.
    Word,
    Number(&'static str),
    /// A character below U+0020 in a text.
    Control,
    /// The line ends inside a text.
    OpenLine,
    /// The document ends inside a text.
    OpenText,
    Escape,
    LoneSurrogate,
    TooDeep,
    /// The document ends before the bracket at this place is closed.
    Unclosed {
        open: usize,
    },
    /// White space that JSON does not have.
    Space,
    /// A value begins where a comma is missing.
    MissingComma,
    /// Something else than what must stand here.
    Expected(&'static str),
    /// A number that rounds to infinity.
    TooLarge,
}
