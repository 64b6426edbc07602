"""Which commands of Redis each part needs, and asking a server whether its user may give them.

Owns: the list, which docs/security.md repeats, and a question that changes nothing. Refuses: to give one of
the commands: they are queued in a transaction that is discarded. A server checks permissions when it queues.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import redis

from dashboard.queue.errors import ServerRefused, refusal_code, translated
from dashboard.queue.keys import REGISTRY, QueueKeys


class Part(StrEnum):
    """Who needs a command."""

    WORKER = "worker"
    JANITOR = "janitor"
    PRODUCER = "producer"
    CONSOLE = "console"


@dataclass(frozen=True, slots=True)
class Needed:
    """One command: a call of it, whose words with @ are keys, and by whom it is needed.

    `without`: what is off for those who may not give it; "": they do not start.
    """

    call: str
    parts: frozenset[Part]
    without: str = ""

    @property
    def command(self) -> str:
        """Its name: "LPUSH", or with its subcommand "CLIENT KILL"."""
        first, *rest = self.call.split()
        return f"{first} {rest[0]}" if first in ("CLIENT", "CONFIG") else first


PARTS = {"W": Part.WORKER, "J": Part.JANITOR, "P": Part.PRODUCER, "C": Part.CONSOLE}
NO_INDEX = "the index of queues is off: name the queues in the settings"
NO_INFO = "the server's version, memory policy and persistence are not looked at"

_TABLE = (
    ("PING", "WJPC"),
    ("MULTI", "WJC"),
    ("DISCARD", "WJC"),
    ("CLIENT SETNAME watchkeeper", "WJPC"),
    ("INFO", "WJC", NO_INFO),
    ("CONFIG GET save", "WJC", "whether anything is persisted is not looked at"),
    ("EVALSHA 0000000000000000000000000000000000000000 1 @pending", "WJPC"),
    ("EVAL 0 1 @pending", "WJPC"),
    ("TIME", "WJPC"),
    ("TYPE @pending", "WJPC"),
    ("CLIENT ID", "W"),
    ("CLIENT KILL ID 1", "W", "a lost claim is waited for instead of ended"),
    ("CLIENT UNBLOCK 1", "W", "a worker that waits for a job stops a moment later"),
    ("BLMOVE @pending @held RIGHT LEFT 1", "W"),
    ("LMOVE @pending @held RIGHT LEFT", "W"),
    ("LPOS @held x", "W"),
    ("LREM @held 1 x", "WC"),
    ("LRANGE @held 0 0", "WC"),
    ("LINDEX @held 0", "WJC"),
    ("LLEN @held", "WJC"),
    ("LPOP @held", "WJC"),
    ("LPUSH @pending x", "WJPC"),
    ("RPUSH @pending x", "WJC"),
    ("LPUSH @dead x", "WJC"),
    ("ZADD @delayed 1 x", "WPC"),
    ("ZRANGE @delayed 0 0", "JC"),
    ("ZREM @delayed x", "JC"),
    ("ZCARD @delayed", "JC"),
    ("ZCOUNT @delayed 0 1", "JC"),
    ("HGET @policy x", "WJC"),
    ("HMGET @policy x", "WJC"),
    ("HSET @heartbeats x 1", "WJC"),
    ("HSETNX @policy x 1", "WP"),
    ("HDEL @workers x", "WJC"),
    ("HINCRBY @stats x 1", "WJPC"),
    ("HSCAN @heartbeats 0", "WJC"),
    ("XADD @events * x 1", "WJPC"),
    ("XREVRANGE @samples + - COUNT 1", "JC"),
    ("DEL @samples", "J"),
    ("GET @dedup", "PC"),
    ("SET @dedup x", "PC"),
    ("HGETALL @watch", "C"),
    ("HLEN @heartbeats", "C"),
    ("EXISTS @pending", "C"),
    ("LSET @dead 0 x", "C"),
    ("LTRIM @dead 0 -1", "C"),
    ("RPOP @dead", "C"),
    ("ZRANGEBYSCORE @delayed 0 1", "C"),
    ("ZRANK @delayed x", "C"),
    ("ZSCORE @delayed x", "C"),
    ("XLEN @trash", "C"),
    ("XRANGE @trash - +", "C"),
    ("XDEL @trash 1-1", "C"),
    ("XTRIM @trash MAXLEN 1", "C"),
    ("DBSIZE", "C", "how large the database is is not known"),
    ("SCAN 0", "JC", "queues and lists that nobody names are not found"),
    ("SADD @registry x", "WP", NO_INDEX),
    ("SSCAN @registry 0", "JC", NO_INDEX),
)

COMMANDS = tuple(
    Needed(call, frozenset(PARTS[letter] for letter in letters), *without)
    for call, letters, *without in _TABLE
)
"""What our own code gives, in the order in which it is asked for."""


@dataclass(frozen=True, slots=True)
class Denied:
    """A command that the user may not give. `is_key`: with these keys, though perhaps with others."""

    needed: Needed
    is_key: bool


_CLOSED_KEY = re.compile(r"permissions? to access .*\bkeys?\b", re.I)


def is_closed_key(error: object) -> bool:
    """Tell whether a server refused because of a key: its user may give the command, but not for that one."""
    return (
        isinstance(error, redis.ResponseError) and _is_denied(error) and bool(_CLOSED_KEY.search(str(error)))
    )


def needed_by(part: Part) -> list[Needed]:
    """Return the commands of one part."""
    return [one for one in COMMANDS if part in one.parts]


def ask(client: redis.Redis, q: QueueKeys, wanted: Sequence[Needed]) -> list[Denied]:
    """Return which of the commands the client's user may not give on the keys of `q`.

    Nothing is carried out: the transaction is discarded, and its connection closed. Raises ServerAway, and
    ServerRefused where something between us and the server does not know transactions.
    """
    pool = client.connection_pool
    with translated():
        connection: Any = pool.get_connection()
        try:
            return _asked(connection, q, wanted)
        finally:
            # Whatever happened: no transaction may be left open on a connection that others get.
            connection.disconnect()
            pool.release(connection)


def _asked(connection: Any, q: QueueKeys, wanted: Sequence[Needed]) -> list[Denied]:
    connection.send_command("MULTI")
    if refusal := _refusal_of(connection):
        if not _is_denied(refusal):
            raise _no_transactions() from refusal
        return [Denied(one, False) for one in wanted if one.command == "MULTI"]
    first, *others = [one for one in wanted if one.command not in ("MULTI", "DISCARD")]
    # It goes alone: it must be queued, not carried out, before anything that writes is sent.
    connection.send_command(*_words(first, q))
    answers = [(first, _refusal_of(connection, queued=True))]
    calls = [_words(one, q) for one in others]
    connection.send_packed_command(connection.pack_commands([*calls, [b"DISCARD"]]))
    answers += [(one, _refusal_of(connection, queued=True)) for one in others]
    discarded = _refusal_of(connection)
    if discarded is not None and not _is_denied(discarded):
        raise _no_transactions() from discarded
    answers += [(one, discarded) for one in wanted if one.command == "DISCARD"]
    return [Denied(one, is_closed_key(refusal)) for one, refusal in answers if _is_denied(refusal)]


def _refusal_of(connection: Any, queued: bool = False) -> redis.ResponseError | None:
    try:
        answer = connection.read_response()
    except redis.ResponseError as error:
        return error
    if answer not in ((b"QUEUED", "QUEUED") if queued else (b"OK", "OK")):
        raise _no_transactions()
    return None


def _no_transactions() -> ServerRefused:
    return ServerRefused(
        "ERR", "What answers here does not keep transactions as Redis does. No job was touched."
    )


def _is_denied(refusal: redis.ResponseError | None) -> bool:
    """Tell a missing permission from whatever else a server says while it queues: OOM, READONLY, MOVED."""
    return refusal is not None and refusal_code(refusal) == "NOPERM"


def _words(needed: Needed, q: QueueKeys) -> list[bytes]:
    keys = {
        "@held": q.processing(b"preflight"),
        "@dedup": q.dedup(b"preflight"),
        "@registry": REGISTRY,
        **{f"@{name}": getattr(q, name) for name in _NAMED},
    }
    return [keys.get(word, word.encode()) for word in needed.call.split()]


_NAMED = (
    "pending", "heartbeats", "delayed", "dead", "policy", "workers", "watch", "events", "stats", "samples",
    "trash",
)  # fmt: skip


def sentence(denied: Iterable[Denied], q_name: str) -> str:
    """Return what a user may not do, in one sentence."""
    names = list(dict.fromkeys(one.needed.command for one in denied))
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return (
        f"Redis does not allow its user {shown} on the keys of queue {q_name} (NOPERM). No job was touched; "
        f"docs/security.md lists what is needed."
    )
