"""The two state machines, without sockets."""

from __future__ import annotations

import json
import unittest
from typing import Any
from unittest import mock

import wasmtime
from support import ENGINE, LONE, policy

CAPABILITY = "ab" * 32
POLICY = policy.NetworkPolicy.from_lists(ENGINE, ["ok.example"], ["no.example"])


def supervisor(**options: Any) -> policy.Supervisor:
    return policy.Supervisor(ENGINE, POLICY, CAPABILITY, **options)


def worker() -> policy.Worker:
    return policy.Worker(ENGINE, CAPABILITY, "w", "/repo")


class Conversations(unittest.TestCase):
    def exchange(self, outer: policy.Supervisor, inner: policy.Worker, request: policy.OutgoingRequest, now: int) -> list[Any]:
        """Sends a request on a connection of its own; an ask is answered with its hostname's word."""
        connection = outer.open()
        outer.receive(connection, request.line.encode() + b"\n", now)
        others = []
        while outputs := outer.poll():
            for output in outputs:
                if isinstance(output, policy.Ask):
                    outer.answer(output.ask, output.hostname.removesuffix(".example"), now)
                if isinstance(output, policy.Reply):
                    for byte in output.line.encode() + b"\n":
                        inner.receive(request.exchange, bytes([byte]), now)
                else:
                    others.append(output)
        outer.close(connection)
        return others

    def test_a_worker_registers_asks_and_leaves(self) -> None:
        outer, inner = supervisor(), worker()
        self.assertEqual((inner.stage, inner.check("ok.example", 443)), ("new", "deny"))
        request = inner.register("1", 0)
        self.assertNotIn("abab", repr(request), "a line holds the secret")
        (registered,) = self.exchange(outer, inner, request, 0)
        self.assertEqual(registered, policy.Registered(policy.WorkerRecord("w", "/repo", "active", 0, 0, None)))
        self.assertEqual(inner.poll(), [policy.Outcome(request.exchange, "allow")])
        self.assertEqual((inner.stage, inner.fingerprint), ("active", POLICY.fingerprint))
        for host in ("ok.example", "No.example.", "other.example", "a b", "127.1"):
            self.assertEqual(inner.decide(host, 443), POLICY.decide(host, 443))
        for number, (host, answer) in enumerate({"allow.example": "allow", "deny.example": "deny", "no.example": "deny"}.items()):
            request = inner.network(f"n{number}", host, 443, 1)
            self.exchange(outer, inner, request, 1)
            self.assertEqual(inner.poll(), [policy.Outcome(request.exchange, answer)])
        late = inner.network("late", "allow.example", 443, 2)
        self.assertEqual(inner.next_deadline(), 30_002)
        inner.expire(30_002)
        self.assertEqual(inner.poll(), [policy.Outcome(late.exchange, "deny")])
        request = inner.unregister("u", 30_003)
        (unregistered,) = self.exchange(outer, inner, request, 30_003)
        self.assertIsInstance(unregistered, policy.Unregistered)
        self.assertEqual((inner.stage, inner.check("ok.example", 443)), ("stopped", "deny"))
        self.assertEqual(outer.workers(), [policy.WorkerRecord("w", "/repo", "exited", 3, 0, 30_003)])

    def test_options(self) -> None:
        def asked(outer: policy.Supervisor) -> list[Any]:
            connection = outer.open()
            for number, rest in enumerate(({"type": "register"}, {"type": "network", "hostname": "A.Example", "port": 1})):
                frame = {"version": 1, "capability": CAPABILITY, "id": str(number), "workerId": "w", "cwd": "/", **rest}
                outer.receive_line(connection, json.dumps(frame), 0)
            return [output.hostname for output in outer.poll() if isinstance(output, policy.Ask)] + [outer.next_deadline()]

        self.assertEqual(asked(supervisor()), ["a.example", 30_000])
        self.assertEqual(asked(supervisor(recheck=False, ask_timeout_ms=5)), ["A.Example", 5])
        self.assertEqual(asked(supervisor(ask_timeout_ms=2**64 - 1)), ["a.example", None])
        self.assertEqual(asked(supervisor(limits=policy.SupervisorLimits(pending_asks=0))), [None])
        outer = supervisor(limits=policy.SupervisorLimits(connections=0))
        connection = outer.open()
        self.assertEqual(outer.poll(), [policy.Reply(connection, '{"action":"deny"}'), policy.Close(connection)])

    def test_what_waits_is_withdrawn(self) -> None:
        outer, inner = supervisor(), worker()
        self.exchange(outer, inner, inner.register("1", 0), 0)
        inner.poll()
        connection = outer.open()
        outer.receive(connection, inner.network("2", "ask.example", 443, 0).line.encode() + b"\n", 0)
        (ask,) = outer.poll()
        self.assertEqual(ask, policy.Ask(1, connection, "ask.example", 443, "/repo", "w"))
        outer.close(connection)
        self.assertEqual(outer.poll(), [policy.Withdrawn(1)])
        outer.answer(1, "allow", 1)
        self.assertEqual(outer.poll(), [], "over is over")
        connection = outer.open()
        outer.shutdown()
        self.assertEqual(outer.poll(), [policy.Close(connection)])


