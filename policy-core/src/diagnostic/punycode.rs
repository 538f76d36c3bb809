//! Labels outside ASCII in their `xn--` form: RFC 3492, for suggestions only.
//!
//! The full mapping of names (UTS 46) needs tables larger than this crate. Here are the letters for
//! which it is an identity or plain lower-casing, which covers most names in Latin, Greek, Cyrillic,
//! Chinese, Japanese and Korean; for any other there is no suggestion. A test compares every one of
//! them with the `idna` crate.

use alloc::string::String;
use alloc::vec::Vec;

use super::quote::hides;

/// The label in ASCII; `None` when it is not certain what it becomes.
pub(super) fn ascii_label(label: &str) -> Option<String> {
    if label.is_ascii() {
        return Some(label.into());
    }
    let mut chars = Vec::new();
    for c in label.chars().filter(|&c| !hides(c)) {
        chars.push(mapped(c)?);
    }
    // Refused by the standard.
    if label.starts_with('-') || label.ends_with('-') || chars.get(2..4) == Some(&['-', '-']) {
        return None;
    }
    if chars.iter().all(char::is_ascii) { Some(chars.into_iter().collect()) } else { encode(&chars) }
}

/// The letter as UTS 46 maps it, where that is certain.
fn mapped(c: char) -> Option<char> {
    let shifted = |by: u32| u32::from(c).checked_add(by).and_then(char::from_u32);
    match c {
        'a'..='z' | '0'..='9' | '-' => Some(c),
        'A'..='Z' => Some(c.to_ascii_lowercase()),
        // Latin-1
        'ß'..='ö' | 'ø'..='ÿ' => Some(c),
        'À'..='Ö' | 'Ø'..='Þ' => shifted(0x20),
        // Latin Extended-A: İ, Ĳ, ĳ, Ŀ, ŀ, ŉ and ſ become something else; elsewhere capitals and
        // small letters take turns, even first or odd first.
        'İ' | 'Ĳ' | 'ĳ' | 'Ŀ' | 'ŀ' | 'ŉ' | 'ſ' => None,
        'ı' | 'ĸ' => Some(c),
        'Ÿ' => Some('ÿ'),
        'Ā'..='ķ' | 'Ŋ'..='ŷ' => shifted(u32::from(u32::from(c) % 2 == 0)),
        'Ĺ'..='ň' | 'Ź'..='ž' => shifted(u32::from(u32::from(c) % 2 == 1)),
        // Greek
        'ά'..='ί' | 'α'..='ρ' | 'σ'..='ώ' => Some(c),
        'Α'..='Ρ' | 'Σ'..='Ω' => shifted(0x20),
        // Cyrillic
        'а'..='џ' => Some(c),
        'А'..='Я' => shifted(0x20),
        'Ѐ'..='Џ' => shifted(0x50),
        // Kana, Chinese characters, Hangul
        'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '々' | '一'..='龥' | '가'..='힣' => Some(c),
        _ => None,
    }
}

/// RFC 3492 section 6.3, its names.
fn encode(input: &[char]) -> Option<String> {
    const BASE: u32 = 36;
    let mut output = String::from("xn--");
    output.extend(input.iter().filter(|c| c.is_ascii()));
    let basic = u32::try_from(output.len().checked_sub(4)?).ok()?;
    if basic > 0 {
        output.push('-');
    }
    let (mut n, mut delta, mut bias, mut handled) = (128_u32, 0_u32, 72_u32, basic);
    while usize::try_from(handled).ok()? < input.len() {
        let m = input.iter().map(|&c| u32::from(c)).filter(|&c| c >= n).min()?;
        delta = delta.checked_add((m - n).checked_mul(handled.checked_add(1)?)?)?;
        n = m;
        for c in input.iter().map(|&c| u32::from(c)) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c == n {
                let mut q = delta;
                let mut k = BASE;
                loop {
                    let t = k.saturating_sub(bias).clamp(1, 26);
                    if q < t {
                        break;
                    }
                    output.push(digit(t + (q - t) % (BASE - t))?);
                    q = (q - t) / (BASE - t);
                    k = k.checked_add(BASE)?;
                }
                output.push(digit(q)?);
                bias = adapt(delta, handled.checked_add(1)?, handled == basic);
                delta = 0;
                handled = handled.checked_add(1)?;
            }
        }
        delta = delta.checked_add(1)?;
        n = n.checked_add(1)?;
    }
    Some(output)
}

/// RFC 3492 section 6.1
fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta = delta.saturating_add(delta.checked_div(points).unwrap_or_default());
    let mut k = 0_u32;
    while delta > 455 {
        delta /= 35;
        k = k.saturating_add(36);
    }
    k.saturating_add(36_u32.saturating_mul(delta) / delta.saturating_add(38))
}

fn digit(value: u32) -> Option<char> {
    char::from_digit(value.checked_add(10)?, 36).filter(char::is_ascii_lowercase).or_else(|| match value {
        26..=35 => char::from_digit(value - 26, 10),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

        #[test]
        fn long_labels_become_what_the_idna_crate_makes_of_them(label in "[a-zA-Z0-9äÉßŸňαΩжЯ々例え龥한힣]{0,12}ü") {
            prop_assert_eq!(ascii_label(&label), idna::domain_to_ascii(&label).ok(), "{}", label);
        }
    }

    #[test]
    fn labels_become_what_the_idna_crate_makes_of_them() {
        let mut letters = 0;
        for c in '\u{80}'..=char::MAX {
            if mapped(c).is_some() {
                letters += 1;
                for label in [format!("{c}"), format!("a{c}b"), format!("Z{c}{c}9-x")] {
                    let ours = ascii_label(&label);
                    assert_eq!(ours, idna::domain_to_ascii(&label).ok(), "{label}");
                }
            }
        }
        assert_eq!(letters, 32_588);
    }

    #[test]
    fn uncertain_labels_get_no_suggestion() {
        for label in ["İstanbul", "ſ", "u\u{308}ber", "עברית", "ab--ü", "-ü", "ü-", "😀"] {
            assert_eq!(ascii_label(label), None, "{label}");
        }
        assert_eq!(ascii_label("bücher").as_deref(), Some("xn--bcher-kva"));
        assert_eq!(ascii_label("пример").as_deref(), Some("xn--e1afmkfd"));
        assert_eq!(ascii_label("例え").as_deref(), Some("xn--r8jz45g"));
    }

    #[test]
    fn the_bias_is_that_of_rfc_3492() {
        assert_eq!(adapt(910, 1_000, false), 33);
        assert_eq!(adapt(912, 1_000, false), 45);
        assert_eq!(adapt(700, 1, true), 1);
    }
}
