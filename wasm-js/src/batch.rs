//! Many decisions in one crossing: bytes in, bytes out.
//!
//! The questions are all ports, then the lengths of all hosts, two little-endian bytes each, then the hosts. The answers
//! are four little-endian bytes each as [`outcome`] packs them; behind all of them stand the canonical hosts that are
//! spelt otherwise than asked, each behind one byte of length.

use policy_core::{HostRoom, NetworkPolicy};

use crate::outcome::{self, OTHER_SPELLING};

/// Answers `count` questions. Bytes that are no question end the answers, and JavaScript denies what has none.
pub(crate) fn decide(policy: &NetworkPolicy, questions: &[u8], count: usize) -> Vec<u8> {
    let mut room = HostRoom::new();
    let (numbers, mut hosts) = questions.split_at_checked(count.saturating_mul(4)).unwrap_or_default();
    let (mut answers, mut spellings) = (Vec::with_capacity(numbers.len()), Vec::new());
    let (ports, lengths) = numbers.split_at(numbers.len() / 2);
    for (port, length) in numbers_in(ports).zip(numbers_in(lengths)) {
        let Some((host, rest)) = hosts.split_at_checked(length.into()) else { break };
        let packed = outcome::pack(policy_core_fast::verdict(policy, host, port, &mut room), host, &room);
        answers.extend_from_slice(&packed.to_le_bytes());
        if packed & OTHER_SPELLING != 0 {
            let host = room.host().as_bytes();
            spellings.push(u8::try_from(host.len()).unwrap_or(0));
            spellings.extend_from_slice(host);
        }
        hosts = rest;
    }
    answers.append(&mut spellings);
    answers
}

fn numbers_in(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|number| u16::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(all: &[(&[u8], u16)]) -> Vec<u8> {
        let ports = all.iter().flat_map(|(_, port)| port.to_le_bytes());
        let lengths = all.iter().flat_map(|(host, _)| u16::try_from(host.len()).unwrap().to_le_bytes());
        ports.chain(lengths).chain(all.iter().flat_map(|(host, _)| host.iter().copied())).collect()
    }

    const ALL: [(&[u8], u16); 4] = [(b"a.example", 443), (b"\xFF", 443), (b"::ffff:1.2.3.4", 80), (b"", 0)];

    #[test]
    fn each_question_is_answered_in_order() {
        let policy = NetworkPolicy::from_lists(["a.example:443"], ["1.2.3.4"]).unwrap();
        let answers = decide(&policy, &questions(&ALL), ALL.len());
        assert_eq!(answers, b"\x03\0\0\0\x00\0\0\0\x09\0\0\0\x00\0\0\0\x071.2.3.4");
    }

    #[test]
    fn what_is_cut_short_has_fewer_answers() {
        let whole = questions(&ALL);
        for end in 0..whole.len() {
            let answers = decide(&NetworkPolicy::default(), &whole[..end], ALL.len());
            assert!(answers.len() < 4 * ALL.len(), "{end}");
        }
        assert_eq!(decide(&NetworkPolicy::default(), &whole, usize::MAX), b"");
    }
}
