//! The identity of a policy (spec page `fingerprint`).
//!
//! SPEC FINGERPRINT-4: true of the whole module.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use sha2::{Digest, Sha256};

use crate::index::Entries;
use crate::pattern::List;

/// SPEC FINGERPRINT-1: SHA-256 over the canonical JSON of a policy: equal on two hosts exactly when they run the same
/// lists in the same order. Displayed as `sha256:` and 64 lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

/// Some blocks of the hash.
const GATHER_BYTES: usize = 4096;

impl Fingerprint {
    pub(crate) fn of(entries: &Entries) -> Self {
        let mut sha = Sha256::new();
        // The hash takes many small pieces slowly: gather them.
        let mut gathered = String::new();
        write_canonical_json(entries, |part| {
            gathered.push_str(part);
            if gathered.len() >= GATHER_BYTES {
                sha.update(gathered.as_bytes());
                gathered.clear();
            }
        });
        sha.update(gathered.as_bytes());
        Self(sha.finalize().into())
    }

    /// The 32 bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 8 bytes as a number.
    pub(crate) fn seed(&self) -> u64 {
        self.0.first_chunk().copied().map_or(0, u64::from_le_bytes)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// SPEC FINGERPRINT-2: `{"allowedDomains":[…],"deniedDomains":[…]}` without white space, in pieces.
pub(crate) fn write_canonical_json(entries: &Entries, mut write: impl FnMut(&str)) {
    for (list, open) in [(List::Allowed, "{\"allowedDomains\":["), (List::Denied, "],\"deniedDomains\":[")] {
        write(open);
        for (index, text) in entries.list(list).enumerate() {
            if index > 0 {
                write(",");
            }
            write_json_string(text, &mut write);
        }
    }
    write("]}");
}

/// SPEC FINGERPRINT-3: as `JSON.stringify` writes it; only entries with something to escape pay for that.
fn write_json_string(text: &str, write: &mut impl FnMut(&str)) {
    if text.bytes().all(|b| b >= 0x20 && b != b'"' && b != b'\\') {
        write("\"");
        write(text);
        write("\"");
    } else {
        // Writing a string into memory cannot fail.
        let quoted: Cow<'_, str> = serde_json::to_string(text).map_or(Cow::Borrowed("\"\""), Cow::Owned);
        write(&quoted);
    }
}

/// The canonical JSON as one text.
pub(crate) fn canonical_json(entries: &Entries) -> String {
    let mut json = String::new();
    write_canonical_json(entries, |part| json.push_str(part));
    json
}
