"""A worker in Python: joins a supervisor, decides by its policy, and asks it about the rest.

    python worker.py SOCKET WORKER-ID CWD < input

The first line of the input is the capability, since everybody can read a command line. Each further line is a
destination in JSON, such as ["api.github.com", 443]. The first line of the output is the fingerprint of the policy;
each further one says what becomes of a destination, in order.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

try:
    import pi_sandbox_policy
except ModuleNotFoundError:
    # Not installed: the package of the source tree.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    import pi_sandbox_policy

from pi_sandbox_policy import Refused
from pi_sandbox_policy.unix import NoAnswer, WorkerClient


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer, ensure_ascii=False, separators=(",", ":")), flush=True)


def answer(worker: WorkerClient, host: str, port: int) -> dict[str, Any]:
    decision = worker.decide(host, port)
    said: dict[str, Any] = {"host": host, "port": port, "action": decision.action, "reason": decision.reason}
    if decision.rule is not None:
        said["index"] = decision.rule.index
    if decision.action == "review" and decision.host is not None:
        try:
            # About the canonical host, which is also the one to connect to.
            said["asked"] = worker.ask(decision.host, port)
        except (NoAnswer, Refused) as error:
            print(f"worker: {error}", file=sys.stderr)
            said["asked"] = "deny"
    return said


def main() -> None:
    socket, worker_id, cwd = sys.argv[1:]
    capability = sys.stdin.readline().strip()
    worker = WorkerClient.register(pi_sandbox_policy.PolicyEngine(), socket, capability, worker_id, cwd)
    try:
        say({"fingerprint": worker.fingerprint})
        for line in sys.stdin:
            host, port = json.loads(line)
            say(answer(worker, host, port))
    finally:
        worker.unregister()


if __name__ == "__main__":
    main()
