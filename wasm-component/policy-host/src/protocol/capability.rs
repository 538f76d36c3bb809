//! The secret that workers show.

use std::fmt;
use std::io;

/// The secret of one supervisor: 64 hex digits, which every request of a worker carries. `Debug` does not show it.
#[derive(Clone)]
pub struct Capability(String);

impl Capability {
    /// As a worker was given it. Whether these are 64 hex digits is seen when it is used.
    pub fn new(digits: impl Into<String>) -> Self {
        Self(digits.into())
    }

    /// A new one, of 32 random bytes from the system.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn random() -> io::Result<Self> {
        random_hex::<32>().map(Self)
    }

    /// The digits, for handing them to a worker: through its standard input or its environment, never on its
    /// command line, which everybody can read.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capability(…)")
    }
}

/// Random bytes as hex digits; for an id of a request, too.
pub(crate) fn random_hex<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::from)?;
    Ok(bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|half| char::from_digit(half.into(), 16))
        .collect())
}
