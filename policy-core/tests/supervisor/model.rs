//! The supervisor against a naive model of the spec page, over random interleavings.

use std::collections::HashSet;

use policy_core::{
    Action, Answer, AskId, ConnectionId, Decision, NetworkPolicy, Output, Supervisor, SupervisorLimits,
    SupervisorOptions,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::state::state;
use crate::support::{CAPABILITY, DENY, NETWORK, capability, drain, policy, show};

/// One member of a frame: its JSON, and what it means if it obeys its rule.
type Member = (&'static str, Option<&'static str>);

#[derive(Debug, Clone)]
struct Frame {
    version: Member,
    capability: Member,
    id: Member,
    kind: Member,
    worker: Member,
    cwd: Member,
    hostname: Member,
    port: (&'static str, Option<u16>),
    broken: bool,
}

#[derive(Debug, Clone)]
enum Step {
    Open,
    /// A frame to one of the connections opened so far.
    Send(usize, Box<Frame>),
    /// A line over the limit.
    Flood(usize),
    Close(usize),
    Answer(u64, &'static str),
    Wait(u64),
    Expire,
}

fn member(good: &'static [&'static str], bad: &'static [&'static str]) -> impl Strategy<Value = Member> {
    prop_oneof![
        60 => select(good).prop_map(|text| (text, Some(text))),
        1 => select(bad).prop_map(|text| (text, None)),
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    (
        member(&["1", "1.0"], &["2", "\"1\"", "null"]),
        member(&["$"], &["\"\"", "\"0123\"", "null", "7"]),
        member(
            &[
                "\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\"", "\"f\"", "\"g\"", "\"h\"", "\"i\"", "\"j\"", "\"k\"",
                "\"l\"", "\"m\"", "\"n\"", "\"o\"", "\"p\"", "\"q\"", "\"r\"", "\"s\"", "\"t\"", "\"u\"", "\"v\"",
                "\"w\"", "\"x\"",
            ],
            &["\"\"", "1", "null"],
        ),
        member(
            &[
                "\"register\"",
                "\"register\"",
                "\"network\"",
                "\"network\"",
                "\"network\"",
                "\"network\"",
                "\"network\"",
                "\"unregister\"",
            ],
            &["\"x\"", "null"],
        ),
        member(&["\"w1\"", "\"w2\"", "\"w3\""], &["\"\"", "[]"]),
        member(
            &["\"/1\"", "\"/1\"", "\"/1\"", "\"/1\"", "\"/1\"", "\"/1\"", "\"/1\"", "\"/1\"", "\"/2\""],
            &["\"\"", "\"1\"", "0"],
        ),
        member(
            &["\"ok.example\"", "\"NO.example.\"", "\"Ask.Example.\"", "\"ask.example\"", "\"127.1\"", "\"\""],
            &["5", "null"],
        ),
        prop_oneof![
            40 => select(&[("443", Some(443)), ("443.0", Some(443)), ("1", Some(1)), ("65535", Some(65535))][..]),
            1 => select(&[("0", None), ("65536", None), ("1.5", None), ("\"443\"", None)][..]),
        ],
        prop::bool::weighted(0.01),
    )
        .prop_map(|(version, capability, id, kind, worker, cwd, hostname, port, broken)| Frame {
            version,
            capability,
            id,
            kind,
            worker,
            cwd,
            hostname,
            port,
            broken,
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Open),
        40 => (0..3_usize, frame()).prop_map(|(slot, frame)| Step::Send(slot, Box::new(frame))),
        1 => (0..3_usize).prop_map(Step::Flood),
        2 => (0..3_usize).prop_map(Step::Close),
        10 => (0..12_u64, select(&["allow", "allow", "deny", "Allow", ""][..])).prop_map(|(ask, word)| Step::Answer(ask, word)),
        2 => (0..30_u64).prop_map(Step::Wait),
        1 => Just(Step::Expire),
    ]
}

fn options() -> impl Strategy<Value = SupervisorOptions> {
    let small = (2..5_usize, 1..4_usize, 2..11_usize, 0..4_usize, 0..3_usize);
    let limits = prop_oneof![
        Just(SupervisorLimits::default()),
        small.prop_map(|(connections, workers, request_ids, pending_asks, pending_asks_per_worker)| {
            SupervisorLimits { connections, workers, request_ids, pending_asks, pending_asks_per_worker }
        }),
    ];
    (any::<bool>(), select(&[50, 100, u64::MAX][..]), limits)
        .prop_map(|(recheck, ask_timeout_ms, limits)| SupervisorOptions { recheck, ask_timeout_ms, limits })
}

impl Frame {
    fn text(&self) -> String {
        let capability = self.capability.0.replace('$', &format!("\"{CAPABILITY}\""));
        let text = format!(
            r#"{{"version":{},"capability":{capability},"id":{},"type":{},"workerId":{},"cwd":{},"hostname":{},"port":{}}}"#,
            self.version.0, self.id.0, self.kind.0, self.worker.0, self.cwd.0, self.hostname.0, self.port.0
        );
        if self.broken { text.replace(':', ";") } else { text }
    }
}

/// The state as the spec page words it, in lists that are searched from end to end.
struct Model {
    options: SupervisorOptions,
    policy: NetworkPolicy,
    open: Vec<u64>,
    opened: u64,
    workers: Vec<ModelWorker>,
    used: Vec<&'static str>,
    asks: Vec<ModelAsk>,
    asked: u64,
    now: u64,
    /// The connection of each line that got a bare deny.
    refused: Vec<u64>,
}

#[derive(Debug)]
struct ModelWorker {
    id: &'static str,
    cwd: &'static str,
    active: bool,
    requests: u64,
}

#[derive(Debug, Clone)]
struct ModelAsk {
    number: u64,
    connection: u64,
    worker: &'static str,
    id: &'static str,
    since: u64,
}

fn bare(quoted: &str) -> &str {
    quoted.trim_matches('"')
}

impl Model {
    fn frame(&mut self, connection: u64, frame: &Frame) -> Vec<String> {
        self.accept(connection, frame).unwrap_or_else(|| self.refuse(connection))
    }

    fn refuse(&mut self, connection: u64) -> Vec<String> {
        self.refused.push(connection);
        let mut outputs = vec![format!("{connection}< {DENY}")];
        if self.refused.iter().filter(|refused| **refused == connection).count() == 16 {
            outputs.extend(self.deny(|ask| ask.connection == connection));
            outputs.push(format!("{connection}| close"));
            self.open.retain(|open| *open != connection);
        }
        outputs
    }

    fn accept(&mut self, connection: u64, frame: &Frame) -> Option<Vec<String>> {
        frame.version.1.and(frame.capability.1).filter(|_| !frame.broken)?;
        let (id, worker, cwd) = (frame.id.1?, frame.worker.1?, frame.cwd.1?);
        if self.used.contains(&id) {
            return None;
        }
        let active = self.workers.iter().filter(|worker| worker.active).count();
        let ids_left = self.options.limits.request_ids.saturating_sub(self.used.len() + active);
        let position = self.workers.iter().position(|known| known.id == worker);
        let mine = position.filter(|&at| self.workers[at].active && self.workers[at].cwd == cwd);
        let reply = |action: &str| format!("{connection}< {{\"id\":{id},\"action\":\"{action}\"}}");
        match frame.kind.1? {
            "\"register\"" => {
                if position.is_some() || self.workers.len() == self.options.limits.workers || ids_left < 2 {
                    return None;
                }
                self.used.push(id);
                self.workers.push(ModelWorker { id: worker, cwd, active: true, requests: 0 });
                let allow = reply("allow").replace('}', &format!(",\"network\":{NETWORK}}}"));
                Some(vec![allow, format!("registered {} at {}", bare(worker), self.now)])
            }
            "\"network\"" => {
                let (hostname, port) = (bare(frame.hostname.1?), frame.port.1?);
                let mine = mine.filter(|_| ids_left > 0)?;
                self.used.push(id);
                self.workers[mine].requests += 1;
                let mut shown = hostname.to_string();
                if self.options.recheck {
                    match self.policy.decide(hostname, port) {
                        Decision::Allow { .. } => return Some(vec![reply("allow")]),
                        Decision::Deny { .. } => return Some(vec![reply("deny")]),
                        Decision::Review { host, .. } => shown = host.to_string(),
                    }
                }
                let of_worker = self.asks.iter().filter(|ask| ask.worker == worker).count();
                let limits = &self.options.limits;
                if self.asks.len() >= limits.pending_asks || of_worker >= limits.pending_asks_per_worker {
                    return Some(vec![reply("deny")]);
                }
                self.asked += 1;
                self.asks.push(ModelAsk { number: self.asked, connection, worker, id, since: self.now });
                Some(vec![format!("ask {} {shown}:{port} for {} in {}", self.asked, bare(worker), bare(cwd))])
            }
            _ => {
                let mine = mine?;
                self.used.push(id);
                self.workers[mine].active = false;
                let mut outputs = self.deny(|ask| ask.worker == worker);
                outputs.extend([reply("allow"), format!("unregistered {} at {}", bare(worker), self.now)]);
                Some(outputs)
            }
        }
    }

    fn deny(&mut self, condition: impl Fn(&ModelAsk) -> bool) -> Vec<String> {
        let (denied, kept): (Vec<_>, Vec<_>) = self.asks.drain(..).partition(|ask| condition(ask));
        self.asks = kept;
        denied
            .into_iter()
            .flat_map(|ask| {
                let open = self.open.contains(&ask.connection);
                let reply = format!("{}< {{\"id\":{},\"action\":\"deny\"}}", ask.connection, ask.id);
                open.then_some(reply).into_iter().chain([format!("withdrawn {}", ask.number)])
            })
            .collect()
    }

    fn close(&mut self, connection: u64) -> Vec<String> {
        self.open.retain(|open| *open != connection);
        self.deny(|ask| ask.connection == connection)
    }

    fn flood(&mut self, connection: u64) -> Vec<String> {
        let mut outputs = self.deny(|ask| ask.connection == connection);
        outputs.extend([format!("{connection}< {DENY}"), format!("{connection}| close")]);
        self.open.retain(|open| *open != connection);
        outputs
    }

    fn overdue(&self, ask: &ModelAsk) -> bool {
        self.options.ask_timeout_ms != u64::MAX && self.now - ask.since >= self.options.ask_timeout_ms
    }

    fn answer(&mut self, number: u64, word: &str) -> Vec<String> {
        let Some(at) = self.asks.iter().position(|ask| ask.number == number) else { return vec![] };
        let ask = self.asks.remove(at);
        let action = if word == "allow" && !self.overdue(&ask) { "allow" } else { "deny" };
        vec![format!("{}< {{\"id\":{},\"action\":\"{action}\"}}", ask.connection, ask.id)]
    }

    fn expire(&mut self) -> Vec<String> {
        let overdue: Vec<u64> = self.asks.iter().filter(|ask| self.overdue(ask)).map(|ask| ask.number).collect();
        self.deny(|ask| overdue.contains(&ask.number))
    }

    fn workers(&self) -> Vec<String> {
        let show = |worker: &ModelWorker| {
            let state = if worker.active { "active" } else { "exited" };
            let ModelWorker { id, cwd, requests, .. } = worker;
            format!(r#"{{"id":{id},"cwd":{cwd},"state":"{state}","requests":{requests}}}"#)
        };
        self.workers.iter().map(show).collect()
    }
}

/// What must hold whatever the model says.
#[derive(Default)]
struct Watch {
    accepted_ids: HashSet<String>,
    allowed_asks: HashSet<String>,
}

impl Watch {
    fn check(&mut self, recheck: bool, sent: Option<&Frame>, outputs: &[Output]) {
        let allowed_by_approver = std::mem::take(&mut self.allowed_asks);
        for output in outputs {
            let Output::Reply { line, .. } = output else { continue };
            let reply: serde_json::Value = serde_json::from_str(line).unwrap();
            let Some(id) = reply["id"].as_str() else {
                assert_eq!(line, DENY);
                continue;
            };
            assert!(self.accepted_ids.insert(id.into()), "{id} was answered twice");
            // PROPERTY-20, PROPERTY-21
            if reply["action"] == "allow" && !allowed_by_approver.contains(id) {
                let frame = sent.unwrap();
                assert_eq!(frame.id.0, format!("\"{id}\""));
                if frame.kind.0 == "\"network\"" {
                    let action = policy().check(bare(frame.hostname.0), frame.port.1.unwrap());
                    assert!(recheck && action == Action::Allow, "{frame:?}");
                }
            }
        }
    }
}

proptest! {
    /// Every output, in order, is the one the model gives.
    #[test]
    fn the_supervisor_does_what_the_model_does(options in options(), steps in vec(step(), 0..160)) {
        let mut supervisor = Supervisor::new(policy(), capability(), options).unwrap();
        let mut model = Model {
            options, policy: policy(), open: vec![], opened: 0, workers: vec![], used: vec![], asks: vec![], asked: 0, now: 0,
            refused: vec![],
        };
        let mut watch = Watch::default();
        let mut connections: Vec<ConnectionId> = Vec::new();
        for step in [Step::Open, Step::Open].iter().chain(&steps) {
            let slot = |slot: usize| connections.len().checked_sub(1 + slot).map(|at| connections[at]);
            let is_open = |model: &Model, connection: ConnectionId| model.open.contains(&u64::from(connection));
            let before = state(&supervisor);
            let mut sent = None;
            let expected = match step {
                Step::Open => {
                    connections.push(supervisor.open());
                    model.opened += 1;
                    if model.open.len() < options.limits.connections {
                        model.open.push(model.opened);
                        vec![]
                    } else {
                        vec![format!("{}< {DENY}", model.opened), format!("{}| close", model.opened)]
                    }
                }
                Step::Send(at, frame) => {
                    let Some(connection) = slot(*at) else { continue };
                    sent = Some(&**frame);
                    supervisor.receive(connection, (frame.text() + "\n").as_bytes(), model.now);
                    if is_open(&model, connection) { model.frame(connection.into(), frame) } else { vec![] }
                }
                Step::Flood(at) => {
                    let Some(connection) = slot(*at) else { continue };
                    supervisor.receive(connection, &[b' '; 16_385], model.now);
                    if is_open(&model, connection) { model.flood(connection.into()) } else { vec![] }
                }
                Step::Close(at) => {
                    let Some(connection) = slot(*at) else { continue };
                    supervisor.close(connection);
                    if is_open(&model, connection) { model.close(connection.into()) } else { vec![] }
                }
                Step::Answer(ask, word) => {
                    supervisor.answer(AskId::from(*ask), Answer::from_word(word), model.now);
                    if let (Some(ask), "allow") = (model.asks.iter().find(|pending| pending.number == *ask), *word) {
                        watch.allowed_asks.insert(bare(ask.id).into());
                    }
                    model.answer(*ask, word)
                }
                Step::Wait(time) => {
                    model.now += time;
                    vec![]
                }
                Step::Expire => {
                    supervisor.expire(model.now);
                    model.expire()
                }
            };
            let outputs = drain(&mut supervisor);
            watch.check(options.recheck, sent, &outputs);
            let shown: Vec<String> = outputs.iter().map(show).collect();
            prop_assert_eq!(&shown, &expected, "{:?}", step);
            // PROPERTY-19
            if matches!(step, Step::Send(..)) && (shown.is_empty() || shown.len() == 1 && shown[0].ends_with(DENY)) {
                prop_assert_eq!(state(&supervisor), before);
            }
            let workers: Vec<String> = supervisor.workers().map(|worker| serde_json::to_string(worker).unwrap()).collect();
            prop_assert_eq!(workers, model.workers());
            let deadline = model.asks.iter().map(|ask| ask.since.saturating_add(options.ask_timeout_ms)).min();
            prop_assert_eq!(supervisor.next_deadline(), deadline.filter(|_| options.ask_timeout_ms != u64::MAX));
        }
    }

    /// A stream means the same however it is cut; none makes the supervisor panic.
    #[test]
    fn a_stream_means_the_same_however_it_is_cut(
        pieces in vec(
            prop_oneof![
                4 => frame().prop_map(|frame| frame.text().into_bytes()),
                3 => Just(b"\n".to_vec()),
                1 => vec(any::<u8>(), 0..12),
                1 => (16_300..16_400_usize).prop_map(|length| vec![b' '; length]),
            ],
            0..24,
        ),
        sizes in vec(1..6_000_usize, 1..8),
    ) {
        let stream: Vec<u8> = pieces.concat();
        let run = |chunks: &mut dyn Iterator<Item = &[u8]>| {
            let mut supervisor = Supervisor::new(policy(), capability(), SupervisorOptions::default()).unwrap();
            let connection = supervisor.open();
            let mut outputs = Vec::new();
            for chunk in chunks {
                supervisor.receive(connection, chunk, 0);
                outputs.extend(drain(&mut supervisor));
            }
            supervisor.close(connection);
            outputs.extend(drain(&mut supervisor));
            (outputs, format!("{supervisor:?}"))
        };
        let whole = run(&mut [stream.as_slice()].into_iter());
        let (mut rest, mut sizes) = (stream.as_slice(), sizes.iter().cycle());
        let cut = run(&mut std::iter::from_fn(|| {
            let (chunk, behind) = rest.split_at(*sizes.next()?.min(&rest.len()));
            rest = behind;
            (!chunk.is_empty()).then_some(chunk)
        }));
        prop_assert_eq!(whole, cut);
    }
}
