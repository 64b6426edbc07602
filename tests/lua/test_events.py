"""The flight recorder: every script but the everyday ones writes one entry a call: who did what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.support.script_cases import ACT, CASES, Q
from tests.support.standing_queue import BEATING, NOW, SILENT, TOKEN, W1, W2, furnish, job

EVERYDAY = {"claim", "settle", "beat", "enqueue", "enqueue_once", "sample"}
"""They are counted in the stats: entries of theirs would push everything else out of the recorder."""

REAPERS = {"worker", "by", "why", "moved", "dead", "jobs"}
RECORDED: dict[str, tuple[str, set[str]]] = {
    "fail delayed": ("failed", {"worker", "error", "from", "to", "due"}),
    "fail dead": ("dead", {"worker", "error", "from", "to"}),
    "release": ("released", {"worker", "count", "jobs"}),
    "retire": ("stopped", {"worker"}),
    "requeue stale": ("reaped", REAPERS),
    "requeue operator": ("reaped", REAPERS),
    "requeue child-exit": ("reaped", REAPERS),
    "promote due": ("promoted", {"by", "count", "jobs"}),
    "promote one": ("promoted", {"by", "count", "jobs"}),
    "revive one": ("retried", {"by", "count", "jobs"}),
    "revive oldest": ("retried", {"by", "count"}),
    "reschedule": ("rescheduled", {"by", "jobs", "due"}),
    "bury": ("buried", {"by", "jobs"}),
    "take": ("taken", {"worker", "by", "place", "jobs"}),
    "discard pending": ("discarded", {"by", "place", "jobs"}),
    "discard dead": ("discarded", {"by", "place", "jobs"}),
    "discard delayed": ("discarded", {"by", "place", "jobs"}),
    "discard processing": ("discarded", {"worker", "by", "place", "jobs"}),
    "restore": ("restored", {"by", "place", "jobs"}),
    "purge one": ("purged", {"by", "count"}),
    "purge the oldest": ("purged", {"by", "count"}),
    "enqueue_at": ("delayed", {"count", "due", "jobs"}),
    "enqueue_once delayed": ("delayed", {"count", "due", "jobs"}),
    "pause": ("paused", {"by"}),
    "resume": ("resumed", {"by"}),
}
"""Which entry each call writes, and the fields of it that say something."""

BY_NAME = {case.name: case for case in CASES}


def ready(client: redis.Redis, name: str) -> None:
    """Furnish the queue so that the call changes something."""
    client.flushdb()
    furnish(client)
    if name == "retire":
        client.hset(Q.heartbeats, b"w9", BEATING)
    if name == "resume":
        client.hset(Q.policy, "paused", "1")


def entries(client: redis.Redis) -> list[dict[str, str]]:
    """What was recorded after the queue was furnished."""
    found: Any = client.xrange(Q.events)
    return [{name.decode(): value.decode() for name, value in fields.items()} for _, fields in found[1:]]


def test_every_script_is_either_recorded_or_an_everyday_one() -> None:
    unnamed = {case.name for case in CASES if case.script not in EVERYDAY} - RECORDED.keys()
    assert unnamed == set(), "say in RECORDED which entry it writes"
    assert RECORDED.keys() <= BY_NAME.keys()


@pytest.mark.parametrize("name", RECORDED)
def test_a_call_that_changes_something_writes_exactly_one_entry(client: redis.Redis, name: str) -> None:
    ready(client, name)
    assert BY_NAME[name].call(Scripts(client, now=NOW)).code is BY_NAME[name].code  # type: ignore[attr-defined]
    (entry,) = entries(client)
    verb, fields = RECORDED[name]
    assert entry["event"] == verb
    assert {field for field in fields if not entry.get(field)} == set()
    if BY_NAME[name].acts:
        assert entry["by"] == ACT.actor


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - RECORDED.keys()))
def test_an_everyday_call_writes_none(client: redis.Redis, name: str) -> None:
    ready(client, name)
    BY_NAME[name].call(Scripts(client, now=NOW))
    assert entries(client) == []


@pytest.mark.parametrize("name", [case.name for case in CASES if case.acts])
def test_an_act_that_is_repeated_writes_no_second_entry(client: redis.Redis, name: str) -> None:
    ready(client, name)
    for _ in range(2):
        answer: Any = BY_NAME[name].call(Scripts(client, now=NOW))
    assert answer.code is Code.REPEATED
    assert len(entries(client)) == 1


def requeue(scripts: Scripts, worker: bytes, why: str, evidence: bytes | None, detail: str = "") -> Code:
    """A reap by a daemon."""
    return scripts.requeue(
        Q, worker, why=why, evidence=evidence, defaults=Policy(), act=Act("janitor"), detail=detail
    ).code


IDLE: list[tuple[str, Callable[[Scripts], Any]]] = [
    ("a failure of what is no longer held", lambda s: s.fail(Q, W1, b"no", b"no", delay_ms=1, error="x")),
    ("a release of what is no longer held", lambda s: s.release(Q, W1, [b"no"])),
    ("the end of a worker that is unknown", lambda s: s.retire(Q, b"w9")),
    ("the end of a worker that holds jobs", lambda s: s.retire(Q, W1)),
    ("a reap of a living worker", lambda s: requeue(s, W2, "stale", BEATING)),
    ("a reap of nobody", lambda s: requeue(s, b"w9", "stale", BEATING)),
    ("the end of a child that held nothing", lambda s: requeue(s, b"w8", "child-exit", b"token")),
    ("a promotion when nothing is due", lambda s: s.promote_due(Q, act=Act("janitor"))),
    ("a retry of no dead job", lambda s: s.revive_oldest(Q, bound=0, skip=0, limit=9, act=Act("ann"))),
    ("a purge of no entry", lambda s: s.purge(Q, Act("ann"), trash_id="1-1")),
    ("a restore of no entry", lambda s: s.restore(Q, "1-1", Act("ann"))),
    ("a resume of a queue that runs", lambda s: s.resume(Q, Act("ann"))),
    ("the same bytes delayed again", lambda s: s.enqueue_at(Q, [(job("d2", 1), "+5")])),
]


@pytest.mark.parametrize(("what", "call"), IDLE, ids=[what for what, _ in IDLE])
def test_a_call_that_changes_nothing_writes_none(
    client: redis.Redis, what: str, call: Callable[[Scripts], Any]
) -> None:
    furnish(client)
    client.zrem(Q.delayed, job("d1", 1))
    client.hset(Q.workers, b"k:w8", "token")
    call(Scripts(client, now=NOW))
    assert entries(client) == [], what


def test_a_reap_says_what_ended_the_child(client: redis.Redis, scripts: Scripts) -> None:
    furnish(client)
    assert requeue(scripts, W1, "child-exit", TOKEN.encode(), "SIGKILL") is Code.REAPED
    (entry,) = entries(client)
    said = {field: entry[field] for field in ("event", "worker", "by", "why", "detail", "moved", "dead")}
    assert said == {
        "event": "reaped", "worker": "w1", "by": "janitor", "why": "child-exit", "detail": "SIGKILL",
        "moved": "1", "dead": "1",
    }  # fmt: skip


def test_an_adopted_list_and_a_forgotten_worker_are_recorded(client: redis.Redis, scripts: Scripts) -> None:
    furnish(client)
    client.rpush(Q.processing(b"ghost"), job("g"))
    assert requeue(scripts, b"ghost", "stale", None) is Code.ADOPTED
    client.delete(Q.processing(W1))
    assert requeue(scripts, W1, "stale", SILENT) is Code.REAPED
    assert entries(client) == [
        {"event": "adopted", "worker": "ghost", "by": "janitor", "count": "1"},
        {"event": "forgotten", "worker": "w1", "by": "janitor", "why": "stale"},
    ]
