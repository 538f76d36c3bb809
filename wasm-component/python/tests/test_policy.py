"""Answers, arguments, failures and sharing of policies."""

from __future__ import annotations

import os
import threading
import time
import unittest
from unittest import mock

import wasmtime
from support import ENGINE, LONE, policy

from pi_sandbox_policy import _component

CONFIG = """{
  "subagents": {"provider": "pi-subagents", "externalWorkerIsolation": "enforce"},
  "filesystem": {"additionalAllowRead": ["/opt/a", "/opt/b"]},
  "network": {
    "allowedDomains": ["*.github.com:443", " registry.npmjs.org ", "github.com"],
    "deniedDomains": ["gist.github.com", "10.0.0.1"]
  },
  "hostIPC": {"mode": "ask", "preflightCommandPrefixes": ["docker "], "retryOnUnixSocketError": true}
}"""


def example() -> policy.NetworkPolicy:
    return policy.NetworkPolicy.from_config(ENGINE, CONFIG)


class Answers(unittest.TestCase):
    def test_every_outcome(self) -> None:
        rule = policy.Rule("allowedDomains", 0, "*.github.com:443")
        denied = policy.Rule("deniedDomains", 0, "gist.github.com")
        expected = {
            "API.GitHub.com.": policy.Decision("allow", "rule", "api.github.com", 443, rule),
            "gist.github.com": policy.Decision("deny", "rule", "gist.github.com", 443, denied),
            "example.com": policy.Decision("review", "unmatched", "example.com", 443),
            "0x7f.1": policy.Decision("deny", "not-public", "127.0.0.1", 443),
            "a b": policy.Decision("deny", "malformed-host", None, 443),
            "": policy.Decision("deny", "malformed-host", None, 443),
            "bücher.example": policy.Decision("deny", "malformed-host", None, 443),
            "x" * 100_000: policy.Decision("deny", "malformed-host", None, 443),
        }
        answering = example()
        for host, decision in expected.items():
            self.assertEqual(answering.decide(host, 443), decision)
            self.assertEqual(answering.check(host, 443), decision.action)
        destinations = [(host, 443) for host in expected] * 200
        self.assertEqual(answering.decide_many(destinations), list(expected.values()) * 200)
        actions = [decision.action for decision in expected.values()] * 200
        self.assertEqual(answering.check_many(iter(destinations)), actions)
        self.assertEqual(answering.decide_many([]), [])

    def test_lists_and_fingerprint(self) -> None:
        made = example()
        self.assertEqual(made.allowed_domains, ("*.github.com:443", "registry.npmjs.org", "github.com"))
        self.assertEqual(made.denied_domains, ("gist.github.com", "10.0.0.1"))
        self.assertRegex(made.fingerprint, "^sha256:[0-9a-f]{64}$")
        again = policy.NetworkPolicy.from_transport(ENGINE, made.to_json())
        self.assertEqual(again.fingerprint, made.fingerprint)
        lists = policy.NetworkPolicy.from_lists(ENGINE, made.allowed_domains, made.denied_domains)
        self.assertEqual(lists.fingerprint, made.fingerprint)

    def test_configuration(self) -> None:
        config = ENGINE.parse_config(CONFIG)
        self.assertEqual(config.subagents, policy.Subagents("pi-subagents", "enforce"))
        self.assertEqual(config.filesystem.additional_allow_read, ("/opt/a", "/opt/b"))
        self.assertEqual(config.network.denied_domains, ("gist.github.com", "10.0.0.1"))
        self.assertEqual(config.host_ipc, policy.HostIpc("ask", ("docker",), True))
        self.assertEqual(ENGINE.parse_config("{}").host_ipc, policy.HostIpc("off", (), False))

    def test_errors(self) -> None:
        for read in (ENGINE.parse_config, lambda text: policy.NetworkPolicy.from_config(ENGINE, text)):
            with self.assertRaises(policy.ConfigError) as caught:
                read('{"network":\n  {"é": 1,}}')
            self.assertEqual(caught.exception.message, "invalid JSON")
            self.assertEqual(caught.exception.position, policy.Position(22, 2, 10))
            with self.assertRaises(policy.ConfigError) as caught:
                read("[]")
            self.assertEqual(str(caught.exception), "invalid pi-sandbox configuration: root must be an object")
            self.assertIsNone(caught.exception.position)
        with self.assertRaises(policy.ListsError) as refused:
            policy.NetworkPolicy.from_lists(ENGINE, ["a.b"], ["c.d", "bad"])
        self.assertEqual(refused.exception.entry, policy.Entry("deniedDomains", 1))

    def test_transport_that_does_not_decode_denies_everything(self) -> None:
        for text in ("", "null", "{}", '{"allowedDomains":["a.b"]}', '{"allowedDomains":["a.b"],"deniedDomains":["' + LONE + '"]}'):
            made = policy.NetworkPolicy.from_transport(ENGINE, text)
            self.assertEqual(made.to_json(), '{"allowedDomains":[],"deniedDomains":["*"]}')
            self.assertEqual(made.check("a.b", 443), "deny")

    def test_names_addresses_and_host_ipc(self) -> None:
        self.assertEqual(ENGINE.canonicalize_host("[::FFFF:1.2.3.4]"), "1.2.3.4")
        self.assertEqual(ENGINE.canonicalize_host("."), "")
        self.assertIsNone(ENGINE.canonicalize_host("a b"))
        self.assertEqual(ENGINE.normalize_public_hostname(" A.example. "), "a.example")
        self.assertIsNone(ENGINE.normalize_public_hostname("localhost"))
        self.assertIs(ENGINE.is_public_address("140.82.112.3"), True)
        self.assertIs(ENGINE.is_public_address("10.0.0.1"), False)
        self.assertIs(ENGINE.check_addresses([]), False)
        self.assertIs(ENGINE.check_addresses(["140.82.112.3", "2606:4700::1"]), True)
        self.assertIs(ENGINE.check_addresses(("140.82.112.3", "::1")), False)
        self.assertEqual(ENGINE.matching_preflight_prefix("git push", ["gi", "git"]), "git")
        self.assertEqual(ENGINE.matching_preflight_prefix(" ", [""]), "")
        self.assertIsNone(ENGINE.matching_preflight_prefix("git", []))
        self.assertIs(ENGINE.is_unix_socket_permission_error("connect: Operation not permitted"), True)

    def test_diagnostics(self) -> None:
        text = '{"é": 1, "network": {"allowedDomains": ["a.example", "https://x.example/"]}}'
        validation = ENGINE.validate_config(text)
        self.assertEqual([one.code for one in validation.diagnostics], ["unknown-key", "entry-url"])
        first, second = validation.diagnostics
        self.assertEqual((first.severity, first.path, first.start, first.line, first.column), ("error", '["é"]', 1, 1, 2))
        assert second.fix is not None and validation.error is not None
        written = text.encode()
        fixed = written[: second.fix.start] + second.fix.text.encode() + written[second.fix.end :]
        self.assertEqual([one.code for one in ENGINE.validate_config(fixed.decode()).diagnostics], ["unknown-key"])
        with self.assertRaises(policy.ConfigError) as caught:
            ENGINE.parse_config(text)
        self.assertEqual(validation.error.message, caught.exception.message)
        lints = ENGINE.validate_config('{"network": {"allowedDomains": ["a.example", "a.example"]}}')
        self.assertEqual((lints.error, lints.omitted, lints.diagnostics[0].code), (None, 0, "duplicate-pattern"))

        place = ENGINE.locate_entry(CONFIG, "allowedDomains", 1)
        assert place is not None
        self.assertEqual(CONFIG.encode()[place.start : place.end], b'" registry.npmjs.org "')
        self.assertIsNone(ENGINE.locate_entry(CONFIG, "deniedDomains", 2))
        self.assertIn('"$schema"', ENGINE.config_schema())

    def test_explanations(self) -> None:
        explanation = example().explain("GITHUB.com.", 443)
        self.assertEqual(explanation.decision, example().decide("github.com", 443))
        self.assertEqual([step.step for step in explanation.steps], ["lower-case", "dot"])
        self.assertEqual(explanation.matches, (policy.Match(policy.Rule("allowedDomains", 2, "github.com"), True),))
        self.assertEqual((explanation.misses, explanation.misses_omitted), ((), 0))
        misses = policy.NetworkPolicy.from_lists(ENGINE, ["a.example:443"], []).explain("a.example", 80).misses
        self.assertEqual([(miss.kind, miss.suggestion) for miss in misses], [("port", "a.example:80")])

    def test_comparisons(self) -> None:
        old = policy.NetworkPolicy.from_lists(ENGINE, ["a.example"], [])
        new = policy.NetworkPolicy.from_lists(ENGINE, [], ["b.example"])
        comparison = old.compare(new)
        self.assertEqual((comparison.relation, comparison.wider), ("narrower", ()))
        witnesses = {(one.host, one.old, one.new) for one in comparison.narrower}
        self.assertEqual(witnesses, {("a.example", "allow", "review"), ("b.example", "review", "deny")})
        self.assertEqual(old.compare(old).relation, "equal")
        self.assertIs(new.is_no_wider_than(old), True)
        self.assertIs(old.is_no_wider_than(new), False)


