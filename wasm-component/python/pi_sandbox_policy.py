"""pi-sandbox network policies for Python: the WebAssembly component behind a small, typed API.

    from pi_sandbox_policy import NetworkPolicy, PolicyEngine

    engine = PolicyEngine()
    policy = NetworkPolicy.from_config(engine, '{"network": {"allowedDomains": ["*.github.com:443"]}}')
    decision = policy.decide("api.github.com", 443)
    if decision.action == "allow":
        print("allowed by", decision.rule.pattern)

What is checked here, before anything crosses into the component: a port is an ``int`` (no ``bool``, no ``float``, no
text) from 0 to 65535, since the layer below would wrap 65979 to 443; a host is a ``str``. Text with a lone surrogate
is never repaired: as a host it is malformed, as a document it is invalid JSON, as an entry of a list it is refused,
elsewhere it raises ``ValueError``.

A call that traps, takes too long or needs too much memory is *deny* (reason ``unavailable``) where the answer is a
decision, ``False`` where it is "is this public", and raises ``PolicyUnavailable`` elsewhere. The instance is thrown
away and the next call works.

All objects may be used from several threads; calls of one policy wait for each other. One call takes 50 to 100
microseconds; ``decide_many`` and ``check_many`` share that cost.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, Literal, TypeVar, Union, cast

import wasmtime
from wasmtime import component as wit

__all__ = [
    "Action",
    "Config",
    "ConfigError",
    "Decision",
    "Entry",
    "Filesystem",
    "HostIpc",
    "List",
    "ListsError",
    "NetworkLists",
    "NetworkPolicy",
    "PolicyEngine",
    "PolicyUnavailable",
    "Position",
    "Reason",
    "Rule",
    "Subagents",
]

Action = Literal["deny", "review", "allow"]
"""What a decision comes to, from the least access to the most."""

Reason = Literal["rule", "unmatched", "malformed-host", "not-public", "unavailable"]
"""Why: an entry matched; none did; the text is no host; none did and the host is no public name; no answer."""

List = Literal["allowedDomains", "deniedDomains"]
"""One of the two lists of a policy."""

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Rule:
    """The entry that decided."""

    list: List
    """The list that it stands in."""
    index: int
    """Its index in that list, from 0, duplicates counted."""
    pattern: str
    """The entry as written."""


@dataclass(frozen=True)
class Decision:
    """The answer for one destination."""

    action: Action
    reason: Reason
    host: str | None
    """The canonical host; ``None`` when the text was no host or there was no answer."""
    port: int
    """The port as asked."""
    rule: Rule | None = None
    """The entry that decided, when the reason is ``rule``."""
    failure: str | None = None
    """What went wrong, when the reason is ``unavailable``."""


@dataclass(frozen=True)
class Subagents:
    """The section ``subagents``."""

    provider: Literal["builtin", "pi-subagents", "off"]
    external_worker_isolation: Literal["off", "enforce"]


@dataclass(frozen=True)
class Filesystem:
    """The section ``filesystem``."""

    additional_allow_read: tuple[str, ...]


@dataclass(frozen=True)
class NetworkLists:
    """The section ``network``: entries trimmed, each once."""

    allowed_domains: tuple[str, ...]
    denied_domains: tuple[str, ...]


@dataclass(frozen=True)
class HostIpc:
    """The section ``hostIPC``."""

    mode: Literal["off", "ask"]
    preflight_command_prefixes: tuple[str, ...]
    retry_on_unix_socket_error: bool


@dataclass(frozen=True)
class Config:
    """A valid configuration, every default filled in."""

    subagents: Subagents
    filesystem: Filesystem
    network: NetworkLists
    host_ipc: HostIpc


@dataclass(frozen=True)
class Position:
    """A place in a text."""

    offset: int
    """Offset in bytes of UTF-8, from 0; a lone surrogate counts as one."""
    line: int
    """Line, from 1."""
    column: int
    """Column in characters, from 1."""


@dataclass(frozen=True)
class Entry:
    """Where an entry stands."""

    list: List
    index: int


class ConfigError(ValueError):
    """The text is no valid configuration; ``position`` says where reading stopped when it is not JSON."""

    def __init__(self, message: str, position: Position | None) -> None:
        super().__init__(message)
        self.message: Final = message
        self.position: Final = position


class ListsError(ValueError):
    """The lists hold an entry that is no domain pattern; ``entry`` says which."""

    def __init__(self, message: str, entry: Entry | None) -> None:
        super().__init__(message)
        self.message: Final = message
        self.entry: Final = entry


class PolicyUnavailable(RuntimeError):
    """The component could not answer. The next call is not affected."""


class PolicyEngine:
    """The compiled component. One per process is enough.

    ``component`` is the component's bytes or a path to it; without it, the copy that is installed with this module.
    ``deadline`` and ``load_deadline`` are seconds for a question and for reading a configuration or policy, with
    the time to hand over the arguments; ``memory_limit`` is in bytes, for each policy.
    """

    def __init__(
        self,
        component: bytes | str | os.PathLike[str] | None = None,
        *,
        deadline: float = 1.0,
        load_deadline: float = 10.0,
        memory_limit: int = 256 << 20,
    ) -> None:
        if not (deadline >= 0.001 and load_deadline >= 0.001):
            raise ValueError("a deadline must be at least a millisecond")
        self._core = _Core(_component_bytes(component), deadline, load_deadline, memory_limit)
        # For questions without a policy. Also shows at once whether the component fits.
        self._instance = _Held(self._core.start)
        self._instance.use(lambda instance: None)

    def parse_config(self, text: str) -> Config:
        """Reads a configuration from the text of its file. Raises ``ConfigError`` with the first check that fails."""
        text = _document(text)
        answer = self._ask(self._core.loading, lambda instance: instance.call("config#parse-config", text))
        error = _error(answer)
        if error is not None:
            raise _config_error(error)
        return _config(answer.payload)

    def canonicalize_host(self, host: str) -> str | None:
        """The one spelling that the operating system would connect to; ``None`` when the text is no host."""
        host = _host(host)
        return cast("str | None", self._ask(self._core.question, lambda i: i.call("hosts#canonicalize-host", host)))

    def normalize_public_hostname(self, host: str) -> str | None:
        """The public hostname in a text: trimmed, lower-case, without one trailing dot; ``None`` when it is none."""
        host = _text(host, "host", _NEVER_VALID)
        return cast("str | None", self._ask(self._core.question, lambda i: i.call("hosts#normalize-public-hostname", host)))

    def is_public_address(self, address: str) -> bool:
        """Whether a resolved address may be reached: a bare IP literal of a public network."""
        address = _text(address, "address", _NEVER_VALID)
        return self._public("hosts#is-public-address", address)

    def check_addresses(self, addresses: Iterable[str]) -> bool:
        """Whether a name that resolved to these may be reached: there is at least one, and every one is public."""
        return self._public("hosts#check-addresses", _texts(addresses, "addresses", _NEVER_VALID))

    def matching_preflight_prefix(self, command: str, prefixes: Iterable[str]) -> str | None:
        """The first prefix that the trimmed command starts with, followed by the end or by white space."""
        command, listed = _text(command, "command"), _texts(prefixes, "prefixes")
        prefix = self._ask(self._core.question, lambda i: i.call("host-ipc#matching-preflight-prefix", command, listed))
        return cast("str | None", prefix)

    def is_unix_socket_permission_error(self, stderr: str) -> bool:
        """Whether a command's standard error speaks of a Unix socket that the sandbox refused."""
        stderr = _text(stderr, "stderr")
        return bool(self._ask(self._core.question, lambda i: i.call("host-ipc#is-unix-socket-permission-error", stderr)))

    def _public(self, function: str, argument: str | list[str]) -> bool:
        try:
            return self._ask(self._core.question, lambda instance: instance.call(function, argument)) is True
        except PolicyUnavailable:
            return False

    def _ask(self, deadline: int, question: Callable[[_Instance], _T]) -> _T:
        def run(instance: _Instance) -> _T:
            instance.arm(deadline)
            return question(instance)

        return self._instance.use(run)


