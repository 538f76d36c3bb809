//! Two places in linear memory through which hosts cross without an allocation or a string
//! conversion. JavaScript asks once where they are.

use std::cell::RefCell;

use policy_core::HostRoom;
use wasm_bindgen::prelude::*;

/// Longest host that can be valid: a longer one crosses as a string.
pub(crate) const CAPACITY: usize = 255;

/// The bytes, behind a length.
type Counted = [u8; CAPACITY + 1];

thread_local! {
    static HOST: RefCell<[u8; CAPACITY]> = const { RefCell::new([0; CAPACITY]) };
    static ROOM: RefCell<HostRoom> = const { RefCell::new(HostRoom::new()) };
    static CANONICAL_HOST: RefCell<Counted> = const { RefCell::new([0; CAPACITY + 1]) };
}

/// Address of the 255 bytes that take an ASCII host before `check` or `decide`.
#[wasm_bindgen(js_name = hostAddress)]
pub fn host_address() -> usize {
    HOST.with(|host| host.as_ptr().addr())
}

/// Address of the canonical host of the last `decide` that said so: a length, then the bytes.
#[wasm_bindgen(js_name = canonicalHostAddress)]
pub fn canonical_host_address() -> usize {
    CANONICAL_HOST.with(|host| host.as_ptr().addr())
}

/// Calls `use_host` with what JavaScript wrote. A length that no host has makes the empty text, which is no host either.
pub(crate) fn with_host<T>(length: usize, use_host: impl FnOnce(&[u8]) -> T) -> T {
    HOST.with_borrow(|host| use_host(host.get(..length).unwrap_or_default()))
}

/// Room for a canonical host, the same for every call.
pub(crate) fn with_room<T>(use_room: impl FnOnce(&mut HostRoom) -> T) -> T {
    ROOM.with_borrow_mut(use_room)
}

/// Leaves a canonical host for JavaScript to read.
pub(crate) fn leave_canonical_host(host: &[u8]) {
    CANONICAL_HOST.with_borrow_mut(|counted| {
        if let (Ok(length), [count, bytes @ ..]) = (u8::try_from(host.len()), counted)
            && let Some(place) = bytes.get_mut(..host.len())
        {
            *count = length;
            place.copy_from_slice(host);
        }
    });
}

#[cfg(test)]
pub(crate) fn write_host(text: &str) -> usize {
    HOST.with_borrow_mut(|host| {
        for (place, byte) in host.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
    });
    text.len()
}

#[cfg(test)]
pub(crate) fn read_canonical_host() -> String {
    CANONICAL_HOST.with_borrow(|counted| {
        let length = usize::from(counted[0]);
        String::from_utf8(counted[1..=length].to_vec()).unwrap()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let length = write_host("example.com");
        assert_eq!(with_host(length, <[u8]>::to_vec), b"example.com");
        assert_eq!(with_host(7, <[u8]>::to_vec), b"example");
        assert_eq!(with_host(256, <[u8]>::to_vec), b"");
        assert_eq!(with_host(usize::MAX, <[u8]>::to_vec), b"");
    }

    #[test]
    fn the_longest_host_fits_both_ways() {
        let longest = "a".repeat(CAPACITY);
        assert_eq!(with_host(write_host(&longest), <[u8]>::to_vec), longest.as_bytes());
        leave_canonical_host(longest.as_bytes());
        assert_eq!(read_canonical_host(), longest);
        leave_canonical_host(b"");
        assert_eq!(read_canonical_host(), "");
    }
}