class Boundary(unittest.TestCase):
    def test_only_the_word_allow_allows(self) -> None:
        class Liar(str):
            def __eq__(self, other: object) -> bool:
                return True

            __hash__ = str.__hash__

        outer, inner = supervisor(), worker()
        connection = outer.open()
        for line in (inner.register("1", 0).line,):
            outer.receive_line(connection, line, 0)
        reply = outer.poll()[0]
        assert isinstance(reply, policy.Reply)
        inner.receive(1, reply.line.encode() + b"\n", 0)
        for number, word in enumerate(("Allow", "allow ", "", None, True, 1, b"allow", ["allow"], Liar("no"), "allow")):
            outer.receive_line(connection, inner.network(f"n{number}", "ask.example", 443, 0).line, 0)
            (ask,) = outer.poll()
            assert isinstance(ask, policy.Ask)
            outer.answer(ask.ask, word, 0)  # type: ignore[arg-type]
            (reply,) = outer.poll()
            assert isinstance(reply, policy.Reply)
            self.assertEqual(json.loads(reply.line)["action"], "allow" if word == "allow" and type(word) is str else "deny", word)

    def test_arguments(self) -> None:
        outer, inner = supervisor(), worker()
        for number, error in ((-1, ValueError), (2**64, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError), (None, TypeError)):
            for call in (
                lambda: outer.close(number),  # type: ignore[arg-type]
                lambda: outer.expire(number),  # type: ignore[arg-type]
                lambda: outer.receive(1, b"", number),  # type: ignore[arg-type]
                lambda: outer.receive_line(number, "", 0),  # type: ignore[arg-type]
                lambda: outer.answer(number, "allow", 0),  # type: ignore[arg-type]
                lambda: inner.register("1", number),  # type: ignore[arg-type]
                lambda: inner.receive(number, b"", 0),  # type: ignore[arg-type]
                lambda: inner.end(number),  # type: ignore[arg-type]
            ):
                self.assertRaises(error, call)
        for port, error in ((65979, ValueError), (443.9, TypeError), ("443", TypeError), (True, TypeError)):
            self.assertRaises(error, inner.network, "1", "a.example", port, 0)
            self.assertRaises(error, inner.decide, "a.example", port)
        for call in (
            lambda: outer.receive(1, "text", 0),  # type: ignore[arg-type]
            lambda: inner.receive(1, "text", 0),  # type: ignore[arg-type]
            lambda: inner.network("1", None, 443, 0),  # type: ignore[arg-type]
            lambda: policy.Supervisor(ENGINE, "{}", CAPABILITY),  # type: ignore[arg-type]
            lambda: supervisor(recheck="no"),
            lambda: supervisor(recheck=0),
            lambda: supervisor(limits=policy.SupervisorLimits(workers=1.5)),  # type: ignore[arg-type]
            lambda: policy.Worker(ENGINE, 1, "w", "/"),  # type: ignore[arg-type]
        ):
            self.assertRaises(TypeError, call)
        for call in (
            lambda: policy.Worker(ENGINE, CAPABILITY, "w" + LONE, "/"),
            lambda: policy.Worker(ENGINE, CAPABILITY, "w", "/" + LONE),
            lambda: inner.register(LONE, 0),
            lambda: supervisor(limits=policy.SupervisorLimits(workers=2**32)),
        ):
            self.assertRaises(ValueError, call)
        connection = outer.open()
        outer.receive_line(connection, '{"a":"' + LONE + '"}', 0)
        self.assertEqual(outer.poll(), [policy.Reply(connection, '{"action":"deny"}')])

    def test_what_cannot_be_made_is_refused(self) -> None:
        long = policy.NetworkPolicy.from_lists(ENGINE, [f"host-{number}.example.com" for number in range(1000)], [])
        for call, reason in (
            (lambda: policy.Supervisor(ENGINE, POLICY, "ab"), "64 hex digits"),
            (lambda: policy.Supervisor(ENGINE, long, CAPABILITY), "policy too large"),
            (lambda: policy.Worker(ENGINE, CAPABILITY, "", "/"), "workerId"),
            (lambda: policy.Worker(ENGINE, CAPABILITY, "w", "repo"), "cwd"),
            (lambda: worker().network("1", "a.example", 443, 0), "while the worker is new"),
            (lambda: worker().register("", 0), "a request id"),
        ):
            self.assertRaisesRegex(policy.Refused, reason, call)

    def test_secrets(self) -> None:
        capabilities = {policy.new_capability() for _ in range(100)}
        self.assertEqual(len(capabilities), 100)
        for capability in capabilities:
            policy.Worker(ENGINE, capability, policy.new_request_id(), "/")
            break


