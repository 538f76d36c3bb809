//! The lints in words.

use alloc::string::{String, ToString};
use core::ops::Range;

use super::Lint;
use super::effect::Effects;
use super::entries::{Entries, Entry};
use crate::diagnostic::{Code, Finding, Replacement, Source, Spot, accepted, json_string, list, say};
use crate::host::CanonicalHost;
use crate::ip::parse_ip;
use crate::pattern::{DomainPattern, List};
use crate::region::RuleKey;
use crate::supervisor::MAX_POLICY_BYTES;

impl Lint {
    /// Where in the text it is.
    pub(super) fn start(&self, source: &Source<'_>, entries: &Entries<'_>) -> usize {
        self.spot(entries).map_or(0, |spot| source.range(spot).start)
    }

    fn spot(&self, entries: &Entries<'_>) -> Option<Spot> {
        match *self {
            Self::DuplicateKey(key) | Self::TooLarge(key, _) => Some(key),
            _ => self.entry(entries).map(|entry| entry.spot),
        }
    }

    fn entry<'e, 't>(&self, entries: &'e Entries<'t>) -> Option<&'e Entry<'t>> {
        match *self {
            Self::DuplicateKey(_) | Self::TooLarge(..) => None,
            Self::DuplicatePattern(number, _)
            | Self::Dead(number)
            | Self::SameRule(number, _)
            | Self::Idle(number)
            | Self::Apex(number)
            | Self::MultiTenant(number, _)
            | Self::PublicSuffix(number)
            | Self::PrivateAddress(number)
            | Self::Companion(number, _) => entries.get(number),
        }
    }

    /// The finding, in words.
    pub(super) fn word(&self, source: &Source<'_>, entries: &Entries<'_>, effects: &Effects) -> Finding {
        let spot = self.spot(entries).unwrap_or(Source::ROOT);
        let entry = self.entry(entries);
        let told = self.tell(source, entries, effects, entry);
        let range = source.range(spot);
        Finding {
            code: told.code,
            path: entry.map_or_else(|| source.path(spot), Entry::path),
            start: range.start,
            end: range.end,
            message: told.message,
            help: told.help,
            fix: told.fix.map(|(at, text)| Replacement { start: at.start, end: at.end, text }),
        }
    }

    fn tell(&self, source: &Source<'_>, entries: &Entries<'_>, effects: &Effects, entry: Option<&Entry<'_>>) -> Told {
        let own = entry.map_or("", Entry::text);
        match *self {
            Self::DuplicateKey(key) => duplicate_key(source, key),
            Self::TooLarge(_, len) => {
                let message = "the policy takes # bytes; a supervisor sends at most #";
                let numbers = [len.to_string(), MAX_POLICY_BYTES.to_string()];
                let [len, limit] = &numbers;
                told(Code::TransportTooLarge, message, &[len, limit], "shorten the lists", &[])
            }
            Self::DuplicatePattern(_, first) => {
                let other = place(entries, first);
                told(Code::DuplicatePattern, "@ is there already, #", &[own, &other], "", &[]).removing(source, entry)
            }
            Self::Dead(_) => entry.map_or_else(Told::default, |entry| dead(source, entry)),
            Self::SameRule(_, first) => idle(entries, own, false, Some(first), false).removing(source, entry),
            Self::Idle(number) => {
                let (is_denied, cover) = entry.map_or((false, None), |entry| effects.why_idle(number, entry));
                let is_ip = entry.and_then(Entry::key).is_some_and(|key| key.is_ip());
                idle(entries, own, is_denied, cover, is_ip).removing(source, entry)
            }
            Self::Apex(_) => entry.map_or_else(Told::default, |entry| apex(source, entry)),
            Self::MultiTenant(_, services) => {
                let is_own = |key: RuleKey| services.iter().eq([key.host.text()]);
                if entry.and_then(Entry::key).is_some_and(is_own) {
                    let help = "data can leave through it; allow it only if that is acceptable";
                    return told(
                        Code::MultiTenantHost,
                        "anyone can upload to #",
                        &[&list(services.iter(), " and ")],
                        help,
                        &[],
                    );
                }
                let message = "@ allows #, and anyone can upload there";
                let help = "data can leave that way; deny what is not needed, or list the names that are";
                told(Code::MultiTenantHost, message, &[own, &list(services.iter(), " and ")], help, &[])
            }
            Self::PublicSuffix(_) => {
                let message = "@ allows names that anyone can register";
                told(Code::PublicSuffixWildcard, message, &[own], "list the names that are needed", &[])
            }
            Self::PrivateAddress(_) => {
                if entry.and_then(Entry::key).is_some_and(|key| key.is_ip()) {
                    let help = "this opens a network that is not public; remove it unless that is wanted";
                    told(Code::PrivateAddress, "@ is not a public address", &[own], help, &[])
                } else {
                    let help = "this opens the machine to the sandbox; remove it unless that is wanted";
                    told(Code::PrivateAddress, "@ names the machine itself", &[own], help, &[])
                }
            }
            Self::Companion(_, companion) => {
                let message = "@ is allowed without @, which it needs";
                let help = "add @ if packages are to be fetched";
                told(Code::CompanionHost, message, &[companion.index, companion.files], help, &[companion.files])
            }
        }
    }
}

