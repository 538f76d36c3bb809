//! What inputs cost: memory is counted, byte by byte, while the worst ones known are answered. No clocks: a slow machine
//! is no failure. Every input is answered correctly, and none takes more than a fixed number of times its own size.

#![allow(
    clippy::as_conversions,
    clippy::string_slice,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "tests stop at the first surprise"
)]

use std::fmt::Write as _;

use counting::measure;
use policy_core::{
    Action, CanonicalHost, Capability, Config, ConfigError, DomainPattern, List, MAX_DIAGNOSTICS, MAX_FRAME_BYTES,
    NetworkPolicy, Output, Profile, Relation, Supervisor, SupervisorOptions, compare, config_schema, validate_config,
};

/// What an answer may need besides its input: a message, some small tables.
const SMALL: usize = 16 * 1024;

#[test]
fn a_megabyte_of_dots_is_denied_without_memory() {
    let policy = NetworkPolicy::from_lists(["*.example.com"], ["b.example.com"]).unwrap();
    for text in
        [".", "a.", "1.", "0x", ":", "[", "f:", "%", "\u{e9}", "\0"].map(|part| part.repeat((1 << 20) / part.len()))
    {
        let (action, cost) = measure(|| policy.check(&text, 443));
        assert_eq!((action, cost.allocations), (Action::Deny, 0), "decide {:?}…", &text[..2]);
        let (canonical, cost) = measure(|| CanonicalHost::parse(&text).is_ok());
        assert_eq!((canonical, cost.allocations), (false, 0), "canonicalise {:?}…", &text[..2]);
        let (public, cost) = measure(|| policy_core::is_public_address(&text));
        assert_eq!((public, cost.allocations), (false, 0), "address {:?}…", &text[..2]);
        let (name, cost) = measure(|| policy_core::normalize_public_hostname(&text));
        assert_eq!(name, None);
        assert!(cost.peak <= 2 * text.len() + SMALL, "public name {:?}…: {cost:?}", &text[..2]);
        let (_, cost) = measure(|| DomainPattern::parse(&text, List::Denied, Profile::Transport).is_ok());
        assert_eq!(cost.allocations, 0, "entry {:?}…", &text[..2]);
    }
}

#[test]
fn the_longest_hosts_are_decided_without_memory() {
    let bases: Vec<String> = (0..1000).map(|n| format!("*.{}a{n}.example", "a.".repeat(n % 100))).collect();
    let policy = NetworkPolicy::from_lists(bases.iter().map(String::as_str), ["*.a.a"]).unwrap();
    for (host, expected) in [
        ("a.".repeat(127) + "a", Action::Deny),
        ("a.".repeat(124) + "b.c", Action::Review),
        (".".repeat(255), Action::Deny),
        ("-".repeat(255), Action::Deny),
        ("1.".repeat(126) + "1", Action::Review),
        ("1.".repeat(127) + "1", Action::Deny),
        ("a.".repeat(100) + "a7.example", Action::Allow),
    ] {
        let (action, cost) = measure(|| policy.check(&host, 443));
        assert_eq!((action, cost.allocations), (expected, 0), "{host}");
    }
}

#[test]
fn nested_arrays_are_refused_without_memory() {
    for open in ["[", "{\"a\":", "[{\"network\":", " [\n"] {
        let text = open.repeat(100_000);
        let (config, cost) = measure(|| Config::parse(&text));
        assert!(matches!(config, Err(ConfigError::Json(_))), "{open}");
        assert!(cost.peak <= SMALL, "{open}: {cost:?}");
        let (policy, cost) = measure(|| NetworkPolicy::from_transport(&text));
        assert_eq!(policy, NetworkPolicy::deny_all(), "{open}");
        assert!(cost.peak <= SMALL, "{open}: {cost:?}");
    }
}

#[test]
fn a_hundred_thousand_keys_take_memory_in_proportion() {
    let keys = |count: usize, key: fn(usize) -> String| {
        let members: Vec<String> = (0..count).map(|n| format!("\"{}\":0", key(n))).collect();
        format!("{{{}}}", members.join(","))
    };
    let makers: [fn(usize) -> String; 4] =
        [|n| format!("key{n}"), |n| n.to_string(), |_| "network".into(), |n| format!("k{}", n % 7)];
    for key in makers {
        grows_with_the_text(|count| keys(count, key), |text| assert!(Config::parse(text).is_err()), 100_000, 40);
        grows_with_the_text(
            |count| format!("{{\"deniedDomains\":[],\"allowedDomains\":{}}}", keys(count, key)),
            |text| assert_eq!(NetworkPolicy::from_transport(text), NetworkPolicy::deny_all()),
            100_000,
            40,
        );
    }
}

