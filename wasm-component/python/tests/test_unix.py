"""A worker over real sockets, with a supervisor that does what it should and with one that does not."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from support import ENGINE, policy

from pi_sandbox_policy.unix import NoAnswer, RegistrationDenied, WorkerClient

CAPABILITY = "ab" * 32
WELCOME = '{"id":"ID","action":"allow","network":{"allowedDomains":["ok.example"],"deniedDomains":["no.example"]}}\n'
ALLOW = '{"id":"ID","action":"allow"}\n'
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "worker.py"


class Sockets(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "s")
        self.addCleanup(shutil.rmtree, self.folder)

    def listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(self.path)
        listener.listen()
        listener.settimeout(60)
        return listener

    def serve(self, *scripts: list[str]) -> None:
        """Answers each connection with the pieces of a script, in which `ID` is the request's, and ends it."""
        listener = self.listen()

        def answer() -> None:
            for script in scripts:
                connection, _ = listener.accept()
                with connection, connection.makefile() as stream, contextlib.suppress(BrokenPipeError):
                    # The worker may have heard enough before all is said.
                    request_id = json.loads(stream.readline())["id"]
                    for piece in script:
                        connection.sendall(piece.replace("ID", request_id).encode())

        self.start(answer)

    def start(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)

    def register(self) -> WorkerClient:
        return WorkerClient.register(ENGINE, self.path, CAPABILITY, "w", "/repo")


class Clients(Sockets):
    def test_a_reply_is_read_however_it_comes(self) -> None:
        for script in ([WELCOME], list(WELCOME.replace("ID", "\0")), [WELCOME + '{"action":"deny"}\n'], [WELCOME, "rest"]):
            with self.subTest(script=script):
                script = [piece.replace("\0", "ID") for piece in script]
                self.serve(script, [ALLOW], ['{"action":"deny"}\n'], [ALLOW])
                worker = self.register()
                self.assertEqual(worker.check("ok.example", 443), "allow")
                self.assertEqual(worker.decide("other.example", 443).action, "review")
                self.assertEqual(worker.ask("other.example", 443), "allow")
                self.assertIs(worker.permits("other.example", 443), False)
                self.assertEqual(worker.unregister(), "allow")
                self.assertEqual(worker.check("ok.example", 443), "deny")
                self.assertRaises(policy.Refused, worker.ask, "other.example", 443)
                self.assertIs(worker.permits("other.example", 443), False)
                os.unlink(self.path)

    def test_a_registration_that_is_not_understood_is_none(self) -> None:
        long = WELCOME.strip() + " " * 17_000 + "\n"
        for reply in ('{"action":"deny"}\n', WELCOME.replace('"ID"', '"x"'), WELCOME.replace("allow", "Allow", 1), "{\n", long):
            with self.subTest(reply=reply[:50]):
                self.serve([reply])
                self.assertRaises(RegistrationDenied, self.register)
                os.unlink(self.path)

    def test_a_policy_that_does_not_decode_denies_everything(self) -> None:
        for wrong in ('"deniedDomains":[],"extra":1', '"denied":[]', '"deniedDomains":["*.x"]', '"deniedDomains":"no.example"'):
            with self.subTest(wrong=wrong):
                self.serve([WELCOME.replace('"deniedDomains":["no.example"]', wrong)])
                worker = self.register()
                self.assertEqual(worker.check("ok.example", 443), "deny")
                os.unlink(self.path)

    def test_no_reply_is_no_answer(self) -> None:
        self.assertRaises(NoAnswer, self.register)
        self.serve([WELCOME], [], [ALLOW.strip()], [ALLOW[:10]], [ALLOW])
        worker = self.register()
        for _ in range(2):
            self.assertRaisesRegex(NoAnswer, "no answer from the supervisor", worker.ask, "other.example", 443)
        self.assertIs(worker.permits("other.example", 443), False)
        self.assertEqual(worker.ask("other.example", 443), "allow", "the next request has a connection of its own")
        self.assertEqual(worker._settled, {}, "nothing is left behind")
        os.unlink(self.path)
        self.assertRaises(NoAnswer, worker.unregister)
        self.assertEqual(worker.check("ok.example", 443), "deny", "it has left")

    def test_a_supervisor_that_says_nothing_for_30_seconds_has_not_answered(self) -> None:
        self.listen()
        fast = lambda: time.monotonic() * 500  # noqa: E731
        for _ in range(2):
            with self.assertRaisesRegex(NoAnswer, "in time"):
                WorkerClient.register(ENGINE, self.path, CAPABILITY, "w", "/repo", clock=fast)
            # Then with a queue that is full.
            for _ in range(10_000):
                waiting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                self.addCleanup(waiting.close)
                waiting.setblocking(False)
                if waiting.connect_ex(self.path) != 0:
                    break

    def test_what_cannot_be_sent_is_refused(self) -> None:
        self.assertRaises(policy.Refused, WorkerClient.register, ENGINE, self.path, "ab", "w", "/repo")
        self.assertRaises(TypeError, WorkerClient)
        self.serve([WELCOME])
        worker = self.register()
        self.assertRaises(policy.Refused, worker.ask, "a" * 254, 443)
        self.assertRaises(policy.Refused, worker.ask, "a.example", 0)
        self.assertRaises(ValueError, worker.ask, "a.example", 65979)
        self.assertRaises(TypeError, worker.ask, "a.example", "443")


