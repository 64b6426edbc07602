"""What a server did, as MONITOR tells it, and which keys scripts touched without having declared them.

Owns: one connection that listens, and reading its lines. Refuses: to guess where a command's keys are; a
command that it does not know fails the test.
"""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Self

import redis

_HEAD = re.compile(rb"\+[0-9.]+ \[[0-9]+ ([^\]]*)\] ")
_WORD = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b"}

WORDS_IN_SCRIPT, WORDS_OF_CALL = 3, 20
"""Words that are looked at: a command and two keys, or a call and more keys than any script declares."""

KEYLESS = frozenset({b"TIME"})
ONE_KEY = frozenset(
    b"TYPE HGET HSET HSETNX HDEL HINCRBY GET SET LLEN LRANGE LINDEX LPOS LPUSH RPUSH LPOP RPOP LREM LSET "
    b"LTRIM ZADD ZREM ZRANGE ZRANK ZSCORE ZCARD ZCOUNT XADD XDEL XLEN XRANGE XREVRANGE XTRIM HMGET "
    b"DEL".split()
)
TWO_KEYS = frozenset({b"LMOVE"})


@dataclass(frozen=True, slots=True)
class Seen:
    """One command: whether a script gave it, and its first words."""

    in_script: bool
    words: list[bytes]


class Monitor:
    """Listens to everything one server does for a `with` block."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        options = client.connection_pool.connection_kwargs
        self._socket = socket.create_connection((options["host"], options["port"]), timeout=20)
        self._lines = self._socket.makefile("rb")
        self._socket.sendall(b"MONITOR\r\n")
        assert self._lines.readline() == b"+OK\r\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        self._socket.close()

    def seen(self) -> list[Seen]:
        """Everything done since the last call, in order."""
        mark = secrets.token_hex(8).encode()
        self._client.echo(mark)
        found: list[Seen] = []
        while not found or found[-1].words[-1] != mark:
            found.append(parsed(self._lines.readline()))
        return found[:-1]


def parsed(line: bytes) -> Seen:
    """One line of MONITOR."""
    head = _HEAD.match(line)
    assert head, line
    in_script = head[1] == b"lua"
    words = islice(_WORD.finditer(line, head.end()), WORDS_IN_SCRIPT if in_script else WORDS_OF_CALL)
    return Seen(in_script, [unescaped(word[1]) for word in words])


def unescaped(word: bytes) -> bytes:
    """A word's bytes."""

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes.fromhex(code[1:].decode()) if len(code) == 3 else _ESCAPED.get(code, code)

    return _ESCAPE.sub(byte, word) if b"\\" in word else word


def undeclared(seen: Iterable[Seen]) -> list[tuple[bytes, bytes]]:
    """Pairs of command and key that a script used and its call had not declared."""
    declared: list[bytes] = []
    found = []
    for one in seen:
        command = one.words[0].upper()
        if one.in_script:
            found += [(command, key) for key in keys_of(one.words) if key not in declared]
        elif command in (b"EVALSHA", b"EVAL"):
            declared = one.words[3 : 3 + int(one.words[2])]
    return found


def keys_of(words: list[bytes]) -> list[bytes]:
    """The keys that one command names."""
    command = words[0].upper()
    if command in KEYLESS:
        return []
    assert command in ONE_KEY | TWO_KEYS, f"a script uses {command!r}; say where its keys are"
    return words[1:3] if command in TWO_KEYS else words[1:2]
