//! What a JSON number says, from its digits.
//!
//! Numbers are doubles (SPEC TEXT-6), but only two things are ever asked of one: whether it rounds
//! to infinity, and whether it rounds to a small integer. Both are comparisons of decimal digits,
//! exact and without the tables that a reader of doubles brings along.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::iter;

/// The digits of the least number that rounds to infinity, 2^1024 − 2^970. The last of its 309
/// digits is no zero; a tie rounds away from the largest double, whose mantissa is odd.
const INFINITE: &[u8] = b"17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797\
      75872070963302864166928879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302\
      70069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792";

/// The decimal point of [`INFINITE`].
const INFINITE_POINT: i64 = 309;

/// Whether the number, spelled as JSON spells numbers, is a finite double (SPEC JSON-4).
pub(super) fn is_finite(spelling: &str) -> bool {
    let number = Decimal::read(spelling);
    match number.point.cmp(&INFINITE_POINT) {
        _ if number.digits.is_empty() => true,
        Ordering::Less => true,
        Ordering::Equal => number.digits.as_slice() < INFINITE,
        Ordering::Greater => false,
    }
}

/// The integer from 1 to 65535 that the number is, as a double.
pub(super) fn small_integer(spelling: &str) -> Option<u16> {
    let number = Decimal::read(spelling);
    // Nothing below 0.1 rounds to 1.
    let whole = usize::try_from(number.point).ok().filter(|&whole| whole <= 5 && !spelling.starts_with('-'))?;
    let below = number.digits.iter().copied().chain(iter::repeat(b'0')).take(whole);
    let below = below.fold(0_u32, |sum, digit| sum.saturating_mul(10).saturating_add(u32::from(digit & 15)));
    let part = number.digits.get(whole..).unwrap_or_default();
    // A double is an integer for all that is half a step around it; an even mantissa takes both ends.
    let half_step = negative_power_of_two(53_u32.saturating_sub(below.checked_ilog2().unwrap_or_default()));
    let half_step = if below == 0 { negative_power_of_two(54) } else { half_step };
    let integer = if part <= half_step.as_slice() {
        below
    } else if part >= complement(&half_step).as_slice() {
        below.saturating_add(1)
    } else {
        return None;
    };
    u16::try_from(integer).ok().filter(|&integer| integer != 0)
}

/// 0.d₁d₂d₃… × 10^point. The digits begin and end with no zero, so they compare as texts do.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn read(spelling: &str) -> Self {
        let spelling = spelling.strip_prefix('-').unwrap_or(spelling);
        let (mantissa, exponent) = spelling.split_once(['e', 'E']).unwrap_or((spelling, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(part.bytes());
        let zeros = all().take_while(|&digit| digit == b'0').count();
        let mut digits: Vec<u8> = all().skip(zeros).collect();
        digits.truncate(without_zeros(&digits).len());
        let point = signed(whole.len()).saturating_sub(signed(zeros)).saturating_add(read_exponent(exponent));
        Self { digits, point }
    }
}

/// Saturates: what is so large or small is decided by its sign, as no text has that many digits.
fn read_exponent(spelling: &str) -> i64 {
    let digits = spelling.trim_start_matches(['+', '-']);
    let value = digits.bytes().fold(0_i64, |sum, digit| sum.saturating_mul(10).saturating_add(i64::from(digit & 15)));
    if spelling.starts_with('-') { value.saturating_neg() } else { value }
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let end = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last.saturating_add(1));
    digits.get(..end).unwrap_or_default()
}

/// The digits of 2^-power behind the decimal point; none when the power is 0.
fn negative_power_of_two(power: u32) -> Vec<u8> {
    let mut digits: Vec<u8> = Vec::new();
    for step in 0..power {
        let mut carry = u8::from(step == 0);
        for digit in &mut digits {
            let value = carry.saturating_mul(10).saturating_add(*digit & 15);
            *digit = b'0' | (value >> 1);
            carry = value & 1;
        }
        if carry == 1 {
            digits.push(b'5');
        }
    }
    digits
}

/// The digits of 1 minus a fraction that ends in 5.
fn complement(digits: &[u8]) -> Vec<u8> {
    let nines = digits.iter().map(|digit| b'9'.saturating_sub(digit & 15));
    let mut digits: Vec<u8> = nines.collect();
    if let Some(last) = digits.last_mut() {
        *last = b'5';
    }
    digits
}

