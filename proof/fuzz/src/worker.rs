//! What must hold for a worker, whatever pretends to be its supervisor.

use std::collections::BTreeMap;

use policy_core::{Answer, Capability, ExchangeId, MAX_FRAME_BYTES, NetworkPolicy, Worker, WorkerStage};
use serde_json::Value;

/// A script, a line each: `g` registers, `n HOST` asks for a destination, `u` unregisters; `rN TEXT` is a line that comes for
/// exchange N, `pN TEXT` a piece of one; `eN` ends the connection of exchange N; `tN` lets N seconds pass. N is one digit, `$ID`
/// the id of exchange N.
pub fn worker(data: &[u8]) {
    let mut run = Run {
        worker: Worker::new(Capability::parse(&"a".repeat(64)).unwrap(), "w", "/").unwrap(),
        now: 0,
        exchanges: Vec::new(),
        outcomes: BTreeMap::new(),
    };
    for line in data.split(|byte| *byte == b'\n').take(64) {
        run.step(line);
    }
}

struct Exchange {
    id: ExchangeId,
    request_id: String,
    registers: bool,
    started: u64,
    received: Vec<u8>,
}

struct Run {
    worker: Worker,
    now: u64,
    exchanges: Vec<Exchange>,
    outcomes: BTreeMap<ExchangeId, Answer>,
}

impl Run {
    fn step(&mut self, line: &[u8]) {
        let (command, rest) = line.split_first().map_or((b' ', line), |(command, rest)| (*command, rest));
        let number = rest.first().copied().unwrap_or_default().wrapping_sub(b'0');
        match command {
            b'g' | b'n' | b'u' => self.request(command, rest),
            b'r' | b'p' => {
                let Some(exchange) = self.exchanges.get_mut(usize::from(number)) else { return };
                let text =
                    String::from_utf8_lossy(rest.get(2..).unwrap_or_default()).replace("$ID", &exchange.request_id);
                let ending = if command == b'r' { "\n" } else { "" };
                let bytes = format!("{text}{ending}").into_bytes();
                exchange.received.extend_from_slice(&bytes);
                let id = exchange.id;
                self.worker.receive(id, &bytes, self.now);
                self.drain();
            }
            b'e' => {
                let Some(exchange) = self.exchanges.get(usize::from(number)) else { return };
                self.worker.end(exchange.id);
                self.drain();
            }
            b't' if number < 10 => {
                self.now += u64::from(number) * 5000;
                self.worker.expire(self.now);
                assert!(self.worker.next_deadline().is_none_or(|deadline| deadline > self.now));
                self.drain();
            }
            _ => {}
        }
    }

    fn request(&mut self, command: u8, rest: &[u8]) {
        if self.exchanges.len() >= 10 {
            return;
        }
        let request_id = format!("q{}", self.exchanges.len());
        let stage = self.worker.stage();
        let host = core::str::from_utf8(rest.get(1..).unwrap_or_default()).unwrap_or_default();
        let request = match command {
            b'g' => self.worker.register(&request_id, self.now),
            b'n' => self.worker.network(&request_id, host, 443, self.now),
            _ => self.worker.unregister(&request_id, self.now),
        };
        let Ok(request) = request else {
            assert_eq!(self.worker.stage(), stage, "a refused request changes nothing");
            return;
        };
        assert_eq!(stage, if command == b'g' { WorkerStage::New } else { WorkerStage::Active });
        assert!(request.line.len() <= MAX_FRAME_BYTES && !request.line.contains('\n'));
        let line: Value = serde_json::from_str(&request.line).unwrap();
        assert_eq!(line["id"], request_id);
        let registers = command == b'g';
        self.exchanges.push(Exchange {
            id: request.exchange,
            request_id,
            registers,
            started: self.now,
            received: vec![],
        });
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(outcome) = self.worker.poll() {
            assert_eq!(self.outcomes.insert(outcome.exchange, outcome.answer), None, "every exchange has one outcome");
            let exchange = self.exchanges.iter().find(|exchange| exchange.id == outcome.exchange).unwrap();
            // SUPERVISOR-22, SUPERVISOR-25, by another reading.
            let reply = exchange.received.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let ended = exchange.received.contains(&b'\n');
            let value = serde_json::from_slice::<Value>(reply).unwrap_or_default();
            let allows = ended
                && reply.len() <= MAX_FRAME_BYTES
                && value["action"] == "allow"
                && value["id"] == exchange.request_id.as_str()
                && self.now < exchange.started + 30_000;
            if outcome.answer == Answer::Allow {
                assert!(allows, "{value}");
            }
            if exchange.registers {
                // SUPERVISOR-23
                match outcome.answer {
                    Answer::Allow => {
                        let network = value.get("network").map(Value::to_string).unwrap_or_default();
                        assert_eq!(*self.worker.policy(), NetworkPolicy::from_transport(&network));
                    }
                    Answer::Deny => assert_eq!(self.worker.stage(), WorkerStage::Stopped),
                }
            }
        }
        if self.worker.stage() != WorkerStage::Active {
            assert_eq!(*self.worker.policy(), NetworkPolicy::deny_all());
        }
    }
}
