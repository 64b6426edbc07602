"""Polling tags: equal when two page objects say the same, whatever their act ids and ages.

Owns: the hash of a page object. Refuses: to look at HTML.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from dashboard import __version__
from dashboard.web.view_models.overview import QueueLine
from dashboard.web.view_models.parts import UNTAGGED

_TAGGED_NAMES: dict[type[Any], tuple[str, ...]] = {}
LINES_KEPT = 2_048
"""About 2 MB: most queues of an overview stand as they stood two seconds before."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that stand for themselves. A look into a set: a page of 50 queues has over a thousand values."""


def tagged_names(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a page's dataclass that count."""
    if kind not in _TAGGED_NAMES:
        _TAGGED_NAMES[kind] = tuple(field.name for field in fields(kind) if field.metadata != UNTAGGED)
    return _TAGGED_NAMES[kind]


def canonical(value: Any) -> object:
    """Tuples of plain values in place of dataclasses."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, tuple):
        return tuple([part if type(part) in _PLAIN else canonical(part) for part in value])
    if kind is QueueLine:
        return _line(value)
    if hasattr(kind, "__dataclass_fields__"):
        return _parts(value)
    return repr(value)


def _parts(value: Any) -> tuple[object, ...]:
    kind = type(value)
    parts = [getattr(value, name) for name in tagged_names(kind)]
    return (kind.__name__, *[part if type(part) in _PLAIN else canonical(part) for part in parts])


@lru_cache(maxsize=LINES_KEPT)
def _line(line: QueueLine) -> str:
    """The one part of which a page has many, and which has no one-time id."""
    return repr(_parts(line))


def tag_of(page: object) -> str:
    """32 hex digits that change when something on the page does, or the version of the console."""
    return blake2b(repr((__version__, canonical(page))).encode(), digest_size=16).hexdigest()
