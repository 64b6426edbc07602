"""JSON laid out for reading, token by token, so that nothing is lost.

Big integers, long floats, repeated names and their order stay as they were stored. Owns: the layout and its
bounds. Refuses: to parse values, to recurse, and to be a validator: what does not fit the token shapes is
returned as None, and its caller shows the bytes instead.
"""

from __future__ import annotations

import re

from dashboard.inspector.visible import legible

INDENT = "  "

DEPTH_MAX = 40
"""Deeper levels stay on one line: a 5,000-deep array would otherwise be mostly indentation."""

TEXT_MAX = 1_048_576
"""Characters after which no more lines are broken: the page holds about 1 MB and the rest of the tokens."""

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\],:])|([^\s"{}\[\],:]+))', re.DOTALL)


def pretty(text: str) -> str | None:
    """Return JSON text in lines, or None when it is no sequence of JSON tokens."""
    out: list[str] = []
    length = depth = at = 0
    opened = ""
    stripped = text.rstrip()
    while at < len(stripped):
        found = _TOKEN.match(stripped, at)
        if found is None:
            return None
        at = found.end()
        string, mark, scalar = found.groups()
        breaks = depth <= DEPTH_MAX and length < TEXT_MAX
        if mark and mark in "}]":
            depth -= 1
            if depth < 0:
                return None
            piece = mark if opened or not (depth < DEPTH_MAX and breaks) else "\n" + INDENT * depth + mark
            opened = ""
        else:
            lead = "\n" + INDENT * depth if opened and breaks else ""
            opened = ""
            if mark == ",":
                piece = ",\n" + INDENT * depth if breaks else ", "
            elif mark == ":":
                piece = ": "
            else:
                piece = lead + (legible(string) if string else mark or scalar)
            if mark and mark in "{[":
                depth += 1
                opened = mark
        out.append(piece)
        length += len(piece)
    return "".join(out) if depth == 0 else None
