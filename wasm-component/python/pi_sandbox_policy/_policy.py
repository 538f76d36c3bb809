"""A policy, ready to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar, cast

from ._answers import error_of, to_action, to_comparison, to_config_error, to_decision, to_explanation, to_lists_error
from ._answers import unavailable as unavailable_decision
from ._arguments import BATCH, Destination, checked_document, checked_host, checked_port, checked_texts
from ._component import Core, Held, Instance, Loaded, guarded, load_again
from ._engine import PolicyEngine
from ._types import Action, Comparison, Decision, Explanation, PolicyUnavailable

_T = TypeVar("_T")


class NetworkPolicy:
    """A network policy inside the component. It never changes."""

    def __init__(self) -> None:
        raise TypeError("use from_config, from_transport or from_lists")

    @classmethod
    def from_config(cls, engine: PolicyEngine, text: str) -> NetworkPolicy:
        """The policy of a configuration document. Raises ``ConfigError`` with the first check that fails."""
        text = checked_document(text)
        return cls._make(engine, "from-config", to_config_error, text)

    @classmethod
    def from_transport(cls, engine: PolicyEngine, text: str) -> NetworkPolicy:
        """The policy that a supervisor sent, as JSON text. Any other text makes the policy that denies everything."""
        text = checked_document(text)
        return cls._make(engine, "from-transport", to_config_error, text)

    @classmethod
    def from_lists(cls, engine: PolicyEngine, allowed: Iterable[str], denied: Iterable[str]) -> NetworkPolicy:
        """A policy from two lists. Raises ``ListsError`` for the first entry that is no domain pattern."""
        # The empty text is refused like what it stands for.
        lists = checked_texts(allowed, "allowed", ""), checked_texts(denied, "denied", "")
        return cls._make(engine, "from-lists", to_lists_error, *lists)

    def decide(self, host: str, port: int) -> Decision:
        """Whether a connection to the host at the port may be made. Every text is answered."""
        host, port = checked_host(host), checked_port(port)
        try:
            return to_decision(self._ask("decide", host, port))
        except PolicyUnavailable as failure:
            return unavailable_decision(port, failure)

    def check(self, host: str, port: int) -> Action:
        """The action of ``decide`` alone, for less."""
        host, port = checked_host(host), checked_port(port)
        try:
            return to_action(self._ask("check", host, port))
        except PolicyUnavailable:
            return "deny"

    def decide_many(self, destinations: Iterable[tuple[str, int]]) -> list[Decision]:
        """``decide`` for each destination, in order; much cheaper than one by one."""
        return self._ask_many("decide-many", destinations, to_decision, unavailable_decision)

    def check_many(self, destinations: Iterable[tuple[str, int]]) -> list[Action]:
        """``check`` for each destination, in order; much cheaper than one by one."""
        return self._ask_many("check-many", destinations, to_action, lambda port, failure: "deny")

    def explain(self, host: str, port: int) -> Explanation:
        """Explains the decision for one destination, to a person."""
        host, port = checked_host(host), checked_port(port)
        return to_explanation(self._loaded.use(lambda loaded: loaded.explain(host, port)))

    def compare(self, new: NetworkPolicy) -> Comparison:
        """Compares this policy, the old one, with a new one: exactly, with a witness for every difference."""
        return to_comparison(self._beside(new, "compare"))

    def is_no_wider_than(self, other: NetworkPolicy) -> bool:
        """Whether this policy gives no destination more access than another. ``False`` without an answer, too."""
        try:
            return self._beside(other, "is-no-wider-than") is True
        except PolicyUnavailable:
            return False

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
        with guarded():
            loaded = Loaded(engine._core, function, arguments)
        refused = error_of(loaded.answer)
        if refused is not None:
            raise error(refused)
        policy = cls.__new__(cls)
        with guarded():
            policy._fingerprint = cast(str, loaded.ask("fingerprint"))
            policy._allowed = tuple(loaded.ask("allowed-domains"))
            policy._denied = tuple(loaded.ask("denied-domains"))
        policy._core = engine._core
        policy._load_into = partial(load_again, engine._core, policy._fingerprint, policy._allowed, policy._denied)
        policy._loaded = Held(policy._load_into, loaded)
        return policy

    def _beside(self, other: NetworkPolicy, function: str) -> Any:
        """Asks in an instance that holds two policies."""
        if not isinstance(other, NetworkPolicy):
            raise TypeError(f"a policy must be a NetworkPolicy, not {type(other).__name__}")
        with guarded():
            instance = Instance(self._core)
            both = [policy._load_into(instance).answer for policy in (self, other)]
            instance.arm(self._core.loading)
            return instance.call(f"compare#{function}", *both)

    def _ask(self, function: str, *arguments: Any) -> Any:
        return self._loaded.use(lambda loaded: loaded.ask(function, *arguments))

    def _ask_many(
        self,
        function: str,
        destinations: Iterable[tuple[str, int]],
        answer: Callable[[Any], _T],
        unavailable: Callable[[int, PolicyUnavailable], _T],
    ) -> list[_T]:
        checked = [Destination(checked_host(host), checked_port(port)) for host, port in destinations]
        answers: list[_T] = []
        for start in range(0, len(checked), BATCH):
            batch = checked[start : start + BATCH]

            def ask(loaded: Loaded, batch: list[Destination] = batch) -> list[_T]:
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
    _core: Core
    _load_into: Callable[..., Loaded]
    _loaded: Held[Loaded]
