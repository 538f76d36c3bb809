//! Texts on their way into the component.

use crate::limits::HOST_CUT;

/// The text, or the beginning of one that is too long to be a host.
#[inline]
pub(crate) fn cut_host(host: &str) -> &str {
    if host.len() <= HOST_CUT {
        return host;
    }
    host.get(..host.ceil_char_boundary(HOST_CUT)).unwrap_or(host)
}

pub(crate) fn texts<S: AsRef<str>>(list: &[S]) -> Vec<&str> {
    list.iter().map(AsRef::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_too_long_for_a_host_is_cut() {
        for (text, length) in [
            ("", 0),
            ("example.com", 11),
            (&"a".repeat(255), 255),
            (&"a".repeat(256), 256),
            (&"a".repeat(257), 256),
            (&"a".repeat(100_000), 256),
            (&"é".repeat(128), 256),
            (&format!("a{}", "é".repeat(200)), 257),
            (&"😀".repeat(64), 256),
            (&format!("aaa{}", "😀".repeat(64)), 259),
        ] {
            assert_eq!(cut_host(text).len(), length);
            assert!(text.starts_with(cut_host(text)));
        }
    }
}
