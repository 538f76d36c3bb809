"""Arguments, checked before they cross."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

HOST_CUT: Final = 256
"""No host is longer than 255 bytes: what is cut off behind this could not have changed the answer."""

BATCH: Final = 1024
"""Destinations in one call, so that its memory and time stay small."""

NEVER_VALID: Final = "\0"
"""Stands in for a lone surrogate where a text with this character is refused like one with a surrogate."""


@dataclass(frozen=True)
class Destination:
    host: str
    port: int


def checked_port(port: int) -> int:
    if not isinstance(port, int) or isinstance(port, bool):
        raise TypeError(f"a port must be an int, not {type(port).__name__}")
    # Whatever a subclass says about itself.
    port = int.__index__(port)
    if not 0 <= port <= 65535:
        raise ValueError(f"a port must be from 0 to 65535, not {port}")
    return port


def checked_count(number: int, name: str, limit: int = 2**64 - 1) -> int:
    """A number of something: milliseconds, or what numbers a connection."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"{name} must be an int, not {type(number).__name__}")
    number = int.__index__(number)
    if not 0 <= number <= limit:
        raise ValueError(f"{name} must be from 0 to {limit}, not {number}")
    return number


def checked_bytes(data: bytes) -> bytes:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"what was received must be bytes, not {type(data).__name__}")
    return bytes(data)


def checked_host(host: str) -> str:
    if isinstance(host, str):
        host = str.__getitem__(host, slice(HOST_CUT))
    return checked_text(host, "host", NEVER_VALID)


def checked_document(text: str) -> str:
    return checked_text(text, "text", NEVER_VALID)


def checked_text(text: str, name: str, stand_in: str | None = None) -> str:
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


def checked_texts(texts: Iterable[str], name: str, stand_in: str | None = None) -> list[str]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{name} must be several str, not one {type(texts).__name__}")
    return [checked_text(text, f"{name}[{index}]", stand_in) for index, text in enumerate(texts)]
