"""Answers. The layer below gives variants without a tag where their Python types already differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wasmtime import component as wit

from ._types import (
    Action,
    Comparison,
    Config,
    ConfigError,
    Decision,
    Diagnostic,
    Entry,
    Explanation,
    Filesystem,
    Fix,
    HostIpc,
    List,
    ListsError,
    Match,
    Miss,
    NetworkLists,
    Place,
    PolicyUnavailable,
    Position,
    Rule,
    Step,
    Subagents,
    Validation,
    Witness,
)

def tagged(value: Any) -> tuple[str, Any]:
    if not isinstance(value, wit.Variant):
        raise RuntimeError(f"a variant is expected, not {type(value).__name__}")
    return value.tag, value.payload


def error_of(answer: Any) -> Any:
    """The error of a result, or None."""
    if isinstance(answer, wit.Variant):
        if answer.tag not in ("ok", "err"):
            raise RuntimeError(f"a result cannot be {answer.tag}")
        return answer.payload if answer.tag == "err" else None
    return answer if isinstance(answer, wit.Record) else None


def field(record: Any, name: str) -> Any:
    return getattr(record, name)


ACTIONS: Final[dict[Any, Action]] = {"deny": "deny", "review": "review", "allow": "allow"}
LISTS: Final[dict[Any, List]] = {"allowed-domains": "allowedDomains", "denied-domains": "deniedDomains"}


def to_action(action: Any) -> Action:
    return ACTIONS[action]


def to_rule(rule: Any) -> Rule:
    return Rule(LISTS[field(rule, "list")], field(rule, "index"), field(rule, "pattern"))


def to_decision(decision: Any) -> Decision:
    tag, answer = tagged(decision)
    port = field(answer, "port")
    if tag == "allow":
        return Decision("allow", "rule", field(answer, "host"), port, to_rule(field(answer, "rule")))
    if tag == "review":
        return Decision("review", "unmatched", field(answer, "host"), port)
    if tag != "deny":
        raise RuntimeError(f"a decision cannot be {tag}")
    reason = field(answer, "reason")
    if reason is None:
        return Decision("deny", "malformed-host", None, port)
    if isinstance(reason, str):
        return Decision("deny", "not-public", reason, port)
    if not isinstance(reason, wit.Record):
        raise RuntimeError(f"a reason cannot be {type(reason).__name__}")
    return Decision("deny", "rule", field(reason, "host"), port, to_rule(field(reason, "rule")))


def unavailable(port: int, failure: PolicyUnavailable) -> Decision:
    return Decision("deny", "unavailable", None, port, failure=str(failure))


def to_config_error(error: Any) -> ConfigError:
    position = field(error, "position")
    if position is not None:
        position = Position(*(field(position, name) for name in ("offset", "line", "column")))
    return ConfigError(field(error, "message"), position)


def to_lists_error(error: Any) -> ListsError:
    entry = field(error, "entry")
    if entry is not None:
        entry = Entry(LISTS[field(entry, "list")], field(entry, "index"))
    return ListsError(field(error, "message"), entry)


def to_config(config: Any) -> Config:
    subagents, host_ipc, network = (field(config, name) for name in ("subagents", "host-ipc", "network"))
    return Config(
        Subagents(field(subagents, "provider"), field(subagents, "external-worker-isolation")),
        Filesystem(tuple(field(field(config, "filesystem"), "additional-allow-read"))),
        NetworkLists(tuple(field(network, "allowed-domains")), tuple(field(network, "denied-domains"))),
        HostIpc(
            field(host_ipc, "mode"),
            tuple(field(host_ipc, "preflight-command-prefixes")),
            field(host_ipc, "retry-on-unix-socket-error"),
        ),
    )


def _filled(make: Callable[..., Any], record: Any, *names: str) -> Any:
    return make(*(field(record, name) for name in names))


def to_validation(validation: Any) -> Validation:
    error = field(validation, "error")
    return Validation(
        tuple(map(_diagnostic, field(validation, "diagnostics"))),
        field(validation, "omitted"),
        None if error is None else to_config_error(error),
    )


def _diagnostic(diagnostic: Any) -> Diagnostic:
    fix = field(diagnostic, "fix")
    fix = None if fix is None else _filled(Fix, fix, "start", "end", "text")
    plain = ("severity", "code", "path", "start", "end", "line", "column", "message", "help", "column-utf16")
    return Diagnostic(*[*(field(diagnostic, name) for name in plain), fix])


def to_place(place: Any) -> Place | None:
    return None if place is None else _filled(Place, place, "start", "end", "line", "column", "column-utf16")


def to_explanation(explanation: Any) -> Explanation:
    return Explanation(
        to_decision(field(explanation, "decision")),
        field(explanation, "summary"),
        tuple(_filled(Step, step, "step", "host", "message") for step in field(explanation, "steps")),
        tuple(Match(to_rule(field(one, "rule")), field(one, "decides")) for one in field(explanation, "matches")),
        field(explanation, "matches-omitted"),
        tuple(map(_miss, field(explanation, "misses"))),
        field(explanation, "misses-omitted"),
    )


def _miss(miss: Any) -> Miss:
    return Miss(field(miss, "kind"), to_rule(field(miss, "rule")), field(miss, "message"), field(miss, "suggestion"))


def to_comparison(comparison: Any) -> Comparison:
    narrower, wider = (tuple(map(_witness, field(comparison, side))) for side in ("narrower", "wider"))
    return Comparison(field(comparison, "relation"), narrower, wider)


def _witness(witness: Any) -> Witness:
    old, new = to_action(field(witness, "old")), to_action(field(witness, "new"))
    return Witness(field(witness, "host"), field(witness, "port"), old, new)
