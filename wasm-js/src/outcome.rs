//! A decision as one number.
//!
//! Bits 0–2 say what was decided, bit 3 that the canonical host is spelt otherwise than the host
//! asked for, bits 4–31 hold the index of the deciding entry. `npm/src/decision.ts` unpacks it.

use policy_core::{HostRoom, Verdict};

const MALFORMED: u32 = 0;
const DENIED_BY_RULE: u32 = 1;
const NOT_PUBLIC: u32 = 2;
const ALLOWED: u32 = 3;
const REVIEW: u32 = 4;

/// Bit 3.
pub(crate) const OTHER_SPELLING: u32 = 8;

/// What JavaScript takes for a broken answer, and so for a denial: an entry whose index does not
/// fit. The text of 2^28 entries does not fit into memory either.
const BROKEN: u32 = 7;

/// The verdict on `asked`, whose canonical host is in `room`.
pub(crate) fn pack(verdict: Verdict, asked: &[u8], room: &HostRoom) -> u32 {
    let (outcome, index) = match verdict {
        Verdict::Malformed => return MALFORMED,
        Verdict::Denied(index) => (DENIED_BY_RULE, index),
        Verdict::NotPublic => (NOT_PUBLIC, 0),
        Verdict::Allowed(index) => (ALLOWED, index),
        Verdict::Unmatched => (REVIEW, 0),
    };
    let Some(index) = u32::try_from(index).ok().filter(|index| index >> 28 == 0) else { return BROKEN };
    (index << 4) | outcome | if policy_core_fast::is_same(room.host().as_bytes(), asked) { 0 } else { OTHER_SPELLING }
}

#[cfg(test)]
mod tests {
    use super::*;
    use policy_core::NetworkPolicy;

    #[test]
    fn every_outcome_has_its_number() {
        let policy = NetworkPolicy::from_lists(["x.example", "a.example"], ["z.example", "d.example:22"]).unwrap();
        let packed = |host: &str, port| {
            let mut room = HostRoom::new();
            pack(policy.verdict(host.as_bytes(), port, &mut room), host.as_bytes(), &room)
        };
        assert_eq!(packed("a b", 443), MALFORMED);
        assert_eq!(packed("d.example", 22), DENIED_BY_RULE | 1 << 4);
        assert_eq!(packed("localhost", 443), NOT_PUBLIC);
        assert_eq!(packed("a.example", 443), ALLOWED | 1 << 4);
        assert_eq!(packed("d.example", 443), REVIEW);
        assert_eq!(packed("X.example", 443), ALLOWED | OTHER_SPELLING);
        assert_eq!(packed(".", 443), NOT_PUBLIC | OTHER_SPELLING);
    }
}
