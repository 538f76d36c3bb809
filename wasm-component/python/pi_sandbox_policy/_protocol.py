"""The protocol between workers and their supervisor, without I/O."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeVar, Union, cast

from wasmtime import component as wit

from ._answers import error_of, field, tagged, to_action, to_decision, unavailable
from ._arguments import (
    checked_bytes,
    checked_count,
    checked_document,
    checked_host,
    checked_port,
    checked_text,
)
from ._component import Instance, guarded
from ._engine import PolicyEngine
from ._policy import NetworkPolicy
from ._types import Action, Decision, PolicyUnavailable

Answer = Literal["allow", "deny"]
"""What an approver says to one ask, and what a worker is told about one request."""

Stage = Literal["new", "registering", "active", "leaving", "stopped"]
"""How far a worker has come. It never goes back."""

_T = TypeVar("_T")


class Refused(ValueError):
    """A supervisor, a worker or a request of it was not made. A connection that it was for must not be made either."""


@dataclass(frozen=True)
class WorkerRecord:
    """One worker as its supervisor sees it."""

    id: str
    cwd: str
    state: Literal["active", "exited"]
    requests: int
    """Its ``network`` requests that were accepted, whatever their answers."""
    registered_at: int
    exited_at: int | None


@dataclass(frozen=True)
class Reply:
    """Write the line and a newline to the connection."""

    connection: int
    line: str


@dataclass(frozen=True)
class Close:
    """Write what is to be written and end the connection. The supervisor has forgotten it already."""

    connection: int


@dataclass(frozen=True)
class Ask:
    """Ask the approver, and hand what it says to ``Supervisor.answer``."""

    ask: int
    """The number of this ask, never used again."""
    connection: int
    hostname: str
    """With recheck the canonical host, without it the text as it was sent."""
    port: int
    cwd: str
    worker_id: str


@dataclass(frozen=True)
class Withdrawn:
    """Nobody waits for the answer to this ask any more: it was denied."""

    ask: int


@dataclass(frozen=True)
class Registered:
    """A worker has registered."""

    worker: WorkerRecord


@dataclass(frozen=True)
class Unregistered:
    """A worker has unregistered."""

    worker: WorkerRecord


Output = Union[Reply, Close, Ask, Withdrawn, Registered, Unregistered]
"""One thing to do, or to know."""


@dataclass(frozen=True)
class SupervisorLimits:
    """How much state a supervisor keeps; ``None`` is the default. What does not fit is denied."""

    connections: int | None = None
    workers: int | None = None
    request_ids: int | None = None
    pending_asks: int | None = None
    pending_asks_per_worker: int | None = None


@dataclass(frozen=True)
class OutgoingRequest:
    """One line to send. Its ``repr`` does not show the line, which holds the capability."""

    exchange: int
    """The number of the exchange, for the calls that follow."""
    line: str
    """JSON, without the newline that must follow it."""

    def __repr__(self) -> str:
        return f"OutgoingRequest(exchange={self.exchange})"


@dataclass(frozen=True)
class Outcome:
    """What one exchange came to. Of a registration, allow: the worker is active and has the policy it was sent."""

    exchange: int
    answer: Answer


def new_capability() -> str:
    """A secret for one supervisor and its workers: 32 random bytes, in hex."""
    return secrets.token_hex(32)


def new_request_id() -> str:
    """A random id for one request."""
    return secrets.token_hex(16)


class _Machine:
    """A state machine in an instance of its own. A failed call is its end: every later one fails alike."""

    def __init__(self, engine: PolicyEngine, name: str, create: Callable[[Instance], Any]) -> None:
        self._core = engine._core
        self._name = name
        self._lock = threading.Lock()
        self._failure: PolicyUnavailable | None = None
        with guarded():
            self._instance = Instance(self._core)
            made = create(self._instance)
        self._handle = _accepted(made)

    def run(self, call: Callable[[Instance, Any], _T]) -> _T:
        with self._lock:
            if self._failure is not None:
                raise PolicyUnavailable(str(self._failure)) from self._failure
            self._failure = PolicyUnavailable(f"the {self._name} has ended: a call was interrupted")
            try:
                with guarded():
                    self._instance.arm(self._core.question)
                    answer = call(self._instance, self._handle)
            except PolicyUnavailable as failure:
                self._failure = PolicyUnavailable(f"the {self._name} has ended: {failure}")
                raise self._failure from failure
            self._failure = None
            return answer

    def call(self, function: str, *arguments: Any) -> Any:
        name = f"supervisor#[method]{self._name}.{function}"
        return self.run(lambda instance, handle: instance.call(name, handle, *arguments))


class Supervisor:
    """Answers the requests of workers: from the policy, or by asking an approver. Does no I/O.

    After every input call ``poll`` and do what it says, in that order; call ``expire`` when ``next_deadline`` has
    come. ``now`` is in milliseconds of one clock that does not go back. An input that names nothing known (a
    connection that ended, an ask that was answered) changes nothing. Read no more from a connection that does not
    take its replies.

    ``PolicyUnavailable`` from any method is the end of this supervisor: every later call raises it, too. End every
    connection then; whoever waits is denied.
    """

    def __init__(
        self,
        engine: PolicyEngine,
        policy: NetworkPolicy,
        capability: str,
        *,
        recheck: bool | None = None,
        ask_timeout_ms: int | None = None,
        limits: SupervisorLimits = SupervisorLimits(),
    ) -> None:
        if not isinstance(policy, NetworkPolicy):
            raise TypeError(f"policy must be a NetworkPolicy, not {type(policy).__name__}")
        if recheck is not None and not isinstance(recheck, bool):
            raise TypeError(f"recheck must be a bool, not {type(recheck).__name__}")
        capability = checked_text(capability, "capability")
        chosen = {"recheck": recheck, "ask-timeout": _optional(ask_timeout_ms, "ask_timeout_ms", 2**64 - 1)}
        chosen_limits = {
            one.name.replace("_", "-"): _optional(getattr(limits, one.name), one.name, 2**32 - 1) for one in fields(limits)
        }

        def create(instance: Instance) -> Any:
            options = instance.call("supervisor#default-options")
            _change(options, chosen)
            _change(field(options, "limits"), chosen_limits)
            loaded = policy._load_into(instance)
            return instance.call("supervisor#[static]supervisor.create", loaded.answer, capability, options)

        self._machine = _Machine(engine, "supervisor", create)

    def open(self) -> int:
        """A worker has connected; gives the connection's number. At the limit it is denied and ended at once."""
        return cast(int, self._machine.call("open"))

    def receive(self, connection: int, data: bytes, now: int) -> None:
        """Bytes have come, cut anywhere."""
        connection, now = checked_count(connection, "connection"), checked_count(now, "now")
        for chunk in _chunks(checked_bytes(data)):
            self._machine.call("receive", connection, chunk, now)

    def receive_line(self, connection: int, line: str, now: int) -> None:
        """A whole frame has come, from a program that cuts lines itself."""
        line = checked_document(line)
        self._machine.call("receive-line", checked_count(connection, "connection"), line, checked_count(now, "now"))

    def close(self, connection: int) -> None:
        """The connection has ended. What its requests wait for is denied; workers stay as they are."""
        self._machine.call("close", checked_count(connection, "connection"))

    def answer(self, ask: int, answer: str, now: int) -> None:
        """The approver has spoken; anything but exactly ``allow`` is deny."""
        word = "allow" if type(answer) is str and answer == "allow" else "deny"
        self._machine.call("answer", checked_count(ask, "ask"), word, checked_count(now, "now"))

    def expire(self, now: int) -> None:
        """Denies every ask whose time is over."""
        self._machine.call("expire", checked_count(now, "now"))

    def next_deadline(self) -> int | None:
        """When ``expire`` has something to do next."""
        return cast("int | None", self._machine.call("next-deadline"))

    def shutdown(self) -> None:
        """Denies every ask, ends every connection and refuses new ones."""
        self._machine.call("shutdown")

    def poll(self) -> list[Output]:
        """Everything there is to do since the last time, in order."""
        return [_output(output) for output in self._machine.call("poll")]

    def workers(self) -> list[WorkerRecord]:
        """Every worker that ever registered, in that order."""
        return [_worker(worker) for worker in self._machine.call("workers")]