struct Told {
    code: Code,
    message: String,
    help: String,
    fix: Option<(Range<usize>, String)>,
}

fn told(code: Code, message: &str, arguments: &[&str], help: &str, help_arguments: &[&str]) -> Told {
    Told { code, message: say(message, arguments), help: say(help, help_arguments), fix: None }
}

impl Default for Told {
    /// For an entry that is not there: not to be seen.
    fn default() -> Self {
        told(Code::MoreProblems, "", &[], "", &[])
    }
}

impl Told {
    fn removing(mut self, source: &Source<'_>, entry: Option<&Entry<'_>>) -> Self {
        self.fix = entry.map(|entry| (source.removal(entry.array, entry.spot), String::new()));
        self.help = "remove it".into();
        self
    }
}

fn idle(entries: &Entries<'_>, own: &str, is_denied: bool, cover: Option<u32>, is_ip: bool) -> Told {
    let (code, message) = match (cover, is_denied) {
        (Some(_), true) => (Code::ShadowedAllow, "@ allows nothing: # denies it"),
        (Some(_), false) => (Code::RedundantPattern, "@ changes nothing: # covers it"),
        (None, _) if is_ip => {
            (Code::RedundantPattern, "@ changes nothing: an address that no entry allows is denied anyway")
        }
        (None, _) => (Code::RedundantPattern, "@ changes nothing: all that it covers is covered without it"),
    };
    let other = cover.map_or_else(String::new, |cover| place(entries, cover));
    told(code, message, &[own, &other], "", &[])
}

/// An entry and where it is.
fn place(entries: &Entries<'_>, number: u32) -> String {
    let Some(entry) = entries.get(number) else { return String::new() };
    say("@ at #[#]", &[entry.text(), entry.list.name(), &entry.index.to_string()])
}

fn duplicate_key(source: &Source<'_>, key: Spot) -> Told {
    let message = "the key @ comes again further down; this value is ignored";
    let mut told = told(Code::DuplicateKey, message, &[&source.text(key)], "remove one of the two", &[]);
    told.fix = source.member_removal(key).map(|range| (range, String::new()));
    told
}

fn dead(source: &Source<'_>, entry: &Entry<'_>) -> Told {
    let whole = entry.text();
    let port = DomainPattern::read(whole).port().and_then(|_| whole.rsplit_once(':'));
    let name = port.map_or(whole, |(name, _)| name);
    let base = name.strip_prefix("*.");
    let address = CanonicalHost::parse(base.unwrap_or(name)).ok().filter(|host| host.ip().is_some());
    let message = match (base, &address, entry.list) {
        (Some(_), ..) => "@ never matches an address, and no name ends in a number",
        (None, Some(_), List::Allowed) => "@ is an address in a spelling that is never allowed",
        (None, Some(_), List::Denied) => "@ denies an address, in a spelling that hides which",
        (None, None, _) => "@ is no address, and no name ends in a number",
    };
    // Below a wildcard only four numbers can be meant for one address.
    let address = address.filter(|_| base.is_none_or(|base| parse_ip(base.as_bytes()).is_some()));
    let write = address.and_then(|host| accepted(&with_port_of(host.as_str(), whole), entry.list));
    let Some(write) = write else {
        return told(Code::DeadPattern, message, &[whole], "write each address or name as an entry of its own", &[]);
    };
    let mut told = told(Code::DeadPattern, message, &[whole], "write @", &[&write]);
    told.fix = Some((source.range(entry.spot), json_string(&write)));
    told
}

fn apex(source: &Source<'_>, entry: &Entry<'_>) -> Told {
    let whole = entry.text();
    let key = entry.key();
    let base = key.as_ref().map_or("", |key| key.host.text());
    let help = match entry.list {
        List::Allowed => "to allow it as well, add @",
        List::Denied => "to deny it as well, add @",
    };
    let write = accepted(&with_port_of(base, whole), entry.list).unwrap_or_default();
    let mut told = told(Code::ApexNotCovered, "@ does not cover @ itself", &[whole, base], help, &[&write]);
    let end = source.range(entry.spot).end;
    told.fix = Some((end..end, say(", #", &[&json_string(&write)])));
    told
}

/// A host with the port of this entry, if it has one.
fn with_port_of(host: &str, entry: &str) -> String {
    match DomainPattern::read(entry).port() {
        Some(port) => say("#:#", &[host, &port.to_string()]),
        None => host.into(),
    }
}