class Boundary(unittest.TestCase):
    def test_a_port_is_an_int_from_0_to_65535(self) -> None:
        answering = policy.NetworkPolicy.from_lists(ENGINE, ["a.example:443"], [])

        class Liar(int):
            def __index__(self) -> int:
                return 443

            def __int__(self) -> int:
                return 443

            def __le__(self, other: object) -> bool:
                return True

            __ge__ = __lt__ = __gt__ = __le__

        for port, error in (
            (65979, ValueError),
            (-65093, ValueError),
            (-1, ValueError),
            (65536, ValueError),
            (1 << 64, ValueError),
            (Liar(65979), ValueError),
            (443.0, TypeError),
            (443.9, TypeError),
            ("443", TypeError),
            ([443], TypeError),
            (True, TypeError),
            (None, TypeError),
        ):
            for ask in (answering.decide, answering.check):
                with self.assertRaises(error, msg=repr(port)):
                    ask("a.example", port)  # type: ignore[arg-type]
            for ask_many in (answering.decide_many, answering.check_many):
                with self.assertRaises(error, msg=repr(port)):
                    ask_many([("a.example", 443), ("a.example", port)])  # type: ignore[list-item]
            with self.assertRaises(error, msg=repr(port)):
                answering.explain("a.example", port)  # type: ignore[arg-type]
        self.assertEqual(answering.check("a.example", Liar(443)), "allow")
        self.assertEqual([answering.check("a.example", port) for port in (0, 80, 443, 65535)], ["review", "review", "allow", "review"])

    def test_a_host_is_a_str(self) -> None:
        answering = example()
        for host in (None, 1, b"github.com", ["github.com"], object()):
            with self.assertRaises(TypeError):
                answering.decide(host, 443)  # type: ignore[arg-type]
            with self.assertRaises(TypeError):
                answering.check_many([(host, 443)])  # type: ignore[list-item]
            with self.assertRaises(TypeError):
                ENGINE.canonicalize_host(host)  # type: ignore[arg-type]
            with self.assertRaises(TypeError):
                ENGINE.parse_config(host)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            policy.NetworkPolicy.from_lists(ENGINE, "a.b", [])
        with self.assertRaises(TypeError):
            policy.NetworkPolicy()
        with self.assertRaises(TypeError):
            answering.compare("{}")  # type: ignore[arg-type]
        with self.assertRaises(KeyError):
            ENGINE.locate_entry("{}", "allowed", 0)  # type: ignore[arg-type]
        for index, error in ((True, TypeError), (1.0, TypeError), (-1, ValueError), (2**32, ValueError)):
            self.assertRaises(error, ENGINE.locate_entry, "{}", "allowedDomains", index)

    def test_lone_surrogates_are_never_repaired(self) -> None:
        answering = policy.NetworkPolicy.from_lists(ENGINE, ["github.com"], [])
        for host in (LONE, "github.com" + LONE, LONE + "github.com", "github" + LONE + ".com", "\udc80", "\ud83d\ude00"):
            self.assertEqual(answering.decide(host, 443).reason, "malformed-host")
            self.assertEqual(answering.check(host, 443), "deny")
            self.assertIsNone(ENGINE.canonicalize_host(host))
            self.assertIsNone(ENGINE.normalize_public_hostname(host))
        self.assertIs(ENGINE.is_public_address("140.82.112.3" + LONE), False)
        self.assertIs(ENGINE.check_addresses(["140.82.112.3", LONE]), False)
        with self.assertRaises(policy.ConfigError) as caught:
            ENGINE.parse_config('{"a": "é' + LONE + '"}')
        self.assertEqual((caught.exception.message, caught.exception.position), ("invalid JSON", policy.Position(9, 1, 9)))
        with self.assertRaises(policy.ListsError) as refused:
            policy.NetworkPolicy.from_lists(ENGINE, ["a.b", "a." + LONE + "b"], [])
        self.assertEqual(refused.exception.entry, policy.Entry("allowedDomains", 1))
        for ask in (
            lambda: ENGINE.matching_preflight_prefix("git" + LONE, ["git"]),
            lambda: ENGINE.matching_preflight_prefix("git", ["git", LONE]),
            lambda: ENGINE.is_unix_socket_permission_error(LONE),
        ):
            self.assertRaisesRegex(ValueError, "lone surrogate", ask)

    def test_other_components_are_refused(self) -> None:
        self.assertRaises(ValueError, policy.PolicyEngine, b"(component)")
        self.assertRaises(ValueError, policy.PolicyEngine, b"\0asm\x0d\0\x01\0")
        self.assertRaises(FileNotFoundError, policy.PolicyEngine, "/nowhere/policy.component.wasm")
        self.assertRaises(ValueError, policy.PolicyEngine, deadline=0)


