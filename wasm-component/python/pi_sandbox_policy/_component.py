"""The component, its instances, and what a failed call means."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import wasmtime
from wasmtime import component as wit

from ._answers import error_of
from ._types import PolicyUnavailable

_T = TypeVar("_T")
_R = TypeVar("_R")

_PACKAGE: Final = "pi-sandbox:policy"
_VERSION: Final = "0.1.0"
_POLICY: Final = ("fingerprint", "allowed-domains", "denied-domains", "to-json")
_MACHINE: Final = ("receive", "expire", "next-deadline", "poll")
_SUPERVISOR: Final = (*_MACHINE, "open", "receive-line", "close", "answer", "shutdown", "workers")
_WORKER: Final = (*_MACHINE, "register", "network", "unregister", "end", "stage", "policy")
_FUNCTIONS: Final = (
    "config#parse-config",
    "config#config-schema",
    "diagnostics#validate-config",
    "diagnostics#locate-entry",
    "explain#explain",
    "compare#compare",
    "compare#is-no-wider-than",
    "supervisor#default-options",
    "hosts#canonicalize-host",
    "hosts#normalize-public-hostname",
    "hosts#is-public-address",
    "hosts#check-addresses",
    "host-ipc#matching-preflight-prefix",
    "host-ipc#is-unix-socket-permission-error",
    *(f"network#[static]network-policy.{name}" for name in ("from-config", "from-transport", "from-lists")),
    *(f"network#[method]network-policy.{name}" for name in ("decide", "check", "decide-many", "check-many", *_POLICY)),
    *(f"supervisor#[static]{name}.create" for name in ("supervisor", "worker")),
    *(f"supervisor#[method]supervisor.{name}" for name in _SUPERVISOR),
    *(f"supervisor#[method]worker.{name}" for name in _WORKER),
)


def component_bytes(component: bytes | str | os.PathLike[str] | None) -> bytes:
    if isinstance(component, bytes):
        if not component.startswith(b"\0asm"):
            raise ValueError("the bytes are no WebAssembly component")
        return component
    if component is not None:
        return component_bytes(Path(component).read_bytes())
    name, here = "policy.component.wasm", Path(__file__).resolve().parent
    # Installed, the component lies beside this module; in the source tree, where the Rust crate bundles it from.
    for folder in (here, here.parent.parent / "policy-host" / "component"):
        if (folder / name).is_file():
            return component_bytes((folder / name).read_bytes())
    raise FileNotFoundError(f"no {name} in {here}: run `cargo xtask build component`, or give the component's path")


def _export(component: wit.Component, name: str) -> wit.ExportIndex:
    interface, function = name.split("#")
    outer = component.get_export_index(f"{_PACKAGE}/{interface}@{_VERSION}")
    index = outer and component.get_export_index(function, outer)
    if not index:
        raise ValueError(f"not a component of the world {_PACKAGE}/policy: it lacks {name}")
    return index


class Core:
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

    def start(self) -> Instance:
        return Instance(self)

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


class Instance:
    """One instance of the component. After a failed call it must not be called again."""

    def __init__(self, core: Core) -> None:
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


class Loaded:
    """A policy in an instance: one of its own, or one that holds others, too."""

    def __init__(
        self, core: Core, function: str, arguments: tuple[str | list[str], ...], instance: Instance | None = None
    ) -> None:
        self._core = core
        self.instance = instance or Instance(core)
        self.answer = self.instance.call(f"network#[static]network-policy.{function}", *arguments)

    def ask(self, function: str, *arguments: Any) -> Any:
        self.instance.arm(self._core.loading if function in _POLICY else self._core.question)
        return self.instance.call(f"network#[method]network-policy.{function}", self.answer, *arguments)

    def explain(self, host: str, port: int) -> Any:
        self.instance.arm(self._core.loading)
        return self.instance.call("explain#explain", self.answer, host, port)


def load_again(
    core: Core, fingerprint: str, allowed: tuple[str, ...], denied: tuple[str, ...], instance: Instance | None = None
) -> Loaded:
    """Loads a policy once more, into another instance."""
    loaded = Loaded(core, "from-lists", (list(allowed), list(denied)), instance)
    if error_of(loaded.answer) is not None or loaded.ask("fingerprint") != fingerprint:
        raise RuntimeError("the policy is another one than before")
    return loaded


class Held(Generic[_T]):
    """Something that one thread at a time uses, and that is made anew after a failure."""

    def __init__(self, make: Callable[[], _T], value: _T | None = None) -> None:
        self._make = make
        self._value = value
        self._lock = threading.Lock()

    def use(self, call: Callable[[_T], _R]) -> _R:
        with self._lock, guarded():
            # Taken out, and put back only when all went well: an interrupted call counts as failed, too.
            value, self._value = self._value, None
            if value is None:
                value = self._make()
            answer = call(value)
            self._value = value
            return answer


class guarded:
    """Turns whatever happens during a call into ``PolicyUnavailable``."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, PolicyUnavailable):
            reason = str(error).strip() or type(error).__name__
            raise PolicyUnavailable(f"the policy component failed: {reason}") from error
