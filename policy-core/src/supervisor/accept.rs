//! What a frame does to a supervisor.

use alloc::borrow::Cow;
use alloc::boxed::Box;

use super::Supervisor;
use super::asks::PendingAsk;
use super::limits::MAX_REFUSED_LINES;
use super::output::{Ask, ConnectionId, Output};
use super::reply::{Answer, BARE_DENY, answer_line, registration_line};
use super::request::{Kind, Request};
use super::roster::Place;
use crate::decision::Decision;
use crate::json;

impl Supervisor {
    /// SPEC SUPERVISOR-9: what is not accepted is answered with a bare deny and has changed nothing.
    pub(super) fn frame(&mut self, connection: ConnectionId, frame: &[u8], now: u64) {
        if self.accept(connection, frame, now).is_none() {
            self.reply(connection, Cow::Borrowed(BARE_DENY));
            // SPEC SUPERVISOR-27: who has no capability cannot fill the memory with answers.
            let Some(state) = self.connections.get_mut(connection) else { return };
            state.refused = state.refused.saturating_add(1);
            if state.refused >= MAX_REFUSED_LINES {
                self.end(connection, false);
            }
        }
    }

    /// Everything that can refuse a request comes before the first change.
    fn accept(&mut self, connection: ConnectionId, frame: &[u8], now: u64) -> Option<()> {
        // SPEC SUPERVISOR-1
        let value = json::parse(core::str::from_utf8(frame).ok()?).ok()?;
        let request = Request::read(&value, &self.capability)?;
        // SPEC SUPERVISOR-10
        if self.seen.contains(request.id) {
            return None;
        }
        match request.kind {
            Kind::Register => self.register(connection, &request, now),
            Kind::Network { hostname, port } => self.network(connection, &request, hostname, port, now),
            Kind::Unregister => self.unregister(connection, &request, now),
        }
    }

    /// SPEC SUPERVISOR-11
    fn register(&mut self, connection: ConnectionId, request: &Request<'_>, now: u64) -> Option<()> {
        let room = self.roster.len() < self.options.limits.workers && self.has_room_for_ids(2);
        if self.roster.knows(request.worker_id) || !room {
            return None;
        }
        self.seen.insert(request.id);
        let worker = Box::new(self.roster.register(request.worker_id, request.cwd, now));
        self.reply(connection, Cow::Owned(registration_line(request.id, &self.network_json)));
        self.outputs.push_back(Output::Registered { worker, at: now });
        Some(())
    }

    /// SPEC SUPERVISOR-12, SUPERVISOR-13, SUPERVISOR-14, SUPERVISOR-15
    fn network(
        &mut self,
        connection: ConnectionId,
        request: &Request<'_>,
        hostname: &str,
        port: u16,
        now: u64,
    ) -> Option<()> {
        let worker = self.roster.find_active(request.worker_id, request.cwd).filter(|_| self.has_room_for_ids(1))?;
        // SPEC SUPERVISOR-13
        self.seen.insert(request.id);
        self.roster.count_request(worker);
        let decision = self.options.recheck.then(|| self.policy.decide(hostname, port));
        let answer = match &decision {
            Some(Decision::Allow { .. }) => Answer::Allow,
            Some(Decision::Deny { .. }) => Answer::Deny,
            // SPEC SUPERVISOR-27
            _ if !self.has_room_for_ask(worker) => Answer::Deny,
            Some(Decision::Review { host, .. }) => {
                self.ask(connection, worker, request, host.as_str(), port, now);
                return Some(());
            }
            None => {
                self.ask(connection, worker, request, hostname, port, now);
                return Some(());
            }
        };
        self.reply(connection, Cow::Owned(answer_line(request.id, answer)));
        Some(())
    }

    /// SPEC SUPERVISOR-17
    fn unregister(&mut self, connection: ConnectionId, request: &Request<'_>, now: u64) -> Option<()> {
        // There is always room for its id: see `has_room_for_ids`.
        let worker = self.roster.find_active(request.worker_id, request.cwd)?;
        self.seen.insert(request.id);
        let exited = self.roster.exit(worker, now);
        // SPEC SUPERVISOR-18
        if self.roster.pending_asks(worker) > 0 {
            let asks = self.asks.remove_where(|ask| ask.worker == worker);
            self.deny_asks(asks);
        }
        self.reply(connection, Cow::Owned(answer_line(request.id, Answer::Allow)));
        if let Some(worker) = exited.map(Box::new) {
            self.outputs.push_back(Output::Unregistered { worker, at: now });
        }
        Some(())
    }

    fn ask(
        &mut self,
        connection: ConnectionId,
        worker: Place,
        request: &Request<'_>,
        hostname: &str,
        port: u16,
        now: u64,
    ) {
        let deadline = now.saturating_add(self.options.ask_timeout_ms);
        let ask = self.asks.insert(PendingAsk { connection, worker, request_id: request.id.into(), deadline });
        self.roster.ask_begins(worker);
        if let Some(state) = self.connections.get_mut(connection) {
            state.pending_asks = state.pending_asks.saturating_add(1);
        }
        self.outputs.push_back(Output::Ask(Box::new(Ask {
            ask,
            connection,
            hostname: hostname.into(),
            port,
            cwd: request.cwd.into(),
            worker_id: request.worker_id.into(),
        })));
    }

    /// SPEC SUPERVISOR-27: one place is kept for each active worker, so that it can always unregister.
    fn has_room_for_ids(&self, needed: usize) -> bool {
        let taken = self.seen.len().saturating_add(self.roster.active());
        taken.saturating_add(needed) <= self.options.limits.request_ids
    }

    fn has_room_for_ask(&self, worker: Place) -> bool {
        let limits = &self.options.limits;
        self.asks.len() < limits.pending_asks && self.roster.pending_asks(worker) < limits.pending_asks_per_worker
    }
}
