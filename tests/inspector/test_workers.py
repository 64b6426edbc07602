"""Worker rows: judged like the reaper judges, the gravest first, with what they tell of themselves."""

from __future__ import annotations

import json

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.inspector.snapshots import WorkerRow
from dashboard.queue.liveness import Watch
from dashboard.queue.policy import Policy
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import beat, hold, job, server_now


def rows_by_name(inspector: Inspector, queue: bytes | None = b"mail") -> dict[bytes, WorkerRow]:
    return {row.name: row for row in inspector.workers(queue).rows}


def watched(client: redis.Redis, worker: str, value: bytes, seconds: float) -> None:
    """Write that a janitor has seen this heartbeat unchanged for so long."""
    now = server_now(client)
    client.hset("mail:watch", worker, Watch(now - seconds, now, value).to_bytes())


def furnish_states(client: redis.Redis) -> None:
    beat(client, "mail", "alive")
    beat(client, "mail", "late", ago=20)
    beat(client, "mail", "silent", ago=100)
    watched(client, "stale", beat(client, "mail", "stale", ago=100), 50)
    watched(client, "gone", beat(client, "mail", "gone", ago=100), 50)
    for worker in ("alive", "late", "silent", "stale", "orphan"):
        hold(client, "mail", worker, job(f"of-{worker}"))
    stone = {"state": "stopped", "at": "1790000000.000", "held": 0, "why": "SIGTERM"}
    client.hset("mail:workers", "t:stopped", json.dumps(stone))


@pytest.mark.parametrize("queue", [b"mail", None])
def test_every_state_is_told_the_gravest_first(
    redis_client: redis.Redis, inspector: Inspector, queue: bytes | None
) -> None:
    furnish_states(redis_client)
    page = inspector.workers(queue)
    assert [row.state for row in page.rows] == [
        "stale", "orphan", "silent", "late", "alive", "gone", "stopped",
    ]  # fmt: skip
    assert [row.name.decode() for row in page.rows] == [str(row.state) for row in page.rows]
    counts = page.counts
    assert (counts.alive, counts.late, counts.silent, counts.stale, counts.gone, counts.orphan) == (1,) * 6
    assert (counts.held, counts.reapable_held, page.stopped_count, page.total_count) == (5, 2, 1, 7)


