"""What goes in and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Action = Literal["deny", "review", "allow"]
"""What a decision comes to, from the least access to the most."""

Reason = Literal["rule", "unmatched", "malformed-host", "not-public", "unavailable"]
"""Why: an entry matched; none did; the text is no host; none did and the host is no public name; no answer."""

List = Literal["allowedDomains", "deniedDomains"]
"""One of the two lists of a policy."""

Severity = Literal["info", "warning", "error"]
"""How much a problem matters: worth knowing; probably not what was meant; the text is refused."""

Relation = Literal["equal", "narrower", "wider", "incomparable"]
"""How much access one policy gives, seen from another."""


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
class Place:
    """Where something stands in a text."""

    start: int
    """First byte of the UTF-8 text."""
    end: int
    """Behind the last byte."""
    line: int
    """Line of the start, from 1."""
    column: int
    """Column of the start in characters, from 1: for people."""
    column_utf16: int
    """Column of the start in UTF-16 units, from 1: for editors."""


@dataclass(frozen=True)
class Fix:
    """A replacement in the text that takes one problem away. Apply one, then validate again."""

    start: int
    """First byte to replace."""
    end: int
    """Behind the last one."""
    text: str
    """What to write there."""


@dataclass(frozen=True)
class Diagnostic:
    """One problem of a configuration text."""

    severity: Severity
    code: str
    """What kind of problem it is, such as ``entry-wildcard``. A code never changes its meaning."""
    path: str
    """Where in the document, such as ``network.allowedDomains[2]``; empty for the document itself."""
    start: int
    """First byte in the UTF-8 text."""
    end: int
    """Behind the last byte."""
    line: int
    """Line of the start, from 1."""
    column: int
    """Column of the start in characters, from 1: for people."""
    message: str
    """What is wrong."""
    help: str | None
    """What to do about it."""
    column_utf16: int
    """Column of the start in UTF-16 units, from 1: for editors."""
    fix: Fix | None
    """What an editor can do about it."""


@dataclass(frozen=True)
class Validation:
    """All that can be said about a configuration text: its errors or, when there are none, its lints."""

    diagnostics: tuple[Diagnostic, ...]
    """In the order of the text; an error that ``error`` names comes first."""
    omitted: int
    """How many more there are. Then the last one listed says so."""
    error: ConfigError | None
    """What ``parse_config`` says of the same text; ``None`` when it is a configuration."""


@dataclass(frozen=True)
class Step:
    """One step from the host as asked to its canonical form."""

    step: str
    """``brackets``, ``ipv6``, ``ipv4-mapped``, ``lower-case``, ``dot`` or ``ipv4``."""
    host: str
    """The host after it."""
    message: str
    """What was done."""


@dataclass(frozen=True)
class Match:
    """An entry that matches the destination."""

    rule: Rule
    decides: bool
    """Whether it is the one that decided."""


@dataclass(frozen=True)
class Miss:
    """An entry that nearly matches."""

    kind: str
    """``apex``, ``port``, ``subdomain``, ``parent``, ``address-wildcard`` or ``spelling``."""
    rule: Rule
    message: str
    """Why it does not match."""
    suggestion: str | None
    """An entry that would, for the same list: a configuration accepts it, and it matches."""


@dataclass(frozen=True)
class Explanation:
    """A decision and all that led to it."""

    decision: Decision
    summary: str
    """The answer in a sentence."""
    steps: tuple[Step, ...]
    """How the host as asked became the host that was judged; the steps that change nothing are left out."""
    matches: tuple[Match, ...]
    """Every entry that matches, the denied list first."""
    matches_omitted: int
    """How many more match."""
    misses: tuple[Miss, ...]
    """When no entry decided: entries that nearly match, the allowed list first."""
    misses_omitted: int
    """How many more there are."""


@dataclass(frozen=True)
class Witness:
    """A destination that two policies decide differently."""

    host: str
    port: int
    old: Action
    new: Action


@dataclass(frozen=True)
class Comparison:
    """How two policies differ, with proof."""

    relation: Relation
    """Of the new policy to the old one."""
    narrower: tuple[Witness, ...]
    """Destinations to which the new policy gives less access."""
    wider: tuple[Witness, ...]
    """Destinations to which the new policy gives more access."""


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