class NetworkPolicy:
    """A network policy inside the component. It never changes."""

    def __init__(self) -> None:
        raise TypeError("use from_config, from_transport or from_lists")

    @classmethod
    def from_config(cls, engine: PolicyEngine, text: str) -> NetworkPolicy:
        """The policy of a configuration document. Raises ``ConfigError`` with the first check that fails."""
        text = _document(text)
        return cls._make(engine, "from-config", _config_error, text)

    @classmethod
    def from_transport(cls, engine: PolicyEngine, text: str) -> NetworkPolicy:
        """The policy that a supervisor sent, as JSON text. Any other text makes the policy that denies everything."""
        text = _document(text)
        return cls._make(engine, "from-transport", _config_error, text)

    @classmethod
    def from_lists(cls, engine: PolicyEngine, allowed: Iterable[str], denied: Iterable[str]) -> NetworkPolicy:
        """A policy from two lists. Raises ``ListsError`` for the first entry that is no domain pattern."""
        # The empty text is refused like what it stands for.
        lists = _texts(allowed, "allowed", ""), _texts(denied, "denied", "")
        return cls._make(engine, "from-lists", _lists_error, *lists)

    def decide(self, host: str, port: int) -> Decision:
        """Whether a connection to the host at the port may be made. Every text is answered."""
        host, port = _host(host), _port(port)
        try:
            return _decision(self._ask("decide", host, port))
        except PolicyUnavailable as failure:
            return _unavailable(port, failure)

    def check(self, host: str, port: int) -> Action:
        """The action of ``decide`` alone, for less."""
        host, port = _host(host), _port(port)
        try:
            return _action(self._ask("check", host, port))
        except PolicyUnavailable:
            return "deny"

    def decide_many(self, destinations: Iterable[tuple[str, int]]) -> list[Decision]:
        """``decide`` for each destination, in order; much cheaper than one by one."""
        return self._ask_many("decide-many", destinations, _decision, _unavailable)

    def check_many(self, destinations: Iterable[tuple[str, int]]) -> list[Action]:
        """``check`` for each destination, in order; much cheaper than one by one."""
        return self._ask_many("check-many", destinations, _action, lambda port, failure: "deny")

    @property
    def fingerprint(self) -> str:
        """``sha256:`` and 64 hex digits: equal exactly when two hosts run the same policy."""
        return self._fingerprint

    @property
    def allowed_domains(self) -> tuple[str, ...]:
        """The entries of ``allowedDomains`` as written, in order."""
        return self._allowed

    @property
    def denied_domains(self) -> tuple[str, ...]:
        """The entries of ``deniedDomains`` as written, in order."""
        return self._denied

    def to_json(self) -> str:
        """The canonical JSON, of which the fingerprint is taken; ``from_transport`` reads it back."""
        return cast(str, self._ask("to-json"))

    def __repr__(self) -> str:
        return f"NetworkPolicy({self._fingerprint})"

    @classmethod
    def _make(
        cls, engine: PolicyEngine, function: str, error: Callable[[Any], Exception], *arguments: str | list[str]
    ) -> NetworkPolicy:
        with _guarded():
            loaded = _Loaded(engine._core, function, arguments)
        refused = _error(loaded.answer)
        if refused is not None:
            raise error(refused)
        policy = cls.__new__(cls)
        with _guarded():
            policy._fingerprint = cast(str, loaded.ask("fingerprint"))
            policy._allowed = tuple(loaded.ask("allowed-domains"))
            policy._denied = tuple(loaded.ask("denied-domains"))
        load = partial(_load_again, engine._core, policy._fingerprint, policy._allowed, policy._denied)
        policy._loaded = _Held(load, loaded)
        return policy

    def _ask(self, function: str, *arguments: Any) -> Any:
        return self._loaded.use(lambda loaded: loaded.ask(function, *arguments))

    def _ask_many(
        self,
        function: str,
        destinations: Iterable[tuple[str, int]],
        answer: Callable[[Any], _T],
        unavailable: Callable[[int, PolicyUnavailable], _T],
    ) -> list[_T]:
        checked = [_Destination(_host(host), _port(port)) for host, port in destinations]
        answers: list[_T] = []
        for start in range(0, len(checked), _BATCH):
            batch = checked[start : start + _BATCH]

            def ask(loaded: _Loaded, batch: list[_Destination] = batch) -> list[_T]:
                answered = [answer(one) for one in loaded.ask(function, batch)]
                if len(answered) != len(batch):
                    raise RuntimeError("a batch has another number of answers")
                return answered

            try:
                answers += self._loaded.use(ask)
            except PolicyUnavailable as failure:
                answers += [unavailable(to.port, failure) for to in batch]
        return answers

    _fingerprint: str
    _allowed: tuple[str, ...]
    _denied: tuple[str, ...]
    _loaded: _Held[_Loaded]