#[cfg(test)]
#[allow(clippy::float_cmp, clippy::as_conversions, reason = "doubles are what is compared with")]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};
    use proptest::prelude::*;

    fn as_double(spelling: &str) -> Option<u16> {
        let number: f64 = spelling.parse().unwrap();
        (1..=u16::MAX).contains(&(number as u16)).then_some(number as u16).filter(|&n| f64::from(n) == number)
    }

    fn agrees(spelling: &str) {
        assert_eq!(small_integer(spelling), as_double(spelling), "{spelling}");
        assert_eq!(is_finite(spelling), spelling.parse::<f64>().unwrap().is_finite(), "{spelling}");
    }

    #[test]
    fn the_least_infinite_number_is_right() {
        let digits = String::from_utf8(INFINITE.to_vec()).unwrap();
        assert_eq!(digits.len(), 309);
        let before = format!("{}1", digits.strip_suffix('2').unwrap());
        for (spelling, finite) in [(&digits, false), (&before, true), (&format!("{before}.9999"), true)] {
            assert_eq!(is_finite(spelling), finite);
            agrees(spelling);
        }
    }

    #[test]
    fn edges_are_those_of_doubles() {
        for spelling in [
            "0",
            "-0",
            "0.0",
            "1",
            "-1",
            "1.0",
            "10e-1",
            "0.1e1",
            "443",
            "4.43e2",
            "443.5",
            "65535",
            "65536",
            "6.5535e4",
            "655350e-1",
            "65535.5",
            "99999",
            "1e5",
            "1e300",
            "1e-400",
            "0e999999999999999999999",
            "1e-999999999999999999999",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "-1.7976931348623159e308",
            "1e308",
            "1e309",
            "0.0001e313",
            "0.99999999999999994",
            "0.99999999999999995",
            "0.999999999999999944488848768742172978818416595458984375",
            "0.99999999999999994448884876874217297881841659545898437499",
            "1.00000000000000011102230246251565404236316680908203125",
            "1.0000000000000001110223024625156540423631668090820312500000000000000000001",
            "65535.0000000000036379788070917129516601562",
            "65535.0000000000036379788070917129516601563",
            "65534.999999999996362021192908287048339843749",
            "65534.99999999999636202119290828704833984375",
        ] {
            agrees(spelling);
        }
        let zeros = "0".repeat(400);
        for spelling in [format!("0.{zeros}1e401"), format!("1{zeros}e-400"), format!("0.{zeros}1{zeros}e710")] {
            agrees(&spelling);
        }
        assert!(!is_finite("1e999999999999999999999"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

        #[test]
        fn numbers_around_integers(integer in 0_u32..70_000, steps in -6_i32..=6, tail in "[0-9]{0,3}") {
            // The double `steps` half steps away, exactly, and a little more.
            let half = f64::from(integer).max(1.0) * f64::EPSILON / 4.0;
            let exact = format!("{:.80}", f64::from(integer) + f64::from(steps) * half);
            agrees(&format!("{exact}{tail}"));
        }

        #[test]
        fn any_number(spelling in "-?(0|[1-9][0-9]{0,6})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?") {
            agrees(&spelling);
        }

        #[test]
        fn midpoints_below_an_integer(integer in 1_u16..=u16::MAX, nudge in prop::sample::select(alloc::vec!["", "0", "1", "9"])) {
            let below = f64::from(integer).next_down();
            // Twice the midpoint is exact in the digits of its halves.
            let middle = negative_power_of_two(54 - u32::from(integer).ilog2().min(53));
            let text = format!("{}.{}{nudge}", integer - 1, String::from_utf8(complement(&middle)).unwrap());
            agrees(&text);
            prop_assert!(below < f64::from(integer));
        }
    }

    #[test]
    fn powers_are_exact() {
        assert_eq!(negative_power_of_two(0), b"");
        assert_eq!(negative_power_of_two(3), b"125");
        assert_eq!(negative_power_of_two(10), b"0009765625");
        assert_eq!(complement(b"0009765625"), b"9990234375");
        assert_eq!((-10.0_f64).exp2().to_string(), "0.0009765625");
    }
}
