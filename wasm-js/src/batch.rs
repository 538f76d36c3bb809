//! Many decisions in one crossing: bytes in, bytes out.
//!
//! Each question is the port and the length of the host, two little-endian bytes each, then the
//! host. Each answer is four little-endian bytes as [`outcome`] packs them; when they say that the
//! canonical host is spelt otherwise, one byte of length and the host follow.

use policy_core::NetworkPolicy;

use crate::outcome::{self, OTHER_SPELLING};

/// Answers every question. Bytes that are no question end the answers, and JavaScript denies
/// what has none.
pub(crate) fn decide(policy: &NetworkPolicy, mut questions: &[u8]) -> Vec<u8> {
    let mut answers = Vec::new();
    while let Some((port, host, rest)) = next(questions) {
        let decision = policy.decide(host, port);
        let packed = outcome::pack(&decision, host);
        answers.extend_from_slice(&packed.to_le_bytes());
        if let (true, Some(host)) = (packed & OTHER_SPELLING != 0, decision.host()) {
            answers.push(u8::try_from(host.as_str().len()).unwrap_or(0));
            answers.extend_from_slice(host.as_str().as_bytes());
        }
        questions = rest;
    }
    answers
}

fn next(questions: &[u8]) -> Option<(u16, &str, &[u8])> {
    let (port, rest) = questions.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (host, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    // What is no text is no host either.
    Some((u16::from_le_bytes(*port), std::str::from_utf8(host).unwrap_or_default(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(host: &[u8], port: u16) -> Vec<u8> {
        let length = u16::try_from(host.len()).unwrap();
        [&port.to_le_bytes(), &length.to_le_bytes(), host].concat()
    }

    #[test]
    fn each_question_is_answered_in_order() {
        let policy = NetworkPolicy::from_lists(["a.example:443"], ["1.2.3.4"]).unwrap();
        let questions =
            [question(b"a.example", 443), question(b"\xFF", 443), question(b"::ffff:1.2.3.4", 80), question(b"", 0)];
        let answers = decide(&policy, &questions.concat());
        assert_eq!(answers, b"\x03\0\0\0\x00\0\0\0\x09\0\0\0\x071.2.3.4\x00\0\0\0");
    }

    #[test]
    fn a_question_cut_short_has_no_answer() {
        let whole = question(b"a.example", 443);
        for end in 0..whole.len() {
            assert_eq!(decide(&NetworkPolicy::default(), &whole[..end]), b"", "{end}");
        }
    }
}
