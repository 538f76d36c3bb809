//! The compiled form of a policy's lists (spec page `index`).
//!
//! Two hash tables of entry numbers: `exact` under the whole host, `wild` under the base of a
//! wildcard. A decision looks up the canonical host and each of its parent domains, so its cost
//! follows the number of labels, never the number of entries. Keys are not stored: a slot holds
//! the entry's number, and the entry's own text is compared.
//!
//! Polarity: the tables may only ever *miss* an entry that can match no canonical host. A denied
//! entry that were lost here would open the policy, so everything that is not plainly such an
//! entry is indexed, and a naive scan of the same rules is kept in the tests as the model.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::host::{CanonicalHost, MAX_HOST_BYTES};
use crate::pattern::{DomainPattern, List, PatternHost, parse_port};
use crate::text::to_ascii_lowercase;

/// The texts of both lists in one string: the denied entries, then the allowed ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries {
    text: String,
    ends: Vec<u32>,
    denied: u32,
}

/// The entries' text is longer than a 32-bit offset reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntriesTooLong;

impl Entries {
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
        Self { text: "*".into(), ends: alloc::vec![1], denied: 1 }
    }

    fn push(&mut self, text: &str) -> Result<(), EntriesTooLong> {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).map_err(|_| EntriesTooLong)?);
        Ok(())
    }

    fn len(&self) -> u32 {
        // An entry takes at least one byte of a text whose length fits: cannot saturate.
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    fn text(&self, number: u32) -> &str {
        let at = to_usize(number);
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(0);
        self.text.get(to_usize(start)..to_usize(end)).unwrap_or_default()
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
}

/// The first matching entry of each list, by its index in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FirstMatches {
    pub(crate) denied: Option<usize>,
    pub(crate) allowed: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Index {
    exact: HashTable<u32>,
    wild: HashTable<u32>,
    /// Keys that are not the entry's own text in lower case: addresses in another spelling,
    /// U+212A. Nearly always empty.
    odd: BTreeMap<u32, Box<[u8]>>,
    hasher: FixedState,
    /// Bytes of the shortest base of a wildcard: shorter suffixes need no look-up.
    shortest_base: usize,
    /// Some entry is for one port.
    has_ports: bool,
    /// Some entry is `*`, which is indexed as a wildcard over the empty base.
    has_any: bool,
}

impl Index {
    /// `seed` decides the places in the tables, never an answer. It comes from the policy's own
    /// fingerprint, so that nobody can prepare entries that fall into one place.
    pub(crate) fn new(entries: &Entries, seed: u64) -> Self {
        let count = entries.ends.len();
        let wildcards =
            entries.list(List::Denied).chain(entries.list(List::Allowed)).filter(|text| text.starts_with('*')).count();
        let mut index = Self {
            exact: HashTable::with_capacity(count.saturating_sub(wildcards)),
            wild: HashTable::with_capacity(wildcards),
            odd: BTreeMap::new(),
            hasher: FixedState::with_seed(seed),
            shortest_base: usize::MAX,
            has_ports: false,
            has_any: false,
        };
        for number in 0..entries.len() {
            index.insert(entries, number);
        }
        index
    }

    fn insert(&mut self, entries: &Entries, number: u32) {
        let text = entries.text(number);
        let pattern = DomainPattern::read(text);
        let denied = number < entries.denied;
        let mut buffer = [0; MAX_HOST_BYTES];
        let canonical;
        let (table, key) = match pattern.host() {
            PatternHost::Any => {
                self.has_any = true;
                (Table::Wild, Some(&[][..]))
            }
            PatternHost::Wildcard(base) => (Table::Wild, lower_case(base, &mut buffer)),
            // SPEC MATCH-6
            PatternHost::Literal(ip) => {
                canonical = CanonicalHost::from_ip(ip);
                (Table::Exact, Some(canonical.as_bytes()))
            }
            PatternHost::Name(name) => match CanonicalHost::parse(name) {
                // SPEC MATCH-7 (D10): a denied address in another spelling still denies that address.
                Ok(host) if denied => {
                    canonical = host;
                    (Table::Exact, Some(canonical.as_bytes()))
                }
                _ => (Table::Exact, lower_case(name, &mut buffer)),
            },
        };
        let Some(key) = key else { return };
        let port = pattern.port();
        if matches!(pattern.host(), PatternHost::Wildcard(_)) {
            self.shortest_base = self.shortest_base.min(key.len());
        }
        self.has_ports |= port.is_some();
        let hash = self.hash(key, port);
        if self.find(entries, table, hash, key, port, denied).is_none() {
            if !reads_as(text, table, key, port) {
                self.odd.insert(number, key.into());
            }
            // Never grows: made for all entries.
            self.table_mut(table).insert_unique(hash, number, |_| hash);
        }
    }

    /// The first entry of each list that matches `host` and `port` (SPEC MATCH-9).
    pub(crate) fn first_matches(&self, entries: &Entries, host: &CanonicalHost, port: u16) -> FirstMatches {
        let mut first = [u32::MAX; 2];
        let name = host.as_bytes();
        self.look_up(entries, Table::Exact, name, port, &mut first);
        if self.has_any {
            self.look_up(entries, Table::Wild, b"", port, &mut first);
        }
        // SPEC MATCH-3: a wildcard never matches an IP literal, which has no suffixes.
        for suffix in host.suffixes().take_while(|suffix| suffix.len() >= self.shortest_base) {
            self.look_up(entries, Table::Wild, suffix, port, &mut first);
        }
        let [denied, allowed] = first;
        FirstMatches {
            denied: (denied != u32::MAX).then(|| to_usize(denied)),
            allowed: (allowed != u32::MAX).then(|| to_usize(allowed.saturating_sub(entries.denied))),
        }
    }

    /// Lowers `first` (denied, allowed) by the entries under `key`, for every port and for `port`.
    fn look_up(&self, entries: &Entries, table: Table, key: &[u8], port: u16, first: &mut [u32; 2]) {
        let any_port = self.hash(key, None);
        self.look_up_hashed(entries, table, any_port, key, None, first);
        if self.has_ports {
            self.look_up_hashed(entries, table, with_port(any_port, port), key, Some(port), first);
        }
    }

    fn look_up_hashed(
        &self,
        entries: &Entries,
        table: Table,
        hash: u64,
        key: &[u8],
        port: Option<u16>,
        first: &mut [u32; 2],
    ) {
        let [first_denied, first_allowed] = first;
        for &number in self.table(table).iter_hash(hash) {
            let slot = if number < entries.denied { &mut *first_denied } else { &mut *first_allowed };
            if number < *slot && self.is_under(entries, number, table, key, port) {
                *slot = number;
            }
        }
    }

    fn find(
        &self,
        entries: &Entries,
        table: Table,
        hash: u64,
        key: &[u8],
        port: Option<u16>,
        denied: bool,
    ) -> Option<u32> {
        self.table(table)
            .iter_hash(hash)
            .copied()
            .find(|&number| (number < entries.denied) == denied && self.is_under(entries, number, table, key, port))
    }

    /// Whether the entry's key and port are exactly these.
    fn is_under(&self, entries: &Entries, number: u32, table: Table, key: &[u8], port: Option<u16>) -> bool {
        let text = entries.text(number);
        match self.odd.get(&number) {
            Some(odd) => **odd == *key && DomainPattern::read(text).port() == port,
            None => reads_as(text, table, key, port),
        }
    }

    fn hash(&self, key: &[u8], port: Option<u16>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(key);
        let hash = hasher.finish();
        port.map_or(hash, |port| with_port(hash, port))
    }

    fn table(&self, table: Table) -> &HashTable<u32> {
        match table {
            Table::Exact => &self.exact,
            Table::Wild => &self.wild,
        }
    }

    fn table_mut(&mut self, table: Table) -> &mut HashTable<u32> {
        match table {
            Table::Exact => &mut self.exact,
            Table::Wild => &mut self.wild,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Table {
    Exact,
    Wild,
}

/// SPEC MATCH-5: the text in lower case; `None` when no canonical host equals it, because it is
/// longer than one or not ASCII.
fn lower_case<'b>(text: &str, buffer: &'b mut [u8; MAX_HOST_BYTES]) -> Option<&'b [u8]> {
    let mut copy = |text: &str| {
        let (key, _) = buffer.split_at_mut_checked(text.len())?;
        key.copy_from_slice(text.as_bytes());
        key.make_ascii_lowercase();
        Some(())
    };
    let len = if text.is_ascii() {
        copy(text)?;
        text.len()
    } else {
        let text = to_ascii_lowercase(text)?;
        copy(&text)?;
        text.len()
    };
    buffer.get(..len)
}

/// Whether the entry's own text, in lower case, is `key` followed by `port`.
fn reads_as(text: &str, table: Table, key: &[u8], port: Option<u16>) -> bool {
    let own = match table {
        Table::Exact => text,
        Table::Wild => text.strip_prefix("*.").or_else(|| text.strip_prefix('*')).unwrap_or(text),
    };
    let Some((own, suffix)) = own.as_bytes().split_at_checked(key.len()) else { return false };
    own.eq_ignore_ascii_case(key)
        && match suffix.split_first() {
            None => port.is_none(),
            Some((b':', digits)) => {
                core::str::from_utf8(digits).is_ok_and(|digits| port.is_some() && parse_port(digits) == port)
            }
            Some(_) => false,
        }
}

/// The hash of a key for one port, from the hash of the key for every port.
fn with_port(hash: u64, port: u16) -> u64 {
    // Any odd constant spreads the port over all bits; this one is 2^64 divided by the golden ratio.
    (hash ^ u64::from(port)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
}

/// Offsets and numbers are 32 bits to halve the tables; every supported target has at least that.
fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
