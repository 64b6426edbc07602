"""The job record: how its bytes are made, read, counted and annotated, no other byte being touched.

`bump` and `set_attempts` follow the same rules as lua/shared/counter.lua; a test holds the two together.
Nothing here talks to Redis, and nothing re-encodes a job that exists.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dashboard.queue.errors import UnreadableJob
from dashboard.queue.spans import BOM, is_named, last_named, spans

DIGEST_WHOLE_MAX = 65_536
"""Bytes up to which a digest covers everything: hashing 64 KB takes the server about 0.1 ms."""
DIGEST_EDGE = 32_768
"""Above that, this many bytes at each end and the length stand for the job."""

JOB_BYTES_MAX = 1_048_576 + 65_536
"""Largest job that a producer of ours stores: a payload of 1 MB and what stands around it. Larger jobs hold
up the server and every page that shows them."""


@dataclass(slots=True)
class Job:
    """A job as its handler gets it.

    `id` and `payload` are what JSON says (None when absent), `attempts` the runs that failed or crashed so
    far, `raw` the exact bytes in Redis, `members` every top-level member, unknown ones included. `queue` is
    the queue that it was claimed from, for a handler that serves several; b"" outside of a worker.
    """

    id: Any
    payload: Any
    attempts: int
    raw: bytes
    members: dict[str, Any]
    queue: bytes = b""


def new_id() -> str:
    """Return a fresh job id: 16 hex digits."""
    return secrets.token_hex(8)


def shown_id(job_id: object) -> str:
    """Return an id for a log line: at most 200 characters, whatever JSON it is."""
    try:
        return f"{job_id!r:.200}"
    except RecursionError:
        # JSON may be nested just deeply enough to be read, and too deeply to be written further down.
        return "(an id nested too deeply to be shown)"


def encode(
    job_id: object,
    payload: object,
    *,
    name: str | None = None,
    enqueued_at: float | None = None,
    extra: Mapping[str, object] | None = None,
) -> bytes:
    """Return a new job's bytes, `attempts` last so that scripts find the counter at once.

    Raises TypeError or ValueError where the payload is no JSON (NaN and infinities included).
    """
    record: dict[str, object] = {"id": job_id}
    if name is not None:
        record["name"] = name
    record["enqueued_at"] = round(time.time() if enqueued_at is None else enqueued_at, 3)
    record.update(extra or {})
    for name, value in (("payload", payload), ("attempts", 0)):
        record.pop(name, None)
        record[name] = value
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode()


def decode(raw: bytes) -> Job:
    """Read a job, or raise UnreadableJob with the reason.

    Numbers come as Python's json reads them: integers of any size, floats as floats. A job without `attempts`
    has run 0 times; one whose counter is no whole number is unreadable.
    """
    try:
        # The codec that drops the mark is slow.
        members = json.loads(raw.decode("utf-8-sig") if raw.startswith(BOM) else raw.decode())
    except RecursionError:
        raise UnreadableJob("its JSON is nested too deeply") from None
    except ValueError:
        raise UnreadableJob("it is not JSON") from None
    if type(members) is not dict:
        raise UnreadableJob("it is JSON, but not an object")
    attempts = members.get("attempts", 0)
    if type(attempts) is not int:
        raise UnreadableJob("its attempts are no whole number")
    return Job(members.get("id"), members.get("payload"), attempts, raw, members)


def digest(raw: bytes) -> str:
    """Return a job's digest: sha1 hex of its bytes, or of length and both ends when it is over 64 KB."""
    if len(raw) > DIGEST_WHOLE_MAX:
        raw = b"%d:" % len(raw) + raw[:DIGEST_EDGE] + raw[-DIGEST_EDGE:]
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()


WHOLE_DIGITS_MAX = 4300
"""Longest whole number that Python's json reads, in digits."""

_WHOLE = re.compile(rb"-?(?:0|[1-9][0-9]{0,%d})" % (WHOLE_DIGITS_MAX - 1))
_TAIL_BYTES = 40
_TAIL = re.compile(rb'"attempts"[ \t\n\r]*:[ \t\n\r]*(-?[0-9]+)[ \t\n\r]*}[ \t\n\r]*')


class Counter(NamedTuple):
    """Where a job's counter stands. A job without one: `start` is -1, `close_at` its closing brace."""

    start: int
    end: int
    close_at: int = -1
    is_empty: bool = False


def find_counter(raw: bytes) -> Counter | None:
    """Return where the last top-level `attempts` stands, or None where the bytes are no object.

    A counter that closes the job is seen at once: in valid JSON nothing else can look like that.
    """
    key = raw.find(b'"attempts"', max(0, len(raw) - _TAIL_BYTES))
    if key > 0 and raw.startswith(b"{"):
        before = raw[key - 2 : key - 1] if raw[key - 1 : key] == b" " else raw[key - 1 : key]
        tail = _TAIL.fullmatch(raw, key) if before in (b",", b"{") else None
        if tail:
            return Counter(*tail.span(1))
    found = spans(raw)
    if found is None:
        return None
    member = last_named(found, "attempts")
    if member is None:
        return Counter(-1, -1, found.close_at, not found.members)
    return Counter(member.value_start, member.value_end)


def bump(raw: bytes) -> tuple[bytes, int] | None:
    """Return the bytes with their counter one higher, and the new count; None where it cannot be read.

    The counter is the last top-level `attempts`. A job without one gets it, as its last member.
    """
    counter = find_counter(raw)
    if counter is None:
        return None
    if counter.start < 0:
        comma = b"" if counter.is_empty else b","
        return raw[: counter.close_at] + comma + b'"attempts":1' + raw[counter.close_at :], 1
    text = raw[counter.start : counter.end]
    if not _WHOLE.fullmatch(text) or text == b"9" * WHOLE_DIGITS_MAX:
        return None
    attempts = int(text) + 1
    return raw[: counter.start] + b"%d" % attempts + raw[counter.end :], attempts


def set_attempts(raw: bytes, attempts: int) -> bytes | None:
    """Return the bytes with their counter set; a job without one is left so. None where it cannot be read."""
    counter = find_counter(raw)
    if counter is None:
        return None
    if counter.start < 0:
        return raw
    if not _WHOLE.fullmatch(raw, counter.start, counter.end):
        return None
    return raw[: counter.start] + b"%d" % attempts + raw[counter.end :]


def splice(raw: bytes, members: Mapping[str, object]) -> bytes:
    """Return the bytes with `members` right after the opening brace, their older selves removed.

    Every other member keeps its bytes and its order, so that the counter stays last. Bytes that are no object
    are returned unchanged.
    """
    found = spans(raw)
    if found is None or not members:
        return raw
    new = [json.dumps({key: value}, separators=(",", ":"))[1:-1].encode() for key, value in members.items()]
    kept = [
        raw[member.segment_start : member.segment_end]
        for member in found.members
        if not any(is_named(member, name) for name in members)
    ]
    return raw[: found.open_at + 1] + b",".join([*new, *kept]) + raw[found.close_at :]