class Failures(unittest.TestCase):
    """Whatever goes wrong below denies, and does not last."""

    def failing(self, error: BaseException) -> mock._patch[mock.MagicMock]:
        return mock.patch.object(wasmtime.component.Func, "__call__", side_effect=error)

    def test_a_trap_denies_once(self) -> None:
        answering = example()
        with self.failing(wasmtime.WasmtimeError("wasm trap: unreachable")):
            decision = answering.decide("github.com", 443)
            self.assertEqual((decision.action, decision.reason, decision.port), ("deny", "unavailable", 443))
            self.assertIn("unreachable", decision.failure or "")
            self.assertEqual(answering.check("github.com", 443), "deny")
            self.assertEqual(answering.check_many([("github.com", 443)]), ["deny"])
            many = answering.decide_many([("github.com", 443), ("a.b", 80)])
            self.assertEqual([(one.reason, one.port) for one in many], [("unavailable", 443), ("unavailable", 80)])
            self.assertIs(ENGINE.is_public_address("140.82.112.3"), False)
            self.assertIs(ENGINE.check_addresses(["140.82.112.3"]), False)
            self.assertIs(answering.is_no_wider_than(answering), False)
            for ask in (
                lambda: ENGINE.parse_config("{}"),
                lambda: ENGINE.canonicalize_host("a.b"),
                lambda: policy.NetworkPolicy.from_config(ENGINE, "{}"),
                lambda: policy.NetworkPolicy.from_transport(ENGINE, "{}"),
                answering.to_json,
                ENGINE.config_schema,
                lambda: ENGINE.validate_config("{}"),
                lambda: answering.explain("github.com", 443),
                lambda: answering.compare(answering),
            ):
                self.assertRaises(policy.PolicyUnavailable, ask)
        self.assertEqual(answering.check("github.com", 443), "allow")
        self.assertEqual(answering.decide("github.com", 443).rule, policy.Rule("allowedDomains", 2, "github.com"))
        self.assertIs(ENGINE.is_public_address("140.82.112.3"), True)

    def test_an_instance_that_failed_is_not_used_again(self) -> None:
        answering = example()
        before = answering._loaded._value
        with self.failing(ValueError("a tag that nobody knows")):
            self.assertEqual(answering.check("github.com", 443), "deny")
        self.assertIsNone(answering._loaded._value)
        self.assertEqual(answering.check("github.com", 443), "allow")
        self.assertIsNot(answering._loaded._value, before)

    def test_an_interrupt_is_passed_on(self) -> None:
        answering = example()
        with self.failing(KeyboardInterrupt()):
            self.assertRaises(KeyboardInterrupt, answering.check, "github.com", 443)
        self.assertIsNone(answering._loaded._value)
        self.assertEqual(answering.check("github.com", 443), "allow")

    def test_a_policy_that_changed_answers_no_more(self) -> None:
        answering = example()
        lists = answering.allowed_domains, answering.denied_domains
        answering._loaded = _component.Held(lambda: _component.load_again(ENGINE._core, "sha256:another", *lists))
        self.assertEqual(answering.decide("github.com", 443).reason, "unavailable")
        self.assertEqual(answering.check("github.com", 443), "deny")

    def test_the_memory_limit(self) -> None:
        engine = policy.PolicyEngine(memory_limit=4 << 20)
        many = [f"host-{number}.example.com" for number in range(100_000)]
        self.assertRaises(policy.PolicyUnavailable, policy.NetworkPolicy.from_lists, engine, many, [])
        self.assertRaises(policy.PolicyUnavailable, engine.normalize_public_hostname, "a" * (8 << 20))
        self.assertIs(engine.is_public_address("1" * (8 << 20)), False)
        self.assertIs(engine.is_public_address("140.82.112.3"), True)
        answering = policy.NetworkPolicy.from_lists(engine, many[:100], [])
        self.assertEqual(answering.check("host-99.example.com", 443), "allow")

    def test_the_deadline(self) -> None:
        engine = policy.PolicyEngine(load_deadline=0.1)
        many = [f"host-{number}.example.com" for number in range(200_000)]
        started = time.monotonic()
        with self.assertRaisesRegex(policy.PolicyUnavailable, "interrupt"):
            policy.NetworkPolicy.from_lists(engine, many, [])
        self.assertLess(time.monotonic() - started, 60)
        self.assertEqual(policy.NetworkPolicy.from_lists(engine, many[:10], []).check("host-9.example.com", 443), "allow")


