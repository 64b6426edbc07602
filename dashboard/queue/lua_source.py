"""The Lua files, read once: each with the shared parts that it includes, and the digest it is called by.

It refuses to run them; `scripts` does.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LUA_DIR = Path(__file__).parent / "lua"
_INCLUDE = re.compile(r"^--@include (\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LuaSource:
    """One script: its name, its whole text and the SHA-1 that EVALSHA takes."""

    name: str
    text: str
    sha: str


def assemble(path: Path) -> LuaSource:
    """Read one Lua file and put lua/shared/NAME.lua in place of each `--@include NAME` line, there too."""

    def shared(match: re.Match[str]) -> str:
        return _INCLUDE.sub(shared, (LUA_DIR / "shared" / f"{match[1]}.lua").read_text("utf-8"))

    text = _INCLUDE.sub(shared, path.read_text("utf-8"))
    return LuaSource(path.stem, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


@cache
def load(name: str) -> LuaSource:
    """Return the script of lua/NAME.lua."""
    return assemble(LUA_DIR / f"{name}.lua")


def names() -> list[str]:
    """Return the names of all scripts, sorted."""
    return sorted(path.stem for path in LUA_DIR.glob("*.lua"))
