//! Lines out of a stream of bytes, however it is cut.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::mem;

use super::limits::MAX_FRAME_BYTES;

/// The unfinished line of one stream. Never holds more than [`MAX_FRAME_BYTES`].
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    held: Vec<u8>,
}

/// What the next bytes of a stream came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Split<'b> {
    /// A line without its newline, and the bytes that follow it.
    Line { line: Cow<'b, [u8]>, rest: &'b [u8] },
    /// All bytes are held; the line goes on.
    Unfinished,
    /// The line is over the limit, ended or not. What was held is dropped.
    TooLong,
}

impl LineBuffer {
    /// Takes bytes up to the first newline. Copies only what an earlier call left unfinished.
    pub(super) fn split<'b>(&mut self, bytes: &'b [u8]) -> Split<'b> {
        let room = MAX_FRAME_BYTES.saturating_sub(self.held.len());
        // The newline itself may be the byte after a full line.
        let end = bytes.iter().take(room.saturating_add(1)).position(|&byte| byte == b'\n');
        let line = match end {
            Some(end) => bytes.get(..end).unwrap_or_default(),
            None if bytes.len() > room => {
                self.held = Vec::new();
                return Split::TooLong;
            }
            None => {
                self.hold(bytes);
                return Split::Unfinished;
            }
        };
        let rest = bytes.get(line.len().saturating_add(1)..).unwrap_or_default();
        if self.held.is_empty() {
            return Split::Line { line: Cow::Borrowed(line), rest };
        }
        self.hold(line);
        Split::Line { line: Cow::Owned(mem::take(&mut self.held)), rest }
    }

    /// Doubles the room as a `Vec` does, but never past the limit.
    fn hold(&mut self, bytes: &[u8]) {
        let needed = self.held.len().saturating_add(bytes.len());
        if needed > self.held.capacity() {
            let capacity = self.held.capacity().saturating_mul(2).min(MAX_FRAME_BYTES).max(needed);
            self.held.reserve_exact(capacity.saturating_sub(self.held.len()));
        }
        self.held.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    /// All lines of `chunks`, and whether the stream ended over-long.
    fn lines(chunks: &[&[u8]]) -> (Vec<String>, bool) {
        let mut buffer = LineBuffer::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            let mut bytes = *chunk;
            loop {
                match buffer.split(bytes) {
                    Split::Line { line, rest } => {
                        lines.push(String::from_utf8(line.into_owned()).unwrap());
                        bytes = rest;
                    }
                    Split::Unfinished => break,
                    Split::TooLong => return (lines, true),
                }
            }
            assert!(buffer.held.capacity() <= MAX_FRAME_BYTES);
        }
        (lines, false)
    }

    #[test]
    fn lines_are_the_same_however_the_stream_is_cut() {
        let stream = b"one\n\ntwo\r\nthr\xC3\xA9\nrest";
        let expected = (["one", "", "two\r", "thr\u{e9}"].map(String::from).to_vec(), false);
        assert_eq!(lines(&[stream]), expected);
        assert_eq!(lines(&stream.chunks(1).collect::<Vec<_>>()), expected);
        for cut in 0..=stream.len() {
            assert_eq!(lines(&[&stream[..cut], &[], &stream[cut..]]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn what_is_held_never_has_more_room_than_a_frame() {
        assert_eq!(lines(&[&[b'x'; 10_000], &[b'x'; 3_000], b"\n"]), (vec!["x".repeat(13_000)], false));
    }

    #[test]
    fn the_limit_counts_bytes_without_the_newline() {
        let mut full = vec![b'x'; MAX_FRAME_BYTES];
        full.push(b'\n');
        let mut over = vec![b'x'; MAX_FRAME_BYTES + 1];
        over.push(b'\n');
        for size in [1, 7, MAX_FRAME_BYTES - 1, MAX_FRAME_BYTES, MAX_FRAME_BYTES + 1, MAX_FRAME_BYTES + 2] {
            let (found, too_long) = lines(&full.chunks(size).collect::<Vec<_>>());
            assert_eq!((found.len(), found[0].len(), too_long), (1, MAX_FRAME_BYTES, false), "chunks of {size}");
            assert_eq!(lines(&over.chunks(size).collect::<Vec<_>>()), (vec![], true), "chunks of {size}");
            // Not ended.
            let unended = over.strip_suffix(b"\n").unwrap();
            assert_eq!(lines(&unended.chunks(size).collect::<Vec<_>>()), (vec![], true), "chunks of {size}");
        }
    }
}
