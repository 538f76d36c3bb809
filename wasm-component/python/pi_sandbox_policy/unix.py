"""A worker over a Unix socket: registers with a supervisor, decides by its policy, and asks about the rest.

    from pi_sandbox_policy import PolicyEngine
    from pi_sandbox_policy.unix import WorkerClient

    worker = WorkerClient.register(PolicyEngine(), socket_path, capability, "worker-1", "/repo")
    match worker.check(host, port):
        case "allow":
            ...  # connect
        case "review" if worker.permits(host, port):
            ...  # connect, this once
    worker.unregister()

Each request has a connection of its own and 30 seconds. Any number of threads may use one client.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Final

from ._engine import PolicyEngine
from ._protocol import Answer, OutgoingRequest, Refused, Worker, new_request_id
from ._types import Action, Decision, PolicyUnavailable

__all__ = ["NoAnswer", "RegistrationDenied", "WorkerClient"]


class NoAnswer(OSError):
    """The supervisor was not reached, did not answer in time, or ended the connection first. It is no permission."""


class RegistrationDenied(PermissionError):
    """The supervisor did not take the worker in."""


class WorkerClient:
    """A worker that a supervisor has taken in. Going away without ``unregister`` leaves it registered."""

    def __init__(self) -> None:
        raise TypeError("use register")

    @classmethod
    def register(
        cls,
        engine: PolicyEngine,
        path: str | os.PathLike[str],
        capability: str,
        id: str,
        cwd: str,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> WorkerClient:
        """Asks the supervisor at a socket to take a worker in.

        Raises ``RegistrationDenied`` or ``NoAnswer``, or ``Refused`` when no supervisor would take such a worker:
        nothing may connect then. ``clock`` gives seconds and does not go back.
        """
        client = cls.__new__(cls)
        client._path = os.fspath(path)
        client._worker = Worker(engine, capability, id, cwd)
        client._settled = {}
        client._lock = threading.Lock()
        client._clock = clock
        if client._exchange(client._worker.register) != "allow":
            raise RegistrationDenied(errno.EACCES, "the supervisor did not take the worker in")
        return client

    def decide(self, host: str, port: int) -> Decision:
        """Whether a connection may be made, by the policy that the supervisor sent; on review, ``ask``."""
        return self._worker.decide(host, port)

    def check(self, host: str, port: int) -> Action:
        """The action of ``decide`` alone, for less."""
        return self._worker.check(host, port)

    @property
    def fingerprint(self) -> str:
        """Of the policy that the supervisor sent; after ``unregister``, of the one that denies everything."""
        return self._worker.fingerprint

    def ask(self, host: str, port: int) -> Answer:
        """Asks the supervisor about one connection, and waits for its answer.

        Raises ``NoAnswer``, ``Refused`` or ``PolicyUnavailable``: the connection must not be made then.
        """
        return self._exchange(lambda request_id, now: self._worker.network(request_id, host, port, now))

    def permits(self, host: str, port: int) -> bool:
        """Whether the supervisor allows one connection. ``False``, too, when it cannot be asked or does not answer."""
        try:
            return self.ask(host, port) == "allow"
        except (NoAnswer, PolicyUnavailable, Refused):
            return False

    def unregister(self) -> Answer:
        """Leaves. Whatever waits is denied, and from here on everything is, also when this raises ``NoAnswer``."""
        return self._exchange(self._worker.unregister)

    def _exchange(self, request: Callable[[str, int], OutgoingRequest]) -> Answer:
        outgoing = request(new_request_id(), self._now())
        try:
            return self._converse(outgoing)
        except NoAnswer:
            raise
        except OSError as error:
            raise NoAnswer(error.errno, f"no answer from the supervisor: {error.strerror or error}") from error
        finally:
            self._give_up(outgoing.exchange)

    def _converse(self, outgoing: OutgoingRequest) -> Answer:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            self._connect(stream, outgoing.exchange)
            stream.settimeout(self._left(outgoing.exchange))
            stream.sendall(outgoing.line.encode() + b"\n")
            while (answer := self._answer(outgoing.exchange)) is None:
                stream.settimeout(self._left(outgoing.exchange))
                try:
                    data = stream.recv(_READ)
                except TimeoutError:
                    continue
                if not data:
                    raise NoAnswer(errno.ECONNRESET, "no answer from the supervisor: it ended the connection")
                self._worker.receive(outgoing.exchange, data, self._now())
            return answer

    def _connect(self, stream: socket.socket, exchange: int) -> None:
        while True:
            stream.settimeout(self._left(exchange))
            try:
                return stream.connect(self._path)
            except BlockingIOError:
                # The supervisor's queue is full; there is nothing to wait for but time.
                time.sleep(_FULL_QUEUE)

    def _left(self, exchange: int) -> float:
        """Seconds to wait before the clock is looked at again. Raises ``NoAnswer`` when the time is over."""
        with self._lock:
            now = self._now()
            self._worker.expire(now)
            self._poll()
            deadline = self._worker.next_deadline()
            if exchange in self._settled or deadline is None:
                raise NoAnswer(errno.ETIMEDOUT, "no answer from the supervisor in time")
            return min(max((deadline - now) / 1000, 0.001), _LONGEST_WAIT)

    def _answer(self, exchange: int) -> Answer | None:
        with self._lock:
            self._poll()
            return self._settled.get(exchange)

    def _give_up(self, exchange: int) -> None:
        """Leaves nothing of an exchange behind, however it went."""
        try:
            with self._lock:
                self._worker.end(exchange)
                self._poll()
                self._settled.pop(exchange, None)
        except PolicyUnavailable:
            # A worker that failed has no exchanges.
            pass

    def _poll(self) -> None:
        """Outcomes come for whichever thread asks first."""
        for outcome in self._worker.poll():
            self._settled[outcome.exchange] = outcome.answer

    def _now(self) -> int:
        return int(self._clock() * 1000)

    _path: str
    _worker: Worker
    _settled: dict[int, Answer]
    _lock: threading.Lock
    _clock: Callable[[], float]


_READ: Final = 4096

_LONGEST_WAIT: Final = 1.0
"""A clock that is not the system's is looked at so often."""

_FULL_QUEUE: Final = 0.01
"""Seconds until a full queue is tried again."""
