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

``Supervisor`` and ``Worker`` are the two sides of the protocol by which workers share one policy, without I/O;
``pi_sandbox_policy.unix`` has a worker over a Unix socket.

A call that traps, takes too long or needs too much memory is *deny* (reason ``unavailable``) where the answer is a
decision, ``False`` where it is "is this public", and raises ``PolicyUnavailable`` elsewhere. The instance is thrown
away and the next call works.

All objects may be used from several threads; calls of one policy wait for each other. One call takes 50 to 100
microseconds; ``decide_many`` and ``check_many`` share that cost.
"""

from ._engine import PolicyEngine
from ._policy import NetworkPolicy
from ._protocol import (
    Answer,
    Ask,
    Close,
    OutgoingRequest,
    Outcome,
    Output,
    Refused,
    Registered,
    Reply,
    Stage,
    Supervisor,
    SupervisorLimits,
    Unregistered,
    Withdrawn,
    Worker,
    WorkerRecord,
    new_capability,
    new_request_id,
)
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
    Reason,
    Relation,
    Rule,
    Severity,
    Step,
    Subagents,
    Validation,
    Witness,
)

__all__ = [
    "Action",
    "Answer",
    "Ask",
    "Close",
    "Comparison",
    "Config",
    "ConfigError",
    "Decision",
    "Diagnostic",
    "Entry",
    "Explanation",
    "Filesystem",
    "Fix",
    "HostIpc",
    "List",
    "ListsError",
    "Match",
    "Miss",
    "NetworkLists",
    "NetworkPolicy",
    "Outcome",
    "OutgoingRequest",
    "Output",
    "Place",
    "PolicyEngine",
    "PolicyUnavailable",
    "Position",
    "Reason",
    "Refused",
    "Registered",
    "Relation",
    "Reply",
    "Rule",
    "Severity",
    "Stage",
    "Step",
    "Subagents",
    "Supervisor",
    "SupervisorLimits",
    "Unregistered",
    "Validation",
    "Withdrawn",
    "Witness",
    "Worker",
    "WorkerRecord",
    "new_capability",
    "new_request_id",
]
