"""Names in addresses: any bytes to a plain path segment and back, one spelling each.

Owns: the codec and the URL converter. Refuses: a second spelling of a name. Bytes outside `A-Za-z0-9_-` are
written `~XX`, so that no proxy, browser or framework finds anything in a segment that it could decode.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from werkzeug.routing import BaseConverter, ValidationError

PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_SPELLED: Final = [chr(byte) if byte in PLAIN else f"~{byte:02X}" for byte in range(256)]
_TOKEN: Final = re.compile(r"(?:[A-Za-z0-9_-]|~[0-9A-F]{2})*", re.ASCII)
_ESCAPE: Final = re.compile(rb"~([0-9A-F]{2})")


@lru_cache(maxsize=4_096)
def token(name: bytes) -> str:
    """The segment that stands for a name; the empty name gives the empty text."""
    return "".join([_SPELLED[byte] for byte in name])


def name_of(text: str) -> bytes:
    """The name that a segment stands for; ValueError when it is not exactly how `token` writes it."""
    if not _TOKEN.fullmatch(text):
        raise ValueError("not a token")
    name = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), text.encode())
    if token(name) != text:
        raise ValueError("not the one spelling of this name")
    return name


class NameConverter(BaseConverter):
    """`<name:queue>` in a route; another spelling of a name is no such page."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> bytes:
        """The name's bytes."""
        try:
            return name_of(value)
        except ValueError:
            raise ValidationError from None

    def to_url(self, value: bytes) -> str:
        """The segment."""
        return token(value)