class Failures(unittest.TestCase):
    def failing(self, error: BaseException) -> Any:
        return mock.patch.object(wasmtime.component.Func, "__call__", side_effect=error)

    def test_a_state_machine_that_failed_is_at_its_end(self) -> None:
        outer, inner = supervisor(), worker()
        request = inner.register("1", 0)
        connection = outer.open()
        outer.receive_line(connection, request.line, 0)
        reply = outer.poll()[0]
        assert isinstance(reply, policy.Reply)
        inner.receive(request.exchange, reply.line.encode() + b"\n", 0)
        self.assertEqual(inner.check("ok.example", 443), "allow")
        with self.failing(wasmtime.WasmtimeError("wasm trap: unreachable")):
            self.assertRaisesRegex(policy.PolicyUnavailable, "the supervisor has ended: .*unreachable", outer.open)
            self.assertEqual(inner.decide("ok.example", 443).reason, "unavailable")
        for call in (
            outer.open,
            outer.poll,
            outer.shutdown,
            outer.workers,
            outer.next_deadline,
            lambda: outer.receive(connection, b"{}\n", 0),
            lambda: outer.close(connection),
            lambda: outer.answer(1, "allow", 0),
        ):
            self.assertRaisesRegex(policy.PolicyUnavailable, "the supervisor has ended: .*unreachable", call)
        self.assertEqual(inner.check("ok.example", 443), "deny")
        for call in (inner.poll, lambda: inner.stage, lambda: inner.fingerprint, lambda: inner.network("2", "a.b", 443, 0)):
            self.assertRaisesRegex(policy.PolicyUnavailable, "the worker has ended: .*unreachable", call)
        self.assertEqual(POLICY.check("ok.example", 443), "allow", "others go on")

    def test_an_interrupted_call_is_a_failed_one(self) -> None:
        outer = supervisor()
        with self.failing(KeyboardInterrupt()):
            self.assertRaises(KeyboardInterrupt, outer.open)
        self.assertRaisesRegex(policy.PolicyUnavailable, "interrupted", outer.open)


if __name__ == "__main__":
    unittest.main()
