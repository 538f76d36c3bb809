//! `HOST[:PORT]`, as it is typed.

use std::fmt;

use anyhow::Result;

use crate::cli::usage;

const DEFAULT_PORT: u16 = 443;

/// Where someone wants to connect to. The host is judged by the core; only the port is read here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Destination {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Destination {
    /// `name`, `name:80`, `[::1]`, `[::1]:80`, or `::1`: text with several colons and no brackets is all host.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if text.contains("://") {
            return usage(format!("`{text}` is a URL; a destination is a host and a port, as in `github.com:443`"));
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if text.starts_with('[') && host.ends_with(']') => (host, Some(port)),
            Some((host, port)) if !text.starts_with('[') && !host.contains(':') => (host, Some(port)),
            _ => (text, None),
        };
        let port = match port {
            Some(port) => Self::port(text, port)?,
            None => DEFAULT_PORT,
        };
        Ok(Self { host: host.to_owned(), port })
    }

    fn port(text: &str, port: &str) -> Result<u16> {
        // Neither `+80` nor `080`, which reads as a number in another base.
        let plain = port.starts_with(|first| matches!(first, '1'..='9'));
        match port.parse() {
            Ok(number) if plain => Ok(number),
            _ => usage(format!("`{port}` in `{text}` is no port: a port is 1 to 65535")),
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') && !host.starts_with('[') {
            write!(f, "[{host}]:{port}")
        } else {
            write!(f, "{host}:{port}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, u16) {
        let Destination { host, port } = Destination::parse(text).unwrap();
        (host, port)
    }

    #[test]
    fn the_port_is_optional() {
        assert_eq!(parsed("a.example"), ("a.example".into(), 443));
        assert_eq!(parsed("a.example:80"), ("a.example".into(), 80));
        assert_eq!(parsed("a.example:65535"), ("a.example".into(), 65535));
    }

    #[test]
    fn ipv6_has_colons_of_its_own() {
        assert_eq!(parsed("::1"), ("::1".into(), 443));
        assert_eq!(parsed("[::1]"), ("[::1]".into(), 443));
        assert_eq!(parsed("[::1]:8443"), ("[::1]".into(), 8443));
        assert_eq!(parsed("2001:db8::1:80"), ("2001:db8::1:80".into(), 443));
    }

    #[test]
    fn an_odd_host_is_left_to_the_core() {
        assert_eq!(parsed(""), (String::new(), 443));
        assert_eq!(parsed("[::1"), ("[::1".into(), 443));
        assert_eq!(parsed("[a]b:80"), ("[a]b:80".into(), 443));
        assert_eq!(parsed("ex ample:80"), ("ex ample".into(), 80));
    }

    #[test]
    fn a_bad_port_is_named() {
        for (host, port) in [
            ("a", ""),
            ("a", "0"),
            ("a", "080"),
            ("a", "65536"),
            ("a", "+80"),
            ("a", "80x"),
            ("a", "-1"),
            ("[::1]", ""),
            ("[::1]", "x"),
            ("a", "٤٤٣"),
        ] {
            let text = format!("{host}:{port}");
            let error = Destination::parse(&text).unwrap_err().to_string();
            assert_eq!(error, format!("`{port}` in `{text}` is no port: a port is 1 to 65535"));
        }
    }

    #[test]
    fn a_url_is_named() {
        let error = Destination::parse("https://github.com/x").unwrap_err().to_string();
        assert!(error.starts_with("`https://github.com/x` is a URL"), "{error}");
    }

    #[test]
    fn a_destination_is_shown_so_that_it_can_be_typed_again() {
        for text in ["a.example:80", "[::1]:443", "::1", "a"] {
            let destination = Destination::parse(text).unwrap();
            let again = Destination::parse(&destination.to_string()).unwrap();
            assert_eq!(again.to_string(), destination.to_string());
        }
    }
}
