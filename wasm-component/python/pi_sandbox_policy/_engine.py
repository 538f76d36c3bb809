"""The engine, and the questions that need no policy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from ._answers import error_of, to_config, to_config_error, to_place, to_validation
from ._arguments import NEVER_VALID, checked_count, checked_document, checked_host, checked_text, checked_texts
from ._component import Core, Held, Instance, component_bytes
from ._types import Config, List, Place, PolicyUnavailable, Validation

_T = TypeVar("_T")

_LISTS = {"allowedDomains": "allowed-domains", "deniedDomains": "denied-domains"}


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
        self._core = Core(component_bytes(component), deadline, load_deadline, memory_limit)
        # For questions without a policy. Also shows at once whether the component fits.
        self._instance = Held(self._core.start)
        self._instance.use(lambda instance: None)

    def parse_config(self, text: str) -> Config:
        """Reads a configuration from the text of its file. Raises ``ConfigError`` with the first check that fails."""
        text = checked_document(text)
        answer = self._ask(self._core.loading, lambda instance: instance.call("config#parse-config", text))
        error = error_of(answer)
        if error is not None:
            raise to_config_error(error)
        return to_config(answer.payload)

    def config_schema(self) -> str:
        """The JSON Schema (draft 2020-12) of the configuration document, as text: for editors."""
        return cast(str, self._ask(self._core.question, lambda instance: instance.call("config#config-schema")))

    def validate_config(self, text: str) -> Validation:
        """Finds every problem of a configuration text: its errors or, when there are none, its lints."""
        text = checked_document(text)
        return to_validation(self._ask(self._core.loading, lambda i: i.call("diagnostics#validate-config", text)))

    def locate_entry(self, text: str, list: List, index: int) -> Place | None:
        """Where the entry stands in a text that is number ``index`` of a list in its policy."""
        text, index = checked_document(text), checked_count(index, "index", 2**32 - 1)
        name = _LISTS[list]
        return to_place(self._ask(self._core.loading, lambda i: i.call("diagnostics#locate-entry", text, name, index)))

    def canonicalize_host(self, host: str) -> str | None:
        """The one spelling that the operating system would connect to; ``None`` when the text is no host."""
        host = checked_host(host)
        return cast("str | None", self._ask(self._core.question, lambda i: i.call("hosts#canonicalize-host", host)))

    def normalize_public_hostname(self, host: str) -> str | None:
        """The public hostname in a text: trimmed, lower-case, without one trailing dot; ``None`` when it is none."""
        host = checked_text(host, "host", NEVER_VALID)
        return cast("str | None", self._ask(self._core.question, lambda i: i.call("hosts#normalize-public-hostname", host)))

    def is_public_address(self, address: str) -> bool:
        """Whether a resolved address may be reached: a bare IP literal of a public network."""
        address = checked_text(address, "address", NEVER_VALID)
        return self._public("hosts#is-public-address", address)

    def check_addresses(self, addresses: Iterable[str]) -> bool:
        """Whether a name that resolved to these may be reached: there is at least one, and every one is public."""
        return self._public("hosts#check-addresses", checked_texts(addresses, "addresses", NEVER_VALID))

    def matching_preflight_prefix(self, command: str, prefixes: Iterable[str]) -> str | None:
        """The first prefix that the trimmed command starts with, followed by the end or by white space."""
        command, listed = checked_text(command, "command"), checked_texts(prefixes, "prefixes")
        prefix = self._ask(self._core.question, lambda i: i.call("host-ipc#matching-preflight-prefix", command, listed))
        return cast("str | None", prefix)

    def is_unix_socket_permission_error(self, stderr: str) -> bool:
        """Whether a command's standard error speaks of a Unix socket that the sandbox refused."""
        stderr = checked_text(stderr, "stderr")
        return bool(self._ask(self._core.question, lambda i: i.call("host-ipc#is-unix-socket-permission-error", stderr)))

    def _public(self, function: str, argument: str | list[str]) -> bool:
        try:
            return self._ask(self._core.question, lambda instance: instance.call(function, argument)) is True
        except PolicyUnavailable:
            return False

    def _ask(self, deadline: int, question: Callable[[Instance], _T]) -> _T:
        def run(instance: Instance) -> _T:
            instance.arm(deadline)
            return question(instance)

        return self._instance.use(run)
