//! The lists of a policy, kept on this side to load the policy again.

use std::iter;

/// Two lists of texts, in one allocation for the texts and one for their bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lists {
    text: Box<str>,
    /// Where each entry ends and the next begins, the allowed ones first; one more than there are entries.
    bounds: Box<[usize]>,
    allowed: usize,
}

impl Lists {
    pub(crate) fn new(allowed: &[String], denied: &[String]) -> Self {
        let entries = || allowed.iter().chain(denied);
        let text: String = entries().map(String::as_str).collect();
        let ends = entries().scan(0_usize, |end, entry| {
            *end = end.saturating_add(entry.len());
            Some(*end)
        });
        Self { bounds: iter::once(0).chain(ends).collect(), text: text.into(), allowed: allowed.len() }
    }

    pub(crate) fn allowed(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.entries().take(self.allowed)
    }

    pub(crate) fn denied(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.entries().skip(self.allowed)
    }

    fn entries(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.bounds.array_windows().map(|&[start, end]| self.text.get(start..end).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_out_as_they_went_in() {
        for (allowed, denied) in [(vec![], vec![]), (vec!["a.b", "", "é.b"], vec![]), (vec!["a.b"], vec!["c.d", "*"])]
        {
            let strings = |list: &[&str]| list.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>();
            let lists = Lists::new(&strings(&allowed), &strings(&denied));
            assert_eq!(lists.allowed().len(), allowed.len());
            assert_eq!(lists.allowed().collect::<Vec<_>>(), allowed);
            assert_eq!(lists.denied().collect::<Vec<_>>(), denied);
        }
    }
}
