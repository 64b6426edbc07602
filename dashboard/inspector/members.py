"""The top-level members of a job's bytes, also of bytes that were cut or are odd.

Owns: reading what a row shows out of a preview. Refuses: to decide what a worker would run (`queue.job`
decides that), to re-encode, and to recurse.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import msgspec

ESCAPE_SIGNS = 6
"""The longest escape of a JSON string, `\\uNNNN`: no more is dropped at the end of one that was cut."""

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING_STOP = re.compile(r'["\\]')
_BRACKET = re.compile(r'["\[\]{}]')
_CUT_ESCAPE = re.compile(r"\\u?[0-9a-fA-F]{0,4}\Z")
_SCALAR_END = re.compile(r'[ \t\n\r,\]}"{\[:]')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity", re.ASCII)

_RAW_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True)
class Members:
    """What was read: the JSON text of each top-level value, the last of repeated names.

    `kind` is "object", "other" (JSON, but no object), "broken" or "cut" (an object as far as it goes).
    The last value of a cut object may be incomplete.
    """

    kind: str
    texts: dict[str, str]


def read_whole(raw: bytes) -> Members:
    """Read a complete entry: fast where it is ordinary JSON, by hand where that reader gives up."""
    try:
        found = _RAW_OBJECT.decode(raw)
        return Members("object", {name: str(bytes(value), "utf-8") for name, value in found.items()})
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _by_hand(raw)


def read_cut(preview: bytes) -> Members:
    """Read the beginning of an entry whose end was left in Redis."""
    text = preview.decode("utf-8", "backslashreplace")
    first = text.lstrip(" \t\n\r\ufeff")[:1]
    if first == "{":
        return Members("cut", walk(text).texts)
    return Members("other" if first and first in '["-0123456789' else "broken", {})


def _by_hand(raw: bytes) -> Members:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Members("broken", {})
    try:
        if not isinstance(json.loads(text), dict):
            return Members("other", {})
    except RecursionError:
        pass
    except ValueError:
        return Members("broken", {})
    return walk(text)


def walk(text: str) -> Members:
    """Walk over an object's members without recursion and collect their texts, as far as they go."""
    texts: dict[str, str] = {}
    at = _space(text, 1 if text.startswith("\ufeff") else 0)
    if at >= len(text) or text[at] != "{":
        return Members("other" if at < len(text) and text[at] == "[" else "broken", texts)
    at = _space(text, at + 1)
    if at < len(text) and text[at] == "}":
        return Members("object", texts)
    while at < len(text) and text[at] == '"':
        name_end = _after_string(text, at)
        colon = _space(text, name_end)
        if name_end > len(text) or colon >= len(text) or text[colon] != ":":
            break
        value = _space(text, colon + 1)
        end = _after_value(text, value)
        if value >= len(text):
            break
        texts[string_of(text[at:name_end]) or ""] = text[value : min(end, len(text))]
        at = _space(text, end)
        if at < len(text) and text[at] == "}":
            return Members("object", texts)
        if at >= len(text) or text[at] != ",":
            break
        at = _space(text, at + 1)
    return Members("broken", texts)


def string_of(text: str) -> str | None:
    """Return the string that a JSON text is, or None. An unfinished one gives its beginning."""
    if not text.startswith('"'):
        return None
    for _ in range(ESCAPE_SIGNS + 1):
        for ending in ("", '"'):
            try:
                value = json.loads(text + ending)
            except ValueError:
                continue
            return value if isinstance(value, str) else None
        if not _CUT_ESCAPE.search(text, 1):
            return None
        text = text[:-1]
    return None


def is_scalar(text: str) -> bool:
    """Tell whether a JSON text is one complete number, true, false or null."""
    return _SCALAR.fullmatch(text) is not None


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _after_string(text: str, at: int) -> int:
    """Return the position after the string that begins at `at`; beyond the text when it does not end."""
    at += 1
    while True:
        found = _STRING_STOP.search(text, at)
        if found is None:
            return len(text) + 1
        if found[0] == '"':
            return found.end()
        at = found.end() + 1


def _after_value(text: str, at: int) -> int:
    if at >= len(text):
        return len(text) + 1
    if text[at] == '"':
        return _after_string(text, at)
    if text[at] not in "{[":
        found = _SCALAR_END.search(text, at)
        return found.start() if found else len(text) + 1
    depth = 0
    while True:
        mark = _BRACKET.search(text, at)
        if mark is None:
            return len(text) + 1
        if mark[0] == '"':
            at = _after_string(text, mark.start())
            continue
        depth += 1 if mark[0] in "{[" else -1
        at = mark.end()
        if depth == 0:
            return at
