//! Looks at and slims core WebAssembly modules.

use anyhow::{Context, Result};
use wasmparser::{Parser, Payload};

/// An import of a core module.
#[derive(Debug, PartialEq)]
pub(crate) struct Import {
    pub(crate) module: String,
    pub(crate) name: String,
}

/// Everything a core module imports.
pub(crate) fn imports(module: &[u8]) -> Result<Vec<Import>> {
    let mut imports = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ImportSection(section) = payload.context("not a WebAssembly module")? {
            for import in section.into_imports() {
                let import = import.context("broken import section")?;
                imports.push(Import { module: import.module.to_owned(), name: import.name.to_owned() });
            }
        }
    }
    Ok(imports)
}

/// The module without the custom sections that `keep` refuses; everything else is copied as it is.
pub(crate) fn without_custom(module: &[u8], keep: impl Fn(&str) -> bool) -> Result<Vec<u8>> {
    let mut slim = Vec::with_capacity(module.len());
    let mut copied = 0;
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.context("not a WebAssembly module")?;
        let end = match &payload {
            Payload::Version { range, .. } => range.end,
            other => match other.as_section() {
                Some((_, range)) => range.end,
                None => continue,
            },
        };
        let end = usize::try_from(end).context("broken section")?;
        let dropped = matches!(&payload, Payload::CustomSection(section) if !keep(section.name()));
        if !dropped {
            slim.extend_from_slice(module.get(copied..end).context("broken section")?);
        }
        copied = end;
    }
    Ok(slim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"\0asm\x01\0\0\0";

    fn custom(name: &str, content: &[u8]) -> Vec<u8> {
        let name_length = u8::try_from(name.len()).unwrap();
        let length = u8::try_from(1 + name.len() + content.len()).unwrap();
        [&[0, length, name_length], name.as_bytes(), content].concat()
    }

    /// `(type (func))` and `(import "env" "f" (func (type 0)))`.
    fn importing() -> Vec<u8> {
        [&b"\x01\x04\x01\x60\0\0"[..], b"\x02\x09\x01\x03env\x01f\0\0"].concat()
    }

    #[test]
    fn imports_are_listed() {
        assert_eq!(imports(HEADER).unwrap(), []);
        let module = [HEADER, &importing()].concat();
        assert_eq!(imports(&module).unwrap(), [Import { module: "env".into(), name: "f".into() }]);
    }

    #[test]
    fn only_refused_custom_sections_go() {
        let module = [HEADER, &custom("name", b"abc"), &importing(), &custom("component-type:x", b"de")].concat();
        let expected = [HEADER, &importing(), &custom("component-type:x", b"de")].concat();
        assert_eq!(without_custom(&module, |name| name.starts_with("component-type")).unwrap(), expected);
        assert_eq!(without_custom(&module, |_| true).unwrap(), module);
    }

    #[test]
    fn garbage_is_an_error() {
        assert!(imports(b"#!/bin/sh").is_err());
        assert!(without_custom(b"#!/bin/sh", |_| true).is_err());
    }
}