#[test]
fn long_lists_take_memory_in_proportion() {
    let entries: [(&str, fn(usize) -> String); 6] = [
        ("names", |n| format!("a{n}.example")),
        ("one name", |_| "a.example".into()),
        ("wildcards", |n| format!("*.a{n}.example:443")),
        ("odd addresses", |n| format!("0x{n:x}.1")),
        ("wrong", |n| format!("wrong{n}")),
        ("blank", |_| " ".into()),
    ];
    for (what, entry) in entries {
        let text = |count: usize| {
            let list: Vec<String> = (0..count).map(|n| format!("\"{}\"", entry(n))).collect();
            format!("{{\"network\":{{\"deniedDomains\":[{}]}}}}", list.join(","))
        };
        let good = !matches!(what, "wrong" | "blank");
        grows_with_the_text(text, |text| assert_eq!(Config::parse(text).is_ok(), good, "{what}"), 40_000, 64);
    }
}

#[test]
fn a_million_entries_take_memory_in_proportion() {
    let mut text = String::new();
    let mut ends = vec![0];
    for number in 0..1_000_000 {
        write!(text, "{}h{number}.example", if number % 3 == 0 { "*." } else { "" }).unwrap();
        ends.push(text.len());
    }
    let entries = ends.windows(2).map(|ends| &text[ends[0]..ends[1]]);
    let (policy, cost) = measure(|| NetworkPolicy::from_lists([], entries).unwrap());
    assert!(cost.peak <= 5 * text.len(), "{} bytes of entries: {cost:?}", text.len());
    for (host, action) in
        [("h999999.example", Action::Review), ("x.h999999.example", Action::Deny), ("h999998.example", Action::Deny)]
    {
        let (found, cost) = measure(|| policy.check(host, 443));
        assert_eq!((found, cost.allocations), (action, 0), "{host}");
    }
}

#[test]
fn other_helpers_take_memory_in_proportion() {
    let addresses = vec!["8.8.8.8"; 100_000];
    let (public, cost) = measure(|| policy_core::check_addresses(addresses.iter().copied()));
    assert_eq!((public, cost.allocations), (true, 0));
    let command = "\u{2003}".repeat(300_000) + "git push" + &" ".repeat(300_000);
    let (prefix, cost) = measure(|| policy_core::matching_preflight_prefix(&command, vec!["git"; 1000]));
    assert_eq!(prefix, Some("git"));
    assert!(cost.peak <= 1000 * size_of::<&str>() + SMALL, "{cost:?}");
    let stderr = "operation not permitte".repeat(50_000);
    let (found, cost) = measure(|| policy_core::is_unix_socket_permission_error(&stderr));
    assert_eq!((found, cost.allocations), (false, 0));
}

#[test]
fn problems_take_memory_in_proportion() {
    let items: [(&str, fn(usize) -> String); 6] = [
        ("wrong", |n| format!("\"wrong{n}\"")),
        ("unicode", |n| format!("\"b\u{fc}cher{n}.example\"")),
        ("numbers", |n| n.to_string()),
        ("objects", |_| "{\"\":[]}".into()),
        ("escapes", |_| "\"\\u00e9\\ud83d\\ude00\"".into()),
        ("long ones", |_| format!("\"{}\"", "x".repeat(300))),
    ];
    for (what, item) in items {
        let text = |count: usize| {
            let list: Vec<String> = (0..count).map(item).collect();
            format!("{{\"network\":{{\"allowedDomains\":[{}]}}}}", list.join(",\n"))
        };
        let problems = |text: &String| {
            let validation = validate_config(text);
            assert_eq!((validation.is_valid(), validation.diagnostics.len()), (false, MAX_DIAGNOSTICS + 1), "{what}");
        };
        grows_with_the_text(text, problems, 10_000, 96);
    }
    let keys = |count: usize| {
        let keys: Vec<String> = (0..count).map(|n| format!("\"netwrok{n}\":0")).collect();
        format!("{{{}}}", keys.join(","))
    };
    grows_with_the_text(keys, |text| assert!(!validate_config(text).is_valid()), 10_000, 64);
}

