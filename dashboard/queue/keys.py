"""Every Redis key of a queue: one property each, with its type and meaning. Nobody else writes a key string.

It refuses names that would make two keys equal, and it never talks to Redis.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
from dataclasses import dataclass, field
from functools import lru_cache

from dashboard.queue.errors import BadName, ReservedName

REGISTRY = b"watchkeeper:queues"
"""Set of queue names, an index only: losing it hides nothing that a scan does not find again."""

RESERVED_SEGMENTS = frozenset(
    b"pending processing heartbeats delayed dead policy workers watch events stats samples trash acts op "
    b"dedup once stream".split()
)
"""Suffixes of a queue's keys. A `:`-segment of a name must not be one of them."""

NAME_BYTES_MAX = 200
"""Longest queue or worker name in bytes: it is a part of every key."""

FOUND_KEPT = 2048
"""Queues whose keys stay put together: a console asks for those of every queue on every page."""

LISTED_PARTS = frozenset({b"pending", b"dead", b"delayed", b"heartbeats"})
"""Suffixes by which a scan recognises a queue, beside `processing:{worker}`."""


def as_bytes(name: bytes | str) -> bytes:
    """Return a name's bytes. Text is UTF-8, with what the operating system could not decode kept."""
    return name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")


def readable(name: bytes) -> str:
    """Return a name as text for a sentence or a log line; what is no UTF-8 is escaped."""
    return name.decode("utf-8", "backslashreplace")


def has_reserved_segment(name: bytes) -> bool:
    """Tell whether one of the name's `:`-segments is a key suffix of ours."""
    return not RESERVED_SEGMENTS.isdisjoint(name.split(b":"))


def has_hash_tag(name: bytes) -> bool:
    """Tell whether all keys of a queue of this name live in one slot of a cluster: `{mail}`, `{shop}.mail`.

    The tag is what stands between the first `{` and the first `}` after it, and is not empty.
    """
    _, _, behind = name.partition(b"{")
    tag, closed, _ = behind.partition(b"}")
    return bool(tag and closed)


def check_name(name: bytes, what: str) -> bytes:
    """Return `name` or raise BadName or ReservedName; `what` is "queue" or "worker"."""
    shown = readable(name)
    if not 1 <= len(name) <= NAME_BYTES_MAX:
        raise BadName(f"A {what} name has 1 to {NAME_BYTES_MAX} bytes; this one has {len(name)}.")
    if has_reserved_segment(name):
        raise ReservedName(
            f"The {what} name {shown!r} has a segment that is a key suffix of queues. Choose another name."
        )
    return name


def check_worker_name(name: bytes | str) -> bytes:
    """Return a worker's name as bytes, or raise BadName or ReservedName."""
    return check_name(as_bytes(name), "worker")


def default_worker_name(pid: int | None = None) -> bytes:
    """Return a fresh `host:pid:random` name. Host names that hold a reserved segment are escaped."""
    host = re.sub(rb"[:\s]", b"-", as_bytes(socket.gethostname()))[:120] or b"host"
    if host in RESERVED_SEGMENTS:
        host = b"host-" + host
    return b"%s:%d:%s" % (host, os.getpid() if pid is None else pid, secrets.token_hex(2).encode())