class Example(Sockets):
    """The worked example, under a supervisor of this package."""

    def supervise(self, asks: list[str]) -> policy.Supervisor:
        lists = policy.NetworkPolicy.from_lists(ENGINE, ["ok.example"], ["no.example"])
        supervisor = policy.Supervisor(ENGINE, lists, CAPABILITY)
        listener = self.listen()

        def serve() -> None:
            while not supervisor.workers() or supervisor.workers()[0].state == "active":
                connection, _ = listener.accept()
                with connection:
                    number, ended = supervisor.open(), False
                    while not ended:
                        supervisor.receive(number, connection.recv(4096), 0)
                        while outputs := supervisor.poll():
                            for output in outputs:
                                if isinstance(output, policy.Ask):
                                    asks.append(output.hostname)
                                    supervisor.answer(output.ask, "allow" if output.port == 443 else "deny", 0)
                                if isinstance(output, policy.Reply):
                                    connection.sendall(output.line.encode() + b"\n")
                                    ended = True
                    supervisor.close(number)

        self.start(serve)
        return supervisor

    def test_a_worker_as_a_process(self) -> None:
        asks: list[str] = []
        supervisor = self.supervise(asks)
        destinations = [["OK.example.", 443], ["no.example", 80], ["Ask.example", 443], ["ask.example", 22], ["127.1", 1], ["é", 1]]
        lines = [CAPABILITY, *(json.dumps(destination) for destination in destinations)]
        command = [sys.executable, str(EXAMPLE), self.path, "worker-1", "/repo"]
        done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=120, encoding="utf-8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(
            done.stdout.splitlines()[1:],
            [
                '{"host":"OK.example.","port":443,"action":"allow","reason":"rule","index":0}',
                '{"host":"no.example","port":80,"action":"deny","reason":"rule","index":0}',
                '{"host":"Ask.example","port":443,"action":"review","reason":"unmatched","asked":"allow"}',
                '{"host":"ask.example","port":22,"action":"review","reason":"unmatched","asked":"deny"}',
                '{"host":"127.1","port":1,"action":"deny","reason":"not-public"}',
                '{"host":"é","port":1,"action":"deny","reason":"malformed-host"}',
            ],
        )
        self.assertTrue(json.loads(done.stdout.splitlines()[0])["fingerprint"].startswith("sha256:"))
        self.assertEqual(asks, ["ask.example", "ask.example"])
        (worker,) = supervisor.workers()
        self.assertEqual((worker.id, worker.cwd, worker.state, worker.requests), ("worker-1", "/repo", "exited", 2))


if __name__ == "__main__":
    unittest.main()
