"""Bytes and JSON text made safe to look at, without hiding anything.

Owns: which characters are shown as escapes, and how stored JSON strings become legible. Refuses: to escape
for HTML (templates do), and to drop a character.
"""

from __future__ import annotations

import re

INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
"""Control, direction and zero-width characters and lone surrogates; newline and tab are not among them."""

_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_STRING_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)


def visible(text: str) -> str:
    """Return text with every invisible character as an escape such as `\\x00`. Newlines and tabs stay."""
    return _INVISIBLE.sub(lambda found: _escaped(found[0], "\\x"), text)


def visible_bytes(raw: bytes) -> str:
    """Return bytes as text: UTF-8 where it is, `\\xNN` where it is not, nothing invisible."""
    return visible(raw.decode("utf-8", "backslashreplace"))


def legible(json_text: str, *, newlines: bool = False) -> str:
    """Return JSON text whose `\\uNNNN` escapes of visible characters are those characters.

    The value stays the same. With `newlines`, `\\n` and `\\t` become real ones too: for reading only.
    """
    if "\\" not in json_text:
        return _INVISIBLE.sub(lambda found: _escaped(found[0], "\\u00"), json_text)

    def shown(found: re.Match[str]) -> str:
        high, low, code, letter = found.groups()
        if high:
            char = chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
        elif code:
            char = chr(int(code, 16))
        elif newlines and letter in "nt":
            return "\n" if letter == "n" else "\t"
        else:
            return found[0]
        return found[0] if char in '"\\\n\t' or _INVISIBLE.match(char) else char

    text = _STRING_ESCAPE.sub(shown, json_text)
    return _INVISIBLE.sub(lambda found: _escaped(found[0], "\\u00"), text)


def cut(text: str, most: int) -> str:
    """Return at most `most` characters, the last one an ellipsis when something was left out."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _escaped(char: str, short: str) -> str:
    code = ord(char)
    if char == "\r":
        return "\\r"
    if code < 0x100:
        return f"{short}{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
