"""The component in Python, through wasmtime-py and the wrapper of wasm-component/python."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "wasm-component/python"))

from pi_sandbox_policy import (  # noqa: E402
    Ask,
    Config,
    ConfigError,
    Decision,
    Diagnostic,
    Explanation,
    NetworkPolicy,
    PolicyEngine,
    Refused,
    Reply,
    Rule,
    Supervisor,
    Witness,
)

MAX_DEPTH = 127

Request = dict[str, Any]


class NotStrict(ValueError):
    """The text is not JSON in the strict sense."""


def refuse_constant(name: str) -> float:
    raise NotStrict(name)


def finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotStrict(text)
    return number


def finite_integer(text: str) -> int | float:
    finite(text)
    return int(text) if len(text) < 400 else finite(text)


def members(pairs: list[tuple[str, Any]]) -> Request:
    for key, value in pairs:
        check(key)
        check(value)
    return dict(pairs)


def check(value: Any) -> None:
    """Refuses a string with a lone surrogate; arrays are looked through, objects were when they were made."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, list):
        for item in value:
            check(item)


def depth(text: str) -> int:
    """The most arrays and objects open at once in a text that is JSON."""
    deepest = now = 0
    in_string = escaped = False
    for c in text:
        if in_string:
            in_string = escaped or c != '"'
            escaped = c == "\\" and not escaped
        elif c == '"':
            in_string = True
        elif c in "[{":
            now += 1
            deepest = max(deepest, now)
        elif c in "]}":
            now -= 1
    return deepest


def parse_strict(line: bytes) -> Any:
    text = line.decode()
    if text.startswith("\ufeff") or depth(text) > MAX_DEPTH:
        raise NotStrict(text[:1])
    value = json.loads(
        text,
        parse_constant=refuse_constant,
        parse_float=finite,
        parse_int=finite_integer,
        object_pairs_hook=members,
    )
    check(value)
    return value


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_port(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value) and 0 <= value <= 65535


def is_steps(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(step, dict) and isinstance(step.get("frame"), str) for step in value)


MEMBERS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "parse-config": {"text": is_text},
    "decode-transport": {"text": is_text},
    "decide": {"host": is_text, "port": is_port},
    "canonicalize-host": {"host": is_text},
    "normalize-public-hostname": {"host": is_text},
    "is-public-address": {"address": is_text},
    "check-addresses": {"addresses": is_texts},
    "matching-preflight-prefix": {"command": is_text, "prefixes": is_texts},
    "is-unix-socket-permission-error": {"stderr": is_text},
    "fingerprint": {},
    "validate-config": {"text": is_text},
    "explain": {"host": is_text, "port": is_port},
    "compare": {},
    "supervise": {"capability": is_text, "steps": is_steps},
}


def read_request(line: bytes) -> Request | None:
    try:
        request = parse_strict(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict) or not isinstance(request.get("op"), str):
        return None
    needed = MEMBERS.get(request["op"])
    if needed is None or not all(name in request and ok(request[name]) for name, ok in needed.items()):
        return None
    if not isinstance(request.get("recheck", True), bool) and request["op"] == "supervise":
        return None
    return request


