//! The compiled form of a policy's lists (spec page `index`).
//!
//! Hash tables lead from a key to the entries under it: the whole host for a plain entry, the base
//! for a wildcard; entries for one port have tables of their own. A decision looks up the canonical
//! host and each of its parent domains, so its cost follows the number of labels, never the number
//! of entries. A slot holds two offsets and no text: the key is compared where the entry stands.
//!
//! Polarity: the tables may only ever *miss* an entry that can match no canonical host. A denied
//! entry that were lost here would open the policy, so everything that is not plainly such an
//! entry is indexed, and a naive scan of the same rules is kept in the tests as the model.
//!
//! SPEC MATCH-10: true of the whole module.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::host::{CanonicalHost, MAX_HOST_BYTES};
use crate::pattern::{DomainPattern, List, PatternHost, parse_port};
use crate::text::to_ascii_lowercase;

/// Ends each text in [`Entries`]. No valid entry holds it (SPEC PATTERN-8).
const END: char = '/';

/// The texts of both lists in one string: the denied entries, then the allowed ones, then the keys
/// that are spelt otherwise than their entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries {
    text: String,
    /// Where the [`END`] of each entry stands.
    ends: Vec<u32>,
    denied: u32,
}

/// Most text that both lists may hold, so that 32-bit offsets reach the keys behind it too.
const MAX_ENTRIES_BYTES: u32 = 1 << 30;

/// The entries' text is longer than [`MAX_ENTRIES_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntriesTooLong;

impl Entries {
    /// For valid entries only.
    pub(crate) fn new<'a>(
        denied: impl IntoIterator<Item = &'a str>,
        allowed: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, EntriesTooLong> {
        let mut entries = Self::default();
        for text in denied {
            entries.push(text)?;
        }
        entries.denied = entries.len();
        for text in allowed {
            entries.push(text)?;
        }
        entries.text.shrink_to_fit();
        entries.ends.shrink_to_fit();
        Ok(entries)
    }

    /// The one entry `*` in the denied list.
    pub(crate) fn deny_all() -> Self {
        Self { text: "*/".into(), ends: alloc::vec![1], denied: 1 }
    }

    fn push(&mut self, text: &str) -> Result<(), EntriesTooLong> {
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).ok().filter(|&end| end <= MAX_ENTRIES_BYTES).ok_or(EntriesTooLong)?;
        self.ends.push(end);
        self.text.push(END);
        Ok(())
    }

    /// Adds a key behind the entries and returns its offset.
    fn push_key(&mut self, key: &str, port: Option<u16>) -> u32 {
        // A key is at most twice as long as its entry (`0.1` is `0.0.0.1`): the offset fits.
        let at = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.push_str(key);
        if let Some(port) = port {
            // Writing into a string cannot fail.
            let _ = write!(self.text, ":{port}");
        }
        self.text.push(END);
        at
    }

    fn len(&self) -> u32 {
        // An entry takes at least two bytes of a text whose length fits: cannot saturate.
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    fn start(&self, number: u32) -> u32 {
        let before = to_usize(number).checked_sub(1).and_then(|before| self.ends.get(before));
        before.map_or(0, |end| end.saturating_add(1))
    }

    fn text(&self, number: u32) -> &str {
        let end = self.ends.get(to_usize(number)).copied().unwrap_or(0);
        self.text.get(to_usize(self.start(number))..to_usize(end)).unwrap_or_default()
    }

    pub(crate) fn list(&self, list: List) -> impl ExactSizeIterator<Item = &str> + Clone {
        let numbers = match list {
            List::Denied => 0..self.denied,
            List::Allowed => self.denied..self.len(),
        };
        numbers.map(|number| self.text(number))
    }

    pub(crate) fn get(&self, list: List, index: usize) -> &str {
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        match list {
            List::Denied => self.text(number),
            List::Allowed => self.text(number.saturating_add(self.denied)),
        }
    }

    /// Whether the text at `at` is, in lower case, `key`, the port and the end.
    #[inline]
    fn reads_as(&self, at: u32, key: &[u8], port: Option<u16>) -> bool {
        let text = self.text.as_bytes().get(to_usize(at)..).unwrap_or_default();
        let Some((own, rest)) = text.split_at_checked(key.len()) else { return false };
        own.eq_ignore_ascii_case(key)
            && match (rest.split_first(), port) {
                (Some((b'/', _)), None) => true,
                (Some((b':', rest)), Some(_)) => {
                    let digits = rest.split(|&b| b == b'/').next().unwrap_or_default();
                    core::str::from_utf8(digits).is_ok_and(|digits| parse_port(digits) == port)
                }
                _ => false,
            }
    }
}