class Worker:
    """Registers with a supervisor, asks it about connections, and leaves. Does no I/O: ``unix.WorkerClient`` does.

    ``register``, ``network`` and ``unregister`` give a line; write it and a newline to a connection that no other
    exchange uses, and hand in what comes back. Every exchange has exactly one outcome. After every input call
    ``poll``; call ``expire`` when ``next_deadline`` has come.

    ``PolicyUnavailable`` from any method is the end of this worker: every later call raises it, too, and every
    decision is deny.
    """

    def __init__(self, engine: PolicyEngine, capability: str, id: str, cwd: str) -> None:
        arguments = checked_text(capability, "capability"), checked_text(id, "id"), checked_text(cwd, "cwd")
        create = "supervisor#[static]worker.create"
        self._machine = _Machine(engine, "worker", lambda instance: instance.call(create, *arguments))
        self._policy: tuple[str, Any] | None = None

    def register(self, request_id: str, now: int) -> OutgoingRequest:
        """Asks to join. Raises ``Refused`` unless the worker is new."""
        return self._request("register", checked_text(request_id, "request_id"), checked_count(now, "now"))

    def network(self, request_id: str, hostname: str, port: int, now: int) -> OutgoingRequest:
        """Asks about one connection. Raises ``Refused`` unless the worker is active."""
        hostname, port = checked_text(hostname, "hostname"), checked_port(port)
        return self._request("network", checked_text(request_id, "request_id"), hostname, port, checked_count(now, "now"))

    def unregister(self, request_id: str, now: int) -> OutgoingRequest:
        """Says that the worker leaves. What it waits for is denied. Raises ``Refused`` unless the worker is active."""
        return self._request("unregister", checked_text(request_id, "request_id"), checked_count(now, "now"))

    def receive(self, exchange: int, data: bytes, now: int) -> None:
        """Bytes have come back, cut anywhere."""
        exchange, now = checked_count(exchange, "exchange"), checked_count(now, "now")
        for chunk in _chunks(checked_bytes(data)):
            self._machine.call("receive", exchange, chunk, now)

    def end(self, exchange: int) -> None:
        """No more will come back: the connection has ended, or could not be made."""
        self._machine.call("end", checked_count(exchange, "exchange"))

    def expire(self, now: int) -> None:
        """Denies every exchange whose time is over."""
        self._machine.call("expire", checked_count(now, "now"))

    def next_deadline(self) -> int | None:
        """When ``expire`` has something to do next."""
        return cast("int | None", self._machine.call("next-deadline"))

    def poll(self) -> list[Outcome]:
        """The outcomes since the last time."""
        return [Outcome(field(one, "exchange"), _ANSWERS[field(one, "answer")]) for one in self._machine.call("poll")]

    @property
    def stage(self) -> Stage:
        """How far it has come."""
        return cast(Stage, self._machine.call("stage"))

    def decide(self, host: str, port: int) -> Decision:
        """Whether a connection may be made, by the policy that the supervisor sent; deny while not active."""
        host, port = checked_host(host), checked_port(port)
        try:
            return to_decision(self._ask("decide", host, port))
        except PolicyUnavailable as failure:
            return unavailable(port, failure)

    def check(self, host: str, port: int) -> Action:
        """The action of ``decide`` alone, for less."""
        host, port = checked_host(host), checked_port(port)
        try:
            return to_action(self._ask("check", host, port))
        except PolicyUnavailable:
            return "deny"

    @property
    def fingerprint(self) -> str:
        """Of the policy that the supervisor sent; while not active, of the one that denies everything."""
        return cast(str, self._ask("fingerprint"))

    def _request(self, function: str, *arguments: Any) -> OutgoingRequest:
        request = _accepted(self._machine.call(function, *arguments))
        return OutgoingRequest(field(request, "exchange"), field(request, "line"))

    def _ask(self, function: str, *arguments: Any) -> Any:
        """Asks the policy, which changes with the stage only."""

        def ask(instance: Instance, worker: Any) -> Any:
            stage = instance.call("supervisor#[method]worker.stage", worker)
            if self._policy is None or self._policy[0] != stage:
                self._policy = stage, instance.call("supervisor#[method]worker.policy", worker)
            return instance.call(f"network#[method]network-policy.{function}", self._policy[1], *arguments)

        return self._machine.run(ask)