class Host:
    def __init__(self) -> None:
        self.engine = PolicyEngine()

    def answer(self, request: Request) -> Any:
        engine = self.engine
        match request["op"]:
            case "parse-config":
                try:
                    return {"ok": config_answer(engine.parse_config(request["text"]))}
                except ConfigError as error:
                    return {"error": str(error)}
            case "decode-transport":
                return lists_answer(NetworkPolicy.from_transport(engine, request["text"]))
            case "decide":
                return decision_answer(self.policy(request).decide(request["host"], int(request["port"])))
            case "canonicalize-host":
                host = engine.canonicalize_host(request["host"])
                return {"malformed": True} if host is None else {"host": host}
            case "normalize-public-hostname":
                return {"host": engine.normalize_public_hostname(request["host"])}
            case "is-public-address":
                return {"public": engine.is_public_address(request["address"])}
            case "check-addresses":
                return {"public": engine.check_addresses(request["addresses"])}
            case "matching-preflight-prefix":
                return {"prefix": engine.matching_preflight_prefix(request["command"], request["prefixes"])}
            case "is-unix-socket-permission-error":
                return {"match": engine.is_unix_socket_permission_error(request["stderr"])}
            case "fingerprint":
                return {"fingerprint": self.policy(request).fingerprint}
            case "validate-config":
                diagnostics = engine.validate_config(request["text"]).diagnostics
                return {"diagnostics": [diagnostic_answer(one) for one in diagnostics]}
            case "explain":
                return explanation_answer(self.policy(request).explain(request["host"], int(request["port"])))
            case "compare":
                comparison = self.policy(request, "old").compare(self.policy(request, "new"))
                narrower, wider = ([witness_answer(one) for one in side] for side in (comparison.narrower, comparison.wider))
                return {"relation": comparison.relation, "narrower": narrower, "wider": wider}
            case _:
                try:
                    return self.supervise(request)
                except Refused as error:
                    return {"error": str(error)}

    def supervise(self, request: Request) -> Any:
        """A conversation: each frame on a connection of its own."""
        capability = request["capability"]
        supervisor = Supervisor(self.engine, self.policy(request), capability, recheck=request.get("recheck", True))
        replies, asks = [], []
        for number, step in enumerate(request["steps"]):
            connection = supervisor.open()
            supervisor.receive_line(connection, step["frame"].replace("$CAP", capability), 0)
            while outputs := supervisor.poll():
                for output in outputs:
                    if isinstance(output, Reply):
                        replies.append(output.line)
                    if isinstance(output, Ask):
                        supervisor.answer(output.ask, step.get("answer"), 0)
                        asks.append(ask_answer(number, output))
            supervisor.close(connection)
        workers = [
            {"id": worker.id, "cwd": worker.cwd, "state": worker.state, "requests": worker.requests}
            for worker in supervisor.workers()
        ]
        return {"replies": replies, "asks": asks, "workers": workers}

    def policy(self, request: Request, member: str = "network") -> NetworkPolicy:
        return NetworkPolicy.from_transport(self.engine, json.dumps(request.get(member), ensure_ascii=False))


def lists_answer(policy: NetworkPolicy) -> Any:
    return {"allowedDomains": policy.allowed_domains, "deniedDomains": policy.denied_domains}


def decision_answer(decision: Decision) -> Any:
    by = {} if decision.rule is None else rule_answer(decision.rule)
    return {"action": decision.action, "reason": decision.reason, **by, "host": decision.host, "port": decision.port}


def rule_answer(rule: Rule) -> Any:
    return {"list": rule.list, "index": rule.index, "pattern": rule.pattern}


def diagnostic_answer(diagnostic: Diagnostic) -> Any:
    members = ("severity", "code", "path", "start", "end", "line", "column", "message", "help")
    return {name: getattr(diagnostic, name) for name in members}


def explanation_answer(explanation: Explanation) -> Any:
    return {
        "decision": decision_answer(explanation.decision),
        "summary": explanation.summary,
        "steps": [{"step": step.step, "host": step.host, "message": step.message} for step in explanation.steps],
        "matches": [{**rule_answer(one.rule), "decides": one.decides} for one in explanation.matches],
        "matchesOmitted": explanation.matches_omitted,
        "misses": [
            {"kind": miss.kind, **rule_answer(miss.rule), "message": miss.message, "suggestion": miss.suggestion}
            for miss in explanation.misses
        ],
        "missesOmitted": explanation.misses_omitted,
    }


def witness_answer(witness: Witness) -> Any:
    return {"host": witness.host, "port": witness.port, "old": witness.old, "new": witness.new}


def ask_answer(step: int, ask: Ask) -> Any:
    return {"step": step, "hostname": ask.hostname, "port": ask.port, "cwd": ask.cwd, "workerId": ask.worker_id}


def config_answer(config: Config) -> Any:
    return {
        "subagents": {
            "provider": config.subagents.provider,
            "externalWorkerIsolation": config.subagents.external_worker_isolation,
        },
        "filesystem": {"additionalAllowRead": config.filesystem.additional_allow_read},
        "network": {
            "allowedDomains": config.network.allowed_domains,
            "deniedDomains": config.network.denied_domains,
        },
        "hostIPC": {
            "mode": config.host_ipc.mode,
            "preflightCommandPrefixes": config.host_ipc.preflight_command_prefixes,
            "retryOnUnixSocketError": config.host_ipc.retry_on_unix_socket_error,
        },
    }


def main() -> None:
    host = Host()
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        request = read_request(line)
        answer = {"error": "bad request"} if request is None else host.answer(request)
        out.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
