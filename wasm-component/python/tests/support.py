"""What the tests share. Run them with `python -m unittest discover -s tests` where wasmtime is installed."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import pi_sandbox_policy as policy
except ModuleNotFoundError:
    # Not installed: the package of the source tree.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    import pi_sandbox_policy as policy

__all__ = ["ENGINE", "LONE", "policy"]

ENGINE = policy.PolicyEngine()
LONE = "\ud800"