class Sharing(unittest.TestCase):
    def test_threads(self) -> None:
        answering, wrong = example(), []

        def ask() -> None:
            for port in range(300):
                answers = answering.check("a.github.com", 443), answering.decide("gist.github.com", port).port
                if answers != ("allow", port) or ENGINE.canonicalize_host("A.example") != "a.example":
                    wrong.append(answers)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_engines_end_their_threads(self) -> None:
        before = set(threading.enumerate())
        engines = [policy.PolicyEngine() for _ in range(3)]
        answering = policy.NetworkPolicy.from_lists(engines[0], ["a.example"], [])
        clocks = set(threading.enumerate()) - before
        self.assertEqual(len(clocks), 3)
        del engines
        for count in (1, 0):
            deadline = time.monotonic() + 30
            while sum(clock.is_alive() for clock in clocks) > count and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(sum(clock.is_alive() for clock in clocks), count)
            if count:
                self.assertEqual(answering.check("a.example", 443), "allow", "a policy keeps its engine")
                del answering

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_forked_process_keeps_its_deadlines(self) -> None:
        engine = policy.PolicyEngine(load_deadline=0.1)
        answering = policy.NetworkPolicy.from_lists(engine, ["a.example"], [])
        child = os.fork()
        if child == 0:
            code = 1
            try:
                many = [f"host-{number}.example.com" for number in range(200_000)]
                if answering.check("a.example", 443) == "allow":
                    policy.NetworkPolicy.from_lists(engine, many, [])
            except policy.PolicyUnavailable:
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