/// The first matching entry of each list, by its index in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FirstMatches {
    pub(crate) denied: Option<usize>,
    pub(crate) allowed: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Index {
    exact: Table,
    wild: Table,
    hasher: FixedState,
    /// Bytes of the shortest base of a wildcard: shorter suffixes need no look-up.
    shortest_base: usize,
    /// Some entry is `*`, which stands among the wildcards under the empty base.
    has_any: bool,
}

/// The entries under their keys, each key at most once for each list and port: the first.
#[derive(Debug, Clone, Default)]
struct Table {
    every_port: HashTable<Slot>,
    one_port: HashTable<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Offset of the key in the entries' text.
    key: u32,
    /// The entry.
    number: u32,
}

impl Index {
    /// `seed` decides the places in the tables, never an answer. It comes from the policy's own
    /// fingerprint, so that nobody can prepare entries that fall into one place.
    pub(crate) fn new(entries: &mut Entries, seed: u64) -> Self {
        let mut index = Self {
            exact: Table::default(),
            wild: Table::default(),
            hasher: FixedState::with_seed(seed),
            shortest_base: usize::MAX,
            has_any: false,
        };
        index.reserve(entries);
        for number in 0..entries.len() {
            index.insert(entries, number);
        }
        index
    }

    /// Makes each table for all its entries, so that none ever grows.
    fn reserve(&mut self, entries: &Entries) {
        let mut counts = [0_usize; 4];
        for text in entries.list(List::Denied).chain(entries.list(List::Allowed)) {
            let table =
                usize::from(text.starts_with('*')) * 2 + usize::from(DomainPattern::read(text).port().is_some());
            if let Some(count) = counts.get_mut(table) {
                *count = count.saturating_add(1);
            }
        }
        let [exact, exact_port, wild, wild_port] = counts.map(HashTable::with_capacity);
        self.exact = Table { every_port: exact, one_port: exact_port };
        self.wild = Table { every_port: wild, one_port: wild_port };
    }

    fn insert(&mut self, entries: &mut Entries, number: u32) {
        let pattern = DomainPattern::read(entries.text(number));
        let denied = number < entries.denied;
        let mut buffer = [0; MAX_HOST_BYTES];
        let canonical;
        let start = entries.start(number);
        let (table, key, at) = match pattern.host() {
            PatternHost::Any => {
                self.has_any = true;
                (&mut self.wild, Some(&[][..]), start.saturating_add(1))
            }
            PatternHost::Wildcard(base) => {
                // In lower case it may be shorter: U+212A takes three bytes, `k` one.
                self.shortest_base = self.shortest_base.min(base.chars().count());
                (&mut self.wild, lower_case(base, &mut buffer), start.saturating_add(2))
            }
            // SPEC MATCH-6
            PatternHost::Literal(ip) => {
                canonical = CanonicalHost::from_ip(ip);
                (&mut self.exact, Some(canonical.as_bytes()), start)
            }
            // SPEC MATCH-7 (D10): a denied address in another spelling still denies that address.
            PatternHost::Name(name) => match denied.then(|| CanonicalHost::parse(name)) {
                Some(Ok(host)) => {
                    canonical = host;
                    (&mut self.exact, Some(canonical.as_bytes()), start)
                }
                _ => (&mut self.exact, lower_case(name, &mut buffer), start),
            },
        };
        let Some(key) = key else { return };
        let port = pattern.port();
        let key_at = match entries.reads_as(at, key, port) {
            true => at,
            // The key is spelt otherwise: an address, U+212A.
            false => entries.push_key(core::str::from_utf8(key).unwrap_or_default(), port),
        };
        let slots = if port.is_none() { &mut table.every_port } else { &mut table.one_port };
        let hash = with_port(hash(&self.hasher, key), port);
        let first_allowed = entries.denied;
        let same = |slot: &Slot| (slot.number < first_allowed) == denied && entries.reads_as(slot.key, key, port);
        // The closure that hashes again is never called: the tables do not grow.
        if let Entry::Vacant(vacant) = slots.entry(hash, same, |_| hash) {
            vacant.insert(Slot { key: key_at, number });
        }
    }

