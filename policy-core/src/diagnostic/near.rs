//! Which known word was meant.

use alloc::vec::Vec;

/// The known word nearest to `text`, when it is near enough that a slip of the fingers explains it.
pub(crate) fn nearest(text: &str, known: &mut dyn Iterator<Item = &'static str>) -> Option<&'static str> {
    // Whatever is longer is no slip; the distance costs the product of the lengths.
    let text: Vec<char> = text.chars().take(64).map(folded).collect();
    let near = known.map(|word| (distance(&text, word), word)).min_by_key(|&(distance, _)| distance);
    near.filter(|&(distance, word)| distance <= word.len() / 3).map(|(_, word)| word)
}

/// Case and the signs between words do not count.
fn folded(c: char) -> char {
    match c {
        '_' | ' ' => '-',
        c => c.to_ascii_lowercase(),
    }
}

/// Characters to insert, remove or replace: the Levenshtein distance, one row at a time.
fn distance(text: &[char], word: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (number, &a) in text.iter().enumerate() {
        let mut above_left = number;
        let mut left = number.saturating_add(1);
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = left;
        }
        for (cell, b) in cells.zip(word.chars()) {
            let replaced = above_left.saturating_add(usize::from(a != folded(b)));
            above_left = *cell;
            left = replaced.min(left.saturating_add(1)).min(cell.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = || ["allowedDomains", "deniedDomains", "mode", "off"].into_iter();
        for (text, word) in [
            ("allowDomains", Some("allowedDomains")),
            ("allowed_domains", Some("allowedDomains")),
            ("AllowedDomain", Some("allowedDomains")),
            ("deneidDomains", Some("deniedDomains")),
            ("domains", None),
            ("OFF", Some("off")),
            ("mdoe", None),
            ("modes", Some("mode")),
            ("on", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, &mut known()), word, "{text}");
        }
    }
}