def test_live_workers_keep_their_places_whatever_they_hold_and_dead_ones_go_by_what_waits(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    for worker in ("a", "b", "c"):
        beat(redis_client, "mail", worker)
    hold(redis_client, "mail", "c", job("1"))
    hold(redis_client, "mail", "x", job("2"))
    hold(redis_client, "mail", "y", job("3"), job("4"))
    assert [row.name for row in inspector.workers(b"mail").rows] == [b"y", b"x", b"a", b"b", b"c"]


@pytest.mark.parametrize("state", ["stale", "orphan", "silent", "late", "alive", "gone", "stopped"])
def test_a_filter_shows_one_state_and_counts_all(
    redis_client: redis.Redis, inspector: Inspector, state: str
) -> None:
    furnish_states(redis_client)
    page = inspector.workers(b"mail", state)
    assert [row.state for row in page.rows] == [state]
    assert (page.total_count, page.counts.total) == (1, 6)


def test_only_those_whom_the_script_would_reap_may_be_reaped(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    furnish_states(redis_client)
    found = rows_by_name(inspector)
    may = {name for name, row in found.items() if row.can_reap}
    assert may == {b"stale", b"orphan", b"silent"}
    assert all(row.can_reap_why for row in found.values())


def test_an_ambiguous_queue_shows_its_workers_and_lets_nobody_reap(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("a:dead:processing:w", job("1"))
    row = inspector.workers(b"a:dead").rows[0]
    assert not row.can_reap
    assert "ambiguous" in row.can_reap_why


def test_rows_carry_the_heartbeat_as_evidence_and_the_threshold_of_the_reaper(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.hset(
        "mail:policy", mapping={"stale_after_seconds": "60", "beat_seconds": "5", "managed": "1"}
    )
    value = beat(redis_client, "mail", "w", ago=40)
    row = rows_by_name(inspector)[b"w"]
    assert (row.beat_value, row.state, row.stale_after_seconds, row.managed) == (value, "late", 60.0, True)
    assert row.age_seconds == pytest.approx(40, abs=1.5)
    assert row.beat_at == float(value)


def test_what_a_worker_tells_of_itself_is_shown(redis_client: redis.Redis, inspector: Inspector) -> None:
    beat(redis_client, "mail", "w")
    hold(redis_client, "mail", "w", job("first"), job("second"))
    instance = {"host": "app-7", "pid": 4121, "started_at": 1790000000.5, "process": "supervised"}
    redis_client.hset("mail:workers", "i:w", json.dumps(instance))
    redis_client.hset("mail:workers", "b:w", json.dumps({"since": 1790000100.25, "jobs": 2}))
    row = rows_by_name(inspector)[b"w"]
    assert (row.host, row.pid, row.started_at, row.process) == ("app-7", 4121, 1790000000.5, "supervised")
    assert (row.held_count, row.first_job, row.since) == (2, "first", 1790000100.25)
    assert row.first_job_address is not None
    assert inspector.job(b"mail", row.first_job_address).row is not None


def test_a_foreign_worker_has_no_more_than_its_heartbeat(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    beat(redis_client, "mail", b"w\xfe")
    row = rows_by_name(inspector)[b"w\xfe"]
    assert (row.host, row.pid, row.process, row.since, row.first_job) == ("", None, "", None, "")


def test_a_tombstone_says_how_a_worker_ended(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", job("1"))
    stone = {
        "state": "reaped",
        "at": "1790000000.125",
        "beat": "1789999000",
        "held": 3,
        "by": "janitor",
        "why": "stale",
    }
    redis_client.hset("mail:workers", "t:w", json.dumps(stone))
    row = rows_by_name(inspector)[b"w"]
    assert row.state == "stopped"
    assert row.tombstone is not None
    assert (row.tombstone.state, row.tombstone.at, row.tombstone.beat_at) == (
        "reaped",
        1790000000.125,
        1789999000.0,
    )
    assert (row.tombstone.held_count, row.tombstone.by, row.tombstone.why) == (3, "janitor", "stale")


def test_case_111_a_stamp_in_the_future_is_skew_and_never_a_negative_age(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    hold(redis_client, "mail", "w", job("1"))
    beat(redis_client, "mail", "w", ago=-3_600)
    row = rows_by_name(inspector)[b"w"]
    assert row.flags == {"skew"}
    assert row.age_seconds is not None
    assert row.age_seconds >= 0
    assert not row.can_reap


def test_five_thousand_workers_are_counted_whole_and_paged_without_repeats(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    now = int(server_now(redis_client))
    pipe = redis_client.pipeline(transaction=False)
    pipe.hset("mail:heartbeats", mapping={f"w{number}": now for number in range(5_001)})
    for number in range(5_001):
        pipe.rpush(f"mail:processing:w{number}", job(number))
    pipe.execute()
    inspector = make_inspector(page_size=1_000, defaults=Policy(stale_after_seconds=600.0))
    names: list[bytes] = []
    page = inspector.workers(b"mail")
    while True:
        names += [row.name for row in page.rows]
        if page.page.following is None:
            break
        page = inspector.workers(b"mail", "", page.page.following)
    assert (page.total_count, page.counts.alive, page.counts.held) == (5_001, 5_001, 5_001)
    assert sorted(names) == sorted(b"w%d" % number for number in range(5_001))


def test_the_defaults_judge_where_a_queue_has_no_policy(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    beat(redis_client, "mail", "w", ago=8)
    inspector = make_inspector(defaults=Policy(stale_after_seconds=10.0, beat_seconds=2.0))
    assert rows_by_name(inspector)[b"w"].state == "late"
    assert inspector.workers().stale_after_seconds == (10.0, 10.0)