#[test]
fn a_text_that_is_no_json_has_one_problem_in_little_memory() {
    for (part, count) in
        [("[", 1 << 20), ("{\"a\":[],", 100_000), ("\"", 1 << 20), ("/*", 1 << 20), ("\u{ab}", 1 << 19)]
    {
        let text = part.repeat(count);
        let (problems, cost) = measure(|| validate_config(&text).diagnostics.len());
        assert_eq!(problems, 1, "{part}");
        assert!(cost.peak <= 32 * text.len(), "{part}: {cost:?}");
    }
}

#[test]
fn lints_take_memory_in_proportion() {
    let entries: [(&str, fn(usize) -> String); 6] = [
        ("one name", |_| "a.example.com".into()),
        ("spellings", |n| format!("{}.example.com", if n % 2 == 0 { "a" } else { "A" })),
        ("names below", |n| format!("{}{}example.com", if n % 3 == 0 { "*." } else { "" }, "a.".repeat(n % 30))),
        ("ports", |n| format!("a{}.example.com:{}", n % 7, 1 + n % 65_535)),
        ("ports of one", |n| format!("*.example.com:{}", 1 + n % 65_535)),
        ("suffixes", |n| format!("*.co.uk:{}", 1 + n % 65_535)),
    ];
    for (what, entry) in entries {
        let text = |count: usize| {
            let list: Vec<String> = (0..count).map(|n| format!("\"{}\"", entry(n))).collect();
            let list = list.join(",");
            format!("{{\"network\":{{\"allowedDomains\":[{list}],\"deniedDomains\":[{list}]}}}}")
        };
        let lints = |text: &String| {
            let validation = validate_config(text);
            assert!(validation.is_valid() && !validation.diagnostics.is_empty(), "{what}");
        };
        grows_with_the_text(text, lints, 4_000, 64);
    }
}

#[test]
fn an_explanation_takes_little_memory_however_long_the_lists() {
    let entries: Vec<String> = (0..10_000).map(|n| format!("*.example.com:{}", 1 + n)).collect();
    let lists = || entries.iter().map(String::as_str);
    let policy = NetworkPolicy::from_lists(lists(), lists()).unwrap();
    for host in ["a.example.com", "example.com", "x.a.example.com", "1.2.3.4"] {
        for port in [1, 443, 65_535] {
            let (listed, cost) = measure(|| {
                let explanation = policy.explain(host, port);
                explanation.matches.len() + explanation.misses.len()
            });
            assert!(listed <= 20, "{host}:{port}: {listed}");
            assert!(cost.peak <= 2 * SMALL, "{host}:{port}: {cost:?}");
            assert!(cost.total <= entries.len() * 1024, "{host}:{port}: {cost:?}");
        }
    }
    for part in [".", "a.", "[", "f:", "//", "%", "\u{e9}", " "] {
        let host = part.repeat((1 << 20) / part.len());
        let (explanation, cost) = measure(|| policy.explain(&host, 443));
        assert_eq!(explanation.decision.action(), Action::Deny, "{part}");
        assert!(cost.peak <= 4 * host.len() + SMALL, "{part}: {cost:?}");
    }
}

#[test]
fn a_comparison_takes_memory_in_proportion() {
    let entries: [(&str, fn(usize) -> String); 6] = [
        ("names", |n| format!("a{n}.example")),
        ("bases", |n| format!("*.a{n}.example")),
        ("names below names", |n| {
            format!("{}{}a{}.example", if n % 2 == 0 { "*." } else { "" }, "a.".repeat(n % 60), n % 100)
        }),
        ("ports", |n| format!("*.example.com:{}", 1 + n % 65_535)),
        ("ports of many", |n| format!("*.a{}.example.com:{}", n % 50, 1 + n % 65_535)),
        // So long that few names are left below, and all of the short ones are taken.
        ("full", |n| format!("{}.{}", full_label(n), "a.".repeat(121) + "example")),
    ];
    for (what, entry) in entries {
        let policies = |count: usize| {
            let old: Vec<String> = (0..count).map(entry).collect();
            let new: Vec<String> = (count / 2..count + count / 2).map(entry).collect();
            let policy = |allowed: &[String], denied: &[String]| {
                NetworkPolicy::from_lists(allowed.iter().map(String::as_str), denied.iter().map(String::as_str))
                    .unwrap()
            };
            let policies = (policy(&old, &new[..count / 4]), policy(&new, &old[..count / 4]));
            let bytes = policies.0.to_json().len() + policies.1.to_json().len();
            (policies, bytes)
        };
        let compared = |(old, new): &(NetworkPolicy, NetworkPolicy)| {
            drop(compare(old, new));
            assert_eq!(compare(old, old).relation, Relation::Equal, "{what}");
        };
        grows_with_its_input(policies, compared, 4_000, 32);
    }
}