# The component.

_PACKAGE: Final = "pi-sandbox:policy"
_VERSION: Final = "0.1.0"
_POLICY: Final = ("fingerprint", "allowed-domains", "denied-domains", "to-json")
_FUNCTIONS: Final = (
    "config#parse-config",
    "hosts#canonicalize-host",
    "hosts#normalize-public-hostname",
    "hosts#is-public-address",
    "hosts#check-addresses",
    "host-ipc#matching-preflight-prefix",
    "host-ipc#is-unix-socket-permission-error",
    *(f"network#[static]network-policy.{name}" for name in ("from-config", "from-transport", "from-lists")),
    *(f"network#[method]network-policy.{name}" for name in ("decide", "check", "decide-many", "check-many", *_POLICY)),
)

_HOST_CUT: Final = 256
"""No host is longer than 255 bytes: what is cut off behind this could not have changed the answer."""

_BATCH: Final = 1024
"""Destinations in one call, so that its memory and time stay small."""

_NEVER_VALID: Final = "\0"
"""Stands in for a lone surrogate where a text with this character is refused like one with a surrogate."""


def _component_bytes(component: bytes | str | os.PathLike[str] | None) -> bytes:
    if isinstance(component, bytes):
        if not component.startswith(b"\0asm"):
            raise ValueError("the bytes are no WebAssembly component")
        return component
    if component is not None:
        return _component_bytes(Path(component).read_bytes())
    name, here = "policy.component.wasm", Path(__file__).resolve().parent
    # Installed, the component lies beside this module; in the source tree, where the Rust crate bundles it from.
    for folder in (here, here.parent / "policy-host" / "component"):
        if (folder / name).is_file():
            return _component_bytes((folder / name).read_bytes())
    raise FileNotFoundError(f"no {name} in {here}: run `cargo xtask build component`, or give the component's path")