_CHUNK: Final = 4096
"""Bytes handed over in one call: each takes the layer below a microsecond."""

_ANSWERS: Final[dict[Any, Answer]] = {"allow": "allow", "deny": "deny"}


def _chunks(data: bytes) -> list[bytes]:
    return [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]


def _optional(number: int | None, name: str, limit: int) -> int | None:
    return None if number is None else checked_count(number, name, limit)


def _change(record: Any, chosen: dict[str, Any]) -> None:
    for name, value in chosen.items():
        if value is not None:
            setattr(record, name, value)


def _accepted(answer: Any) -> Any:
    """What was made, or the reason why nothing was."""
    refusal = error_of(answer)
    if refusal is not None:
        raise Refused(field(refusal, "message"))
    return answer.payload if isinstance(answer, wit.Variant) else answer


def _output(output: Any) -> Output:
    tag, value = tagged(output)
    if tag == "reply":
        return Reply(field(value, "connection"), field(value, "line"))
    if tag == "close":
        return Close(value)
    if tag == "ask":
        names = ("ask", "connection", "hostname", "port", "cwd", "worker-id")
        return Ask(*(field(value, name) for name in names))
    if tag == "withdrawn":
        return Withdrawn(value)
    if tag == "registered":
        return Registered(_worker(value))
    if tag == "unregistered":
        return Unregistered(_worker(value))
    raise RuntimeError(f"an output cannot be {tag}")


def _worker(worker: Any) -> WorkerRecord:
    names = ("id", "cwd", "state", "requests", "registered-at", "exited-at")
    return WorkerRecord(*(field(worker, name) for name in names))