fn full_label(number: usize) -> String {
    let digit = |digit: usize| char::from_digit(u32::try_from(digit % 36).unwrap(), 36).unwrap();
    [digit(number / 36), digit(number)].iter().collect::<String>()
}

#[test]
fn the_schema_takes_little_memory() {
    let (schema, cost) = measure(config_schema);
    assert!(cost.peak <= 4 * schema.len() + SMALL, "{} bytes of schema: {cost:?}", schema.len());
}

#[test]
fn a_frame_that_never_ends_holds_one_frame_of_memory() {
    let mut supervisor = supervisor();
    let connection = supervisor.open();
    let (replies, cost) = measure(|| {
        let mut replies = Vec::new();
        for byte in 0..64 * 1024 {
            supervisor.receive(connection, if byte == 0 { b"{" } else { b" " }, 0);
            replies.extend(std::iter::from_fn(|| supervisor.poll()));
        }
        replies
    });
    assert!(
        matches!(replies.as_slice(), [Output::Reply { line, .. }, Output::Close { .. }] if line == r#"{"action":"deny"}"#)
    );
    assert!(cost.peak <= 2 * MAX_FRAME_BYTES + SMALL, "{cost:?}");
    assert!(cost.after <= SMALL, "{cost:?}");
}

#[test]
fn a_flood_of_frames_leaves_nothing_behind() {
    let mut supervisor = supervisor();
    let flood = "{}\n[]\nx\n\n".repeat(1000) + &"[".repeat(10_000) + "\n";
    let flooded = |supervisor: &mut Supervisor| {
        let connection = supervisor.open();
        supervisor.receive(connection, flood.as_bytes(), 0);
        // Sixteen denials and the end (SUPERVISOR-27).
        assert_eq!(std::iter::from_fn(|| supervisor.poll()).count(), 17);
    };
    // The queue of replies grows to what one connection needs, once.
    flooded(&mut supervisor);
    let ((), cost) = measure(|| (0..1_000).for_each(|_| flooded(&mut supervisor)));
    assert!(cost.after <= SMALL && cost.peak <= 2 * MAX_FRAME_BYTES + SMALL, "{cost:?}");
}

#[test]
fn a_chunk_of_any_size_is_read_in_place() {
    let mut supervisor = supervisor();
    let connection = supervisor.open();
    let chunk = vec![b' '; 64 << 20];
    let ((), cost) = measure(|| supervisor.receive(connection, &chunk, 0));
    assert!(cost.peak <= 2 * MAX_FRAME_BYTES + SMALL, "{cost:?}");
}

/// Not a test: prints how long each entry point takes by the byte, over four sizes. The last column must not grow faster than
/// the logarithm of the size. `cargo test --release -p policy-core --test resources -- --ignored --nocapture`
#[test]
#[ignore = "prints a table of times, for a person to read"]
fn times_by_size() {
    let list = |count: usize, entry: fn(usize) -> String| {
        let entries: Vec<String> = (0..count).map(|n| format!("\"{}\"", entry(n))).collect();
        entries.join(",")
    };
    let names = |count| format!("{{\"allowedDomains\":[{}],\"deniedDomains\":[]}}", list(count, |n| format!("a{n}.b")));
    let texts: [(&str, &dyn Fn(usize) -> String, fn(&str)); 8] = [
        ("config, names", &|count| format!("{{\"network\":{}}}", names(count)), |text| drop(Config::parse(text))),
        ("config, keys", &|count| format!("{{{}:0}}", list(count, |n| format!("k{n}\":0,\"z"))), |text| {
            drop(Config::parse(text));
        }),
        (
            "config, wrong",
            &|count| format!("{{\"network\":{{\"allowedDomains\":[{}]}}}}", list(count, |_| "x".into())),
            |text| {
                drop(Config::parse(text));
            },
        ),
        (
            "validate, wrong",
            &|count| format!("{{\"network\":{{\"allowedDomains\":[{}]}}}}", list(count, |_| "x".into())),
            |text| {
                drop(policy_core::validate_config(text));
            },
        ),
        ("validate, names", &|count| format!("{{\"network\":{}}}", names(count)), |text| {
            drop(policy_core::validate_config(text));
        }),
        ("transport, names", &names, |text| drop(NetworkPolicy::from_transport(text))),
        ("nested arrays", &|count| "[".repeat(4 * count), |text| drop(Config::parse(text))),
        ("public name", &|count| "a.".repeat(4 * count), |text| drop(policy_core::normalize_public_hostname(text))),
    ];
    for (what, text, answer) in texts {
        let mut line = format!("{what:<18}");
        for count in [1_000, 10_000, 100_000, 300_000] {
            let text = text(count);
            let started = std::time::Instant::now();
            let ((), cost) = measure(|| answer(&text));
            let nanoseconds = started.elapsed().as_nanos() as f64 / text.len() as f64;
            let memory = cost.peak as f64 / text.len() as f64;
            write!(line, " | {:>9} bytes {nanoseconds:>7.1} ns {memory:>5.1} B", text.len()).unwrap();
        }
        println!("{line}");
    }
}

fn supervisor() -> Supervisor {
    let policy = NetworkPolicy::from_lists(["ok.example"], []).unwrap();
    Supervisor::new(policy, Capability::parse(&"a".repeat(64)).unwrap(), SupervisorOptions::default()).unwrap()
}

/// Answers texts of a quarter, a half and all of `count` parts.
fn grows_with_the_text(text: impl Fn(usize) -> String, answer: impl Fn(&String), count: usize, times: usize) {
    let input = |count| {
        let text = text(count);
        let bytes = text.len();
        (text, bytes)
    };
    grows_with_its_input(input, answer, count, times);
}

/// Answers inputs, each with its size in bytes. The most memory at one time is within `times` the input, and all that was
/// ever asked for grows no faster than the input does.
fn grows_with_its_input<T>(input: impl Fn(usize) -> (T, usize), answer: impl Fn(&T), count: usize, times: usize) {
    let costs = [count / 4, count / 2, count].map(|count| {
        let (input, bytes) = input(count);
        let ((), cost) = measure(|| answer(&input));
        assert!(cost.peak <= times * bytes + SMALL, "{bytes} bytes of input: {cost:?}");
        cost.total as f64 / bytes as f64
    });
    // Growing buffers double: a step may cost twice, never four times.
    assert!(costs[2] <= 2.5 * costs[0].max(1.0), "bytes asked for, by byte of input: {costs:?}");
}

/// Counts what this thread allocates.
mod counting {
    #![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts and passes on")]

    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    /// What a piece of work took.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Cost {
        /// How often memory was asked for.
        pub(crate) allocations: usize,
        /// Bytes ever asked for.
        pub(crate) total: usize,
        /// Most bytes held at one time, beyond what was held before.
        pub(crate) peak: usize,
        /// Bytes still held when the work was done, its result included.
        pub(crate) after: usize,
    }

    pub(crate) fn measure<T>(work: impl FnOnce() -> T) -> (T, Cost) {
        let before = HELD.get();
        ALLOCATIONS.set(0);
        TOTAL.set(0);
        PEAK.set(before);
        let result = work();
        let cost = Cost {
            allocations: ALLOCATIONS.get(),
            total: TOTAL.get(),
            peak: (PEAK.get() - before).max(0).unsigned_abs(),
            after: (HELD.get() - before).max(0).unsigned_abs(),
        };
        (result, cost)
    }

    thread_local! {
        static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
        static TOTAL: Cell<usize> = const { Cell::new(0) };
        static HELD: Cell<isize> = const { Cell::new(0) };
        static PEAK: Cell<isize> = const { Cell::new(0) };
    }

    fn gained(bytes: usize) {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        TOTAL.set(TOTAL.get() + bytes);
        HELD.set(HELD.get() + bytes.cast_signed());
        PEAK.set(PEAK.get().max(HELD.get()));
    }

    fn lost(bytes: usize) {
        HELD.set(HELD.get() - bytes.cast_signed());
    }

    struct Counting;

    // SAFETY: every call goes to the system's allocator as it came.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            gained(layout.size());
            // SAFETY: the caller's promise, passed on.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            lost(layout.size());
            // SAFETY: the caller's promise, passed on.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            // Both are there while the bytes are copied.
            gained(new_size);
            lost(layout.size());
            // SAFETY: the caller's promise, passed on.
            unsafe { System.realloc(pointer, layout, new_size) }
        }
    }

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;
}