def _export(component: wit.Component, name: str) -> wit.ExportIndex:
    interface, function = name.split("#")
    outer = component.get_export_index(f"{_PACKAGE}/{interface}@{_VERSION}")
    index = outer and component.get_export_index(function, outer)
    if not index:
        raise ValueError(f"not a component of the world {_PACKAGE}/policy: it lacks {name}")
    return index


class _Core:
    """What the instances of one engine share. Nothing in it refers to them, so that it goes with the last of them."""

    def __init__(self, component: bytes, deadline: float, load_deadline: float, memory_limit: int) -> None:
        config = wasmtime.Config()
        config.epoch_interruption = True
        self.engine = wasmtime.Engine(config)
        self.component = wit.Component(self.engine, component)
        self.exports = {name: _export(self.component, name) for name in _FUNCTIONS}
        self.memory_limit = memory_limit
        # The clock moves some times within a deadline, and may do so at once: hence one step more than fit.
        self._period = min(max(min(deadline, load_deadline) / 8, 0.001), 0.25)
        self.question = int(min(deadline / self._period, 1e15)) + 2
        self.loading = int(min(load_deadline / self._period, 1e15)) + 2
        self._lock = threading.Lock()
        self._ticking_in: int | None = None

    def start(self) -> _Instance:
        return _Instance(self)

    def tick(self) -> None:
        """Makes sure that the clock moves, in a forked process too."""
        if self._ticking_in != os.getpid():
            with self._lock:
                if self._ticking_in != os.getpid():
                    self._start_clock()
                    self._ticking_in = os.getpid()

    def _start_clock(self) -> None:
        engine, period, stopped = self.engine, self._period, threading.Event()

        def move() -> None:
            while not stopped.wait(period):
                engine.increment_epoch()

        threading.Thread(target=move, name="policy-deadlines", daemon=True).start()
        weakref.finalize(self, stopped.set)


