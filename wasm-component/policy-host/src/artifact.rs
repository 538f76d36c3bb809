//! Where the component comes from.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::error::BuildError;
use crate::precompiled;

/// The component that an engine runs.
#[derive(Clone)]
pub struct Artifact(Source);

#[derive(Clone)]
enum Source {
    #[cfg(feature = "compile")]
    Component(Bytes),
    Precompiled {
        bytes: Bytes,
        digest: Digest,
    },
}

#[derive(Clone)]
enum Bytes {
    Here(Cow<'static, [u8]>),
    File(PathBuf),
}

/// The component that `cargo xtask build component` made.
#[cfg(all(feature = "bundled", bundled_component))]
static BUNDLED: &[u8] = include_bytes!("../component/policy.component.wasm");

impl Artifact {
    /// The component that is inside this crate.
    #[cfg(all(feature = "bundled", bundled_component))]
    pub const fn bundled() -> Self {
        Self(Source::Component(Bytes::Here(Cow::Borrowed(BUNDLED))))
    }

    /// A component, from its bytes.
    ///
    /// It is compiled when the engine is made and then runs inside its sandbox: a hostile one can give wrong
    /// answers, and nothing else.
    #[cfg(feature = "compile")]
    pub fn component(bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        Self(Source::Component(Bytes::Here(bytes.into())))
    }

    /// As [`component`](Self::component), from a file that is read when the engine is made.
    #[cfg(feature = "compile")]
    pub fn component_file(path: impl Into<PathBuf>) -> Self {
        Self(Source::Component(Bytes::File(path.into())))
    }

    /// A component that [`precompile`](Self::precompile) made ready for this machine; loading takes microseconds
    /// instead of the tens of milliseconds of a compilation.
    ///
    /// Such bytes are machine code that runs with all the rights of this process. They are loaded only when
    /// their SHA-256 is `digest`, which must therefore come from where the program itself comes from: a constant
    /// in its source, a file that is as well protected as its executable. Never take it from beside the bytes.
    pub fn precompiled(bytes: impl Into<Cow<'static, [u8]>>, digest: Digest) -> Self {
        Self(Source::Precompiled { bytes: Bytes::Here(bytes.into()), digest })
    }

    /// As [`precompiled`](Self::precompiled), from a file that is read when the engine is made. The bytes that are
    /// checked are the bytes that are loaded: a file that changes in between does no harm.
    pub fn precompiled_file(path: impl Into<PathBuf>, digest: Digest) -> Self {
        Self(Source::Precompiled { bytes: Bytes::File(path.into()), digest })
    }

    /// Compiles the component for the machine that this runs on, to be kept and loaded by other processes.
    ///
    /// ```
    /// # #[cfg(feature = "bundled")] {
    /// use policy_host::{Artifact, PolicyEngine};
    ///
    /// // In a build script or an installer: keep the bytes, and the digest where nobody can exchange it.
    /// let ready = Artifact::bundled().precompile()?;
    ///
    /// // In the program.
    /// let engine = PolicyEngine::builder(Artifact::precompiled(ready.bytes, ready.digest)).build()?;
    /// assert!(engine.is_public_address("140.82.112.3"));
    /// # }
    /// # Ok::<(), policy_host::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// The component cannot be read or compiled. What is precompiled already is an error, too.
    #[cfg(feature = "compile")]
    pub fn precompile(&self) -> Result<Precompiled, BuildError> {
        match &self.0 {
            Source::Component(bytes) => precompiled::make(&bytes.read()?),
            Source::Precompiled { .. } => Err(BuildError::Compile { detail: "it is precompiled already".into() }),
        }
    }

    pub(crate) fn load(&self, engine: &Engine) -> Result<Component, BuildError> {
        match &self.0 {
            #[cfg(feature = "compile")]
            Source::Component(bytes) => precompiled::compile(engine, &bytes.read()?),
            Source::Precompiled { bytes, digest } => precompiled::load(engine, &bytes.read()?, *digest),
        }
    }
}

impl Bytes {
    fn read(&self) -> Result<Cow<'_, [u8]>, BuildError> {
        match self {
            Self::Here(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::File(path) => match fs::read(path) {
                Ok(bytes) => Ok(Cow::Owned(bytes)),
                Err(source) => Err(BuildError::Read { path: path.clone(), source }),
            },
        }
    }
}

impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, bytes) = match &self.0 {
            #[cfg(feature = "compile")]
            Source::Component(bytes) => ("component", bytes),
            Source::Precompiled { bytes, .. } => ("precompiled", bytes),
        };
        match bytes {
            Bytes::Here(bytes) => write!(f, "Artifact({what}, {} bytes)", bytes.len()),
            Bytes::File(path) => write!(f, "Artifact({what}, {})", path.display()),
        }
    }
}

/// A component compiled for one kind of machine and one version of this crate.
#[derive(Clone)]
pub struct Precompiled {
    /// To be kept, and given to [`Artifact::precompiled`].
    pub bytes: Vec<u8>,
    /// The SHA-256 of the bytes, as `sha256sum` shows it for a file that holds them.
    pub digest: Digest,
}

impl fmt::Debug for Precompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Precompiled({} bytes, {})", self.bytes.len(), self.digest)
    }
}

/// A SHA-256, written as 64 hex digits.
///
/// ```
/// use policy_host::Digest;
///
/// let digest: Digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse()?;
/// assert_eq!(digest, Digest::of(b""));
/// # Ok::<(), policy_host::InvalidDigest>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// From its 32 bytes, as a constant in a program has them.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A text that is not 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidDigest;

impl fmt::Display for InvalidDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest is 64 hex digits")
    }
}

impl std::error::Error for InvalidDigest {}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let mut bytes = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(InvalidDigest);
        }
        for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (hex(high)? << 4) | hex(low)?;
        }
        Ok(Self(bytes))
    }
}

fn hex(digit: u8) -> Result<u8, InvalidDigest> {
    let value = char::from(digit).to_digit(16).ok_or(InvalidDigest)?;
    u8::try_from(value).map_err(|_| InvalidDigest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_what_it_writes() {
        let digest = Digest::of(b"policy");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(digest.to_string().to_uppercase().parse(), Ok(digest));
        for wrong in ["", "00", &"0".repeat(63), &"0".repeat(65), &"0".repeat(66), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<Digest>(), Err(InvalidDigest), "{wrong}");
        }
    }
}