    /// The first entry of each list that matches `host` and `port` (SPEC MATCH-9).
    #[inline]
    pub(crate) fn first_matches(&self, entries: &Entries, host: &CanonicalHost, port: u16) -> FirstMatches {
        let mut first = First { denied: u32::MAX, allowed: u32::MAX };
        self.look_up(entries, &self.exact, host.as_bytes(), port, &mut first);
        if self.has_any {
            self.look_up(entries, &self.wild, b"", port, &mut first);
        }
        // SPEC MATCH-3: a wildcard never matches an IP literal, which has no suffixes.
        for suffix in host.suffixes().take_while(|suffix| suffix.len() >= self.shortest_base) {
            self.look_up(entries, &self.wild, suffix, port, &mut first);
        }
        FirstMatches {
            denied: (first.denied != u32::MAX).then(|| to_usize(first.denied)),
            allowed: (first.allowed != u32::MAX).then(|| to_usize(first.allowed.saturating_sub(entries.denied))),
        }
    }

    /// Lowers `first` by the entries under `key`, for every port and for `port`.
    #[inline]
    fn look_up(&self, entries: &Entries, table: &Table, key: &[u8], port: u16, first: &mut First) {
        let key_hash = hash(&self.hasher, key);
        for (slots, port) in [(&table.every_port, None), (&table.one_port, Some(port))] {
            if slots.is_empty() {
                continue;
            }
            for slot in slots.iter_hash(with_port(key_hash, port)) {
                let first = if slot.number < entries.denied { &mut first.denied } else { &mut first.allowed };
                if slot.number < *first && entries.reads_as(slot.key, key, port) {
                    *first = slot.number;
                }
            }
        }
    }
}

/// The lowest matching entry numbers so far; `u32::MAX` for none.
struct First {
    denied: u32,
    allowed: u32,
}

/// SPEC MATCH-5: the text in lower case; `None` when no canonical host equals it, because it is
/// longer than one or not ASCII.
fn lower_case<'b>(text: &str, buffer: &'b mut [u8; MAX_HOST_BYTES]) -> Option<&'b [u8]> {
    let mut copy = |text: &str| {
        let (key, _) = buffer.split_at_mut_checked(text.len())?;
        key.copy_from_slice(text.as_bytes());
        key.make_ascii_lowercase();
        Some(text.len())
    };
    let len = if text.is_ascii() { copy(text) } else { copy(&to_ascii_lowercase(text)?) }?;
    buffer.get(..len)
}

#[inline]
fn hash(hasher: &FixedState, key: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(key);
    hasher.finish()
}

/// The hash of a key for one port, from the hash of the key for every port.
#[inline]
fn with_port(hash: u64, port: Option<u16>) -> u64 {
    match port {
        None => hash,
        // Any odd constant spreads the port over all bits; this one is 2^64 divided by the golden ratio.
        Some(port) => (hash ^ u64::from(port)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32),
    }
}

/// Offsets and numbers are 32 bits to halve the tables; every supported target has at least that.
#[inline]
fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