class _Instance:
    """One instance of the component. After a failed call it must not be called again."""

    def __init__(self, core: _Core) -> None:
        self._core = core
        self._store = wasmtime.Store(core.engine)
        self._store.set_limits(memory_size=core.memory_limit)
        self.arm(core.loading)
        # A linker with nothing in it: what the component imports it does not get.
        self._instance = wit.Linker(core.engine).instantiate(self._store, core.component)
        self._functions: dict[str, wit.Func] = {}

    def arm(self, deadline: int) -> None:
        self._core.tick()
        self._store.set_epoch_deadline(deadline)

    def call(self, name: str, *arguments: Any) -> Any:
        function = self._functions.get(name)
        if function is None:
            found = self._instance.get_func(self._store, self._core.exports[name])
            if found is None:
                raise RuntimeError(f"{name} is no function")
            function = self._functions[name] = found
        answer = function(self._store, *arguments)
        function.post_return(self._store)
        return answer


class _Loaded:
    """An instance that holds a policy."""

    def __init__(self, core: _Core, function: str, arguments: tuple[str | list[str], ...]) -> None:
        self._core = core
        self._instance = _Instance(core)
        self.answer = self._instance.call(f"network#[static]network-policy.{function}", *arguments)

    def ask(self, function: str, *arguments: Any) -> Any:
        self._instance.arm(self._core.loading if function in _POLICY else self._core.question)
        return self._instance.call(f"network#[method]network-policy.{function}", self.answer, *arguments)


def _load_again(core: _Core, fingerprint: str, allowed: tuple[str, ...], denied: tuple[str, ...]) -> _Loaded:
    """Loads a policy once more, into another instance."""
    loaded = _Loaded(core, "from-lists", (list(allowed), list(denied)))
    if _error(loaded.answer) is not None or loaded.ask("fingerprint") != fingerprint:
        raise RuntimeError("the policy is another one than before")
    return loaded


class _Held(Generic[_T]):
    """Something that one thread at a time uses, and that is made anew after a failure."""

    def __init__(self, make: Callable[[], _T], value: _T | None = None) -> None:
        self._make = make
        self._value = value
        self._lock = threading.Lock()

    def use(self, call: Callable[[_T], _R]) -> _R:
        with self._lock, _guarded():
            # Taken out, and put back only when all went well: an interrupted call counts as failed, too.
            value, self._value = self._value, None
            if value is None:
                value = self._make()
            answer = call(value)
            self._value = value
            return answer


class _guarded:
    """Turns whatever happens during a call into ``PolicyUnavailable``."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, PolicyUnavailable):
            reason = str(error).strip() or type(error).__name__
            raise PolicyUnavailable(f"the policy component failed: {reason}") from error


# Arguments, checked before they cross.


@dataclass(frozen=True)
class _Destination:
    host: str
    port: int


def _port(port: int) -> int:
    if not isinstance(port, int) or isinstance(port, bool):
        raise TypeError(f"a port must be an int, not {type(port).__name__}")
    # Whatever a subclass says about itself.
    port = int.__index__(port)
    if not 0 <= port <= 65535:
        raise ValueError(f"a port must be from 0 to 65535, not {port}")
    return port


def _host(host: str) -> str:
    if isinstance(host, str):
        host = str.__getitem__(host, slice(_HOST_CUT))
    return _text(host, "host", _NEVER_VALID)


def _document(text: str) -> str:
    return _text(text, "text", _NEVER_VALID)


def _text(text: str, name: str, stand_in: str | None = None) -> str:
    """The text, exactly. With a lone surrogate in it: ``stand_in`` in each such place (all of it for an empty one)."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    try:
        # Also turns a subclass into a plain str.
        return str.encode(text, "utf-8").decode("utf-8")
    except UnicodeEncodeError as error:
        if stand_in is None:
            raise ValueError(f"{name} has a lone surrogate at {error.start}") from None
        return "".join(stand_in if "\ud800" <= c <= "\udfff" else c for c in str.__str__(text)) if stand_in else ""


