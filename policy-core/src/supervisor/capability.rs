//! The secret that a worker shows with every request.

use core::fmt;
use core::hint::black_box;

/// SPEC SUPERVISOR-4: the secret of one supervisor, 64 hex digits. The only way in is [`Capability::parse`]; it is never
/// printed by `Debug` and compared in constant time.
#[derive(Clone)]
pub struct Capability([u8; DIGITS]);

/// The text is not 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCapability;

impl fmt::Display for InvalidCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a capability has 64 hex digits")
    }
}

impl core::error::Error for InvalidCapability {}

impl Capability {
    /// From the hex digits of 32 random bytes, which the host draws. Their case is kept.
    ///
    /// # Errors
    /// [`InvalidCapability`] when `text` is not 64 hex digits.
    pub fn parse(text: &str) -> Result<Self, InvalidCapability> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().map_err(|_| InvalidCapability)?;
        if digits.iter().all(u8::is_ascii_hexdigit) { Ok(Self(digits)) } else { Err(InvalidCapability) }
    }

    /// The digits, for handing them to a worker.
    pub fn reveal(&self) -> &str {
        // Always ASCII: `parse` checked it.
        core::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Whether `text` is this capability, case included. Takes the same time wherever the two differ; that the length is
    /// 64 is no secret.
    pub fn matches(&self, text: &str) -> bool {
        let Ok(other) = <&[u8; DIGITS]>::try_from(text.as_bytes()) else { return false };
        // `black_box` in every step keeps the optimiser from leaving the loop at the first difference.
        self.0.iter().zip(other).fold(0, |difference: u8, (a, b)| black_box(difference | (a ^ b))) == 0
    }
}

impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capability(…)")
    }
}

/// Hex digits of 32 bytes, from the protocol.
const DIGITS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    const TEXT: &str = "0123456789abcdef0123456789abcdef0123456789ABCDEF0123456789ABCDEF";

    #[test]
    fn is_64_hex_digits() {
        assert_eq!(Capability::parse(TEXT).unwrap().reveal(), TEXT);
        let short = TEXT.strip_suffix('F').unwrap();
        let long = format!("{TEXT}0");
        let with_g = TEXT.replace('f', "g");
        let two_byte_letter = format!("{}é", TEXT.strip_suffix("EF").unwrap());
        for text in ["", short, &long, &with_g, &two_byte_letter] {
            assert_eq!(Capability::parse(text).unwrap_err(), InvalidCapability, "{text}");
        }
    }

    #[test]
    fn a_difference_in_any_digit_counts_and_so_does_case() {
        let capability = Capability::parse(TEXT).unwrap();
        assert!(capability.matches(TEXT));
        assert!(!capability.matches(&TEXT.to_ascii_lowercase()));
        for text in ["", TEXT.strip_suffix('F').unwrap(), &format!("{TEXT}0"), &format!("{TEXT} "), "é"] {
            assert!(!capability.matches(text), "{text}");
        }
        for at in 0..TEXT.len() {
            for bit in 0..7 {
                let mut other = String::from(TEXT).into_bytes();
                other[at] ^= 1 << bit;
                assert!(!capability.matches(core::str::from_utf8(&other).unwrap()), "digit {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn debug_shows_no_digit() {
        assert_eq!(format!("{:?}", Capability::parse(TEXT).unwrap()), "Capability(…)");
    }
}