@dataclass(frozen=True)
class QueueKeys:
    """The keys of one queue, built from its name.

    Raises BadName for a name of 0 or over 200 bytes and ReservedName for a reserved segment. A console that
    shows what it found in Redis uses `found`, which takes any bytes.
    """

    queue: bytes
    pending: bytes = field(init=False, repr=False)
    """List: jobs that wait. LPUSH to enqueue, consumers take from the right."""
    heartbeats: bytes = field(init=False, repr=False)
    """Hash: worker name to the unix seconds of its last beat."""
    delayed: bytes = field(init=False, repr=False)
    """Sorted set: job bytes by the unix seconds at which they are due."""
    dead: bytes = field(init=False, repr=False)
    """List: jobs that will not run again by themselves, newest at the left."""
    policy: bytes = field(init=False, repr=False)
    """Hash: the thresholds in force; absent fields mean the settings. See `policy`."""
    workers: bytes = field(init=False, repr=False)
    """Hash: what workers tell of themselves, a field per kind and worker. See `worker_field`."""
    watch: bytes = field(init=False, repr=False)
    """Hash: worker to "first_seen last_seen value": since when its heartbeat value is unchanged."""
    events: bytes = field(init=False, repr=False)
    """Stream, capped: the flight recorder."""
    stats: bytes = field(init=False, repr=False)
    """Hash: counters, and the instants of a janitor's last passes."""
    samples: bytes = field(init=False, repr=False)
    """Stream: depths, workers and counters every ten seconds, for two hours."""
    trash: bytes = field(init=False, repr=False)
    """Stream: discarded jobs, restorable until they are purged or fall off its end."""

    def __init__(self, queue: bytes | str) -> None:
        self._fill(check_name(as_bytes(queue), "queue"))

    @classmethod
    @lru_cache(maxsize=FOUND_KEPT)
    def found(cls, queue: bytes) -> QueueKeys:
        """Return the keys of a name met in Redis, whatever its bytes. Look at `ambiguous` before an act."""
        keys = cls.__new__(cls)
        keys._fill(queue)
        return keys

    def _fill(self, queue: bytes) -> None:
        object.__setattr__(self, "queue", queue)
        for part in (
            "pending", "heartbeats", "delayed", "dead", "policy", "workers", "watch", "events", "stats",
            "samples", "trash",
        ):  # fmt: skip
            object.__setattr__(self, part, b"%s:%s" % (queue, part.encode()))

    @property
    def ambiguous(self) -> bool:
        """True when a segment of the name is reserved, so that its keys may belong to another queue."""
        return has_reserved_segment(self.queue)

    @property
    def samples_by_minute(self) -> bytes:
        """Stream: one of the samples of each minute, for a day."""
        return b"%s:60" % self.samples

    @property
    def samples_by_quarter(self) -> bytes:
        """Stream: one of the samples of each quarter of an hour, for thirty days."""
        return b"%s:900" % self.samples

    def processing(self, worker: bytes) -> bytes:
        """List: what one worker holds, newest at the left."""
        return b"%s:processing:%s" % (self.queue, worker)

    def act(self, act_id: str) -> bytes:
        """String: the answer of an operator's act by its one-time id, for a day."""
        return b"%s:acts:%s" % (self.queue, act_id.encode())

    def op(self, operation_id: str) -> bytes:
        """Hash: the record of a bulk operation."""
        return b"%s:op:%s" % (self.queue, operation_id.encode())

    def dedup(self, key: bytes) -> bytes:
        """String that expires: who enqueued under this key, "token id". See `dedup`."""
        return b"%s:dedup:%s" % (self.queue, one_segment(key))

    def once(self, job_id: bytes) -> bytes:
        """String that expires: by whom and when the job of this id was done. See `once`."""
        return b"%s:once:%s" % (self.queue, one_segment(job_id))


INSTANCE = b"i:"
"""`{q}:workers` field prefix: JSON of token, host, pid, started_at, version, process, client_id."""
TOKEN = b"k:"
"""`{q}:workers` field prefix: the instance token that a supervisor proves itself with."""
BUSY = b"b:"
"""`{q}:workers` field prefix: JSON of since and jobs, and quiet where it is so, written with each beat."""
SETTLED = b"s:"
"""`{q}:workers` field prefix: "call at", the number and server time of the last settle."""
TOMBSTONE = b"t:"
"""`{q}:workers` field prefix: JSON of how a worker ended: state, at, beat, held, by, why, detail."""

HELD_BACK_UNTIL = "held_back_until"
"""`{q}:stats` field: until when (seconds) a janitor reaps nobody who fell silent with most others."""
HELD_BACK_COUNT = "held_back_count"
"""`{q}:stats` field: how many workers fell silent together then."""


def worker_field(kind: bytes, worker: bytes) -> bytes:
    """Return the `{q}:workers` field of one kind (INSTANCE, TOKEN, …) for one worker."""
    return kind + worker


def one_segment(text: bytes) -> bytes:
    """Return a text of any length and bytes as one `:`-segment that is no suffix of ours.

    Different texts give different segments. What needs no escape stays as it is.
    """
    if len(text) > NAME_BYTES_MAX:
        return b"%%sha256-%s" % hashlib.sha256(text).hexdigest().encode()
    escaped = text.replace(b"%", b"%25").replace(b":", b"%3A")
    if escaped in RESERVED_SEGMENTS:
        return b"%%%02X%s" % (escaped[0], escaped[1:])
    return escaped


def split_key(key: bytes) -> tuple[bytes, bytes, bytes | None] | None:
    """Return (queue, part, worker or None) when `key` has a shape by which a queue is recognised, else None.

    The first `:processing:` that leaves a queue name wins; a queue or worker that then has a reserved
    segment is ambiguous, which the caller asks of `has_reserved_segment`.
    """
    queue, _, part = key.rpartition(b":")
    before, found, worker = key.partition(b":processing:")
    if found and before and worker:
        return before, b"processing", worker
    if queue and part in LISTED_PARTS:
        return queue, part, None
    return None


def scan_pattern(queue: bytes) -> bytes:
    """Return the glob that SCAN MATCH needs for one queue's processing lists, with every wildcard escaped."""
    return re.sub(rb"([\\*?\[\]])", rb"\\\1", queue) + b":processing:*"