def _texts(texts: Iterable[str], name: str, stand_in: str | None = None) -> list[str]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{name} must be several str, not one {type(texts).__name__}")
    return [_text(text, f"{name}[{index}]", stand_in) for index, text in enumerate(texts)]


# Answers. The layer below gives variants without a tag where their Python types already differ.


def _tagged(value: Any) -> tuple[str, Any]:
    if not isinstance(value, wit.Variant):
        raise RuntimeError(f"a variant is expected, not {type(value).__name__}")
    return value.tag, value.payload


def _error(answer: Any) -> Any:
    """The error of a result, or None."""
    if isinstance(answer, wit.Variant):
        if answer.tag not in ("ok", "err"):
            raise RuntimeError(f"a result cannot be {answer.tag}")
        return answer.payload if answer.tag == "err" else None
    return answer if isinstance(answer, wit.Record) else None


def _field(record: Any, name: str) -> Any:
    return getattr(record, name)


_ACTIONS: Final[dict[Any, Action]] = {"deny": "deny", "review": "review", "allow": "allow"}
_LISTS: Final[dict[Any, List]] = {"allowed-domains": "allowedDomains", "denied-domains": "deniedDomains"}


def _action(action: Any) -> Action:
    return _ACTIONS[action]


def _rule(rule: Any) -> Rule:
    return Rule(_LISTS[_field(rule, "list")], _field(rule, "index"), _field(rule, "pattern"))


def _decision(decision: Any) -> Decision:
    tag, answer = _tagged(decision)
    port = _field(answer, "port")
    if tag == "allow":
        return Decision("allow", "rule", _field(answer, "host"), port, _rule(_field(answer, "rule")))
    if tag == "review":
        return Decision("review", "unmatched", _field(answer, "host"), port)
    if tag != "deny":
        raise RuntimeError(f"a decision cannot be {tag}")
    reason = _field(answer, "reason")
    if reason is None:
        return Decision("deny", "malformed-host", None, port)
    if isinstance(reason, str):
        return Decision("deny", "not-public", reason, port)
    if not isinstance(reason, wit.Record):
        raise RuntimeError(f"a reason cannot be {type(reason).__name__}")
    return Decision("deny", "rule", _field(reason, "host"), port, _rule(_field(reason, "rule")))


def _unavailable(port: int, failure: PolicyUnavailable) -> Decision:
    return Decision("deny", "unavailable", None, port, failure=str(failure))


def _config_error(error: Any) -> ConfigError:
    position = _field(error, "position")
    if position is not None:
        position = Position(*(_field(position, name) for name in ("offset", "line", "column")))
    return ConfigError(_field(error, "message"), position)


def _lists_error(error: Any) -> ListsError:
    entry = _field(error, "entry")
    if entry is not None:
        entry = Entry(_LISTS[_field(entry, "list")], _field(entry, "index"))
    return ListsError(_field(error, "message"), entry)


def _config(config: Any) -> Config:
    subagents, host_ipc, network = (_field(config, name) for name in ("subagents", "host-ipc", "network"))
    return Config(
        Subagents(_field(subagents, "provider"), _field(subagents, "external-worker-isolation")),
        Filesystem(tuple(_field(_field(config, "filesystem"), "additional-allow-read"))),
        NetworkLists(tuple(_field(network, "allowed-domains")), tuple(_field(network, "denied-domains"))),
        HostIpc(
            _field(host_ipc, "mode"),
            tuple(_field(host_ipc, "preflight-command-prefixes")),
            _field(host_ipc, "retry-on-unix-socket-error"),
        ),
    )
