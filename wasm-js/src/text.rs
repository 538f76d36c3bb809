//! Bytes that should be text.

use wasm_bindgen::prelude::*;

/// Where bytes stop being UTF-8; nothing when they are.
#[wasm_bindgen(js_name = invalidUtf8Offset)]
pub fn invalid_utf8_offset(bytes: &[u8]) -> Option<usize> {
    std::str::from_utf8(bytes).err().map(|error| error.valid_up_to())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_where_the_text_ends() {
        assert_eq!(invalid_utf8_offset("é".as_bytes()), None);
        assert_eq!(invalid_utf8_offset(b"\xC3\xA9\xFF"), Some(2));
        assert_eq!(invalid_utf8_offset(b"a\xC3"), Some(1));
    }
}
