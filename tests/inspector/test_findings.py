"""Findings: one sentence, a number and one act for what needs somebody; nothing for what heals by itself."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.inspector.health import health_of
from dashboard.inspector.server_findings import server_findings
from dashboard.inspector.snapshots import Finding
from dashboard.queue.liveness import Watch
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import beat, hold, job, server_now


def found(inspector: Inspector, code: str) -> Finding:
    findings = [finding for finding in inspector.overview().findings if finding.code == code]
    assert len(findings) == 1, [finding.code for finding in inspector.overview().findings]
    return findings[0]


def act_of(finding: Finding) -> tuple[str, str, int]:
    assert finding.act is not None
    return finding.act.label, finding.act.kind, finding.act.count


def codes(inspector: Inspector) -> set[str]:
    return {finding.code for finding in inspector.overview().findings if finding.queue is not None}


def stale(client: redis.Redis, worker: str, *raws: bytes) -> None:
    now = server_now(client)
    value = beat(client, "mail", worker, ago=196)
    client.hset("mail:watch", worker, Watch(now - 100, now, value).to_bytes())
    hold(client, "mail", worker, *raws)


def healthy(client: redis.Redis) -> None:
    """A managed queue that a janitor and a worker look after."""
    now = server_now(client)
    client.hset("mail:policy", "managed", "1")
    client.hset("mail:stats", mapping={"reaped_at": f"{now:.3f}", "promoted_at": f"{now:.3f}"})
    beat(client, "mail", "w")
    client.rpush("mail:pending", job("1"))


def test_a_healthy_queue_has_no_finding(redis_client: redis.Redis, inspector: Inspector) -> None:
    healthy(redis_client)
    assert codes(inspector) == set()


def test_pending_jobs_without_a_live_worker_and_what_the_silent_ones_hold(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:pending", *[job(number) for number in range(8_120)])
    stale(redis_client, "w1", job("a"), job("b"), job("c"))
    stale(redis_client, "w2", job("d"), job("e"))
    finding = found(inspector, "no-live-worker")
    assert finding.severity == "urgent"
    assert finding.sentence.startswith("mail: no live worker for 3 min 1")
    assert finding.sentence.endswith(", 8,120 pending")
    assert finding.detail == "2 silent workers hold 5 jobs"
    assert finding.act is not None
    assert (finding.act.label, finding.act.kind, finding.act.count) == (
        "Review and reap 5 jobs",
        "reap-stale",
        5,
    )
    assert "stale-workers" not in codes(inspector)


def test_a_queue_that_nobody_serves_says_so(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", job("1"))
    finding = found(inspector, "no-live-worker")
    assert finding.sentence == "mail: no live worker, 1 pending"


def test_a_fresh_job_need_not_have_a_worker_yet(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", job("1", enqueued_at=server_now(redis_client)))
    assert codes(inspector) == set()


def test_a_paused_queue_is_no_alarm(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.hset("mail:policy", mapping={"paused": "1", "reaping": "manual"})
    redis_client.rpush("mail:pending", job("1"))
    finding = found(inspector, "paused")
    assert (finding.severity, finding.sentence) == ("note", "mail is paused, 1 job pending")


def test_one_stale_worker_is_reaped_by_its_own_preview(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    stale(redis_client, "w1", job("a"))
    finding = found(inspector, "stale-workers")
    assert finding.sentence == "mail: 1 worker silent over 30 s holds 1 job"
    assert finding.act is not None
    assert (finding.act.kind, finding.act.worker, finding.act.queue) == ("reap", b"w1", b"mail")


def test_a_silent_holder_is_late_until_it_was_watched(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    beat(redis_client, "mail", "w1", ago=60)
    hold(redis_client, "mail", "w1", job("a"), job("b"))
    finding = found(inspector, "silent-workers")
    assert (finding.severity, finding.sentence) == ("soon", "mail: 1 silent worker holds 2 jobs")


def test_a_gone_worker_is_no_alarm(redis_client: redis.Redis, inspector: Inspector) -> None:
    healthy(redis_client)
    stale(redis_client, "w1", job("a"))
    redis_client.delete("mail:processing:w1")
    assert codes(inspector) == set()


@pytest.mark.parametrize(("managed", "severity"), [("1", "soon"), ("0", "note")])
def test_an_orphan_list_of_a_managed_queue_is_graver_than_a_found_one(
    redis_client: redis.Redis, inspector: Inspector, managed: str, severity: str
) -> None:
    healthy(redis_client)
    redis_client.hset("mail:policy", "managed", managed)
    hold(redis_client, "mail", "ghost", job("a"))
    finding = found(inspector, "orphans")
    assert (finding.severity, finding.sentence) == (severity, "mail: 1 list without a heartbeat holds 1 job")


def test_overdue_jobs_say_by_how_much_and_when_a_promoter_last_ran(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    now = server_now(redis_client)
    redis_client.zadd("mail:delayed", {job(number): now - 300 for number in range(37)})
    finding = found(inspector, "overdue")
    assert finding.sentence.startswith("mail: 37 delayed jobs are overdue by up to 5 min")
    assert finding.detail.startswith("Nothing has promoted jobs in this queue since ")
    assert finding.act is not None
    assert (finding.act.label, finding.act.kind, finding.act.count) == (
        "Promote 37 due jobs",
        "promote-due",
        37,
    )


def test_a_job_that_was_due_a_moment_ago_is_no_finding(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    redis_client.zadd("mail:delayed", {job("1"): server_now(redis_client) - 1})
    assert codes(inspector) == set()


def test_a_job_due_since_ever_is_overdue_by_an_unknown_time(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    redis_client.zadd("mail:delayed", {job("1"): float("-inf")})
    assert found(inspector, "overdue").sentence == "mail: 1 delayed job is overdue"


def test_dead_jobs_are_a_note_with_the_newest_error_and_an_alarm_while_they_rise(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(collect_every_seconds=3_600.0)
    healthy(redis_client)
    redis_client.lpush(
        "mail:dead", job("old", error="ValueError: 1"), job("new", error="ConnectTimeout: x\nmore")
    )
    finding = found(inspector, "dead")
    assert (finding.severity, finding.sentence) == ("note", "mail: 2 dead jobs")
    assert finding.detail == "The newest with ConnectTimeout: x"
    redis_client.lpush("mail:dead", *[job(number) for number in range(12)])
    inspector.expire()
    finding = found(inspector, "dying")
    assert finding.severity == "urgent"
    assert finding.sentence.startswith("mail: 12 jobs died in the last ")
    assert finding.act is not None
    assert (finding.act.kind, finding.act.place) == ("open", "dead")


def test_a_managed_queue_without_a_janitor_says_so_once_for_all(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    redis_client.hset("mail:stats", "reaped_at", f"{server_now(redis_client) - 200:.3f}")
    for name in ("a", "b"):
        redis_client.hset(f"{name}:policy", "managed", "1")
        beat(redis_client, name, "w")
    finding = found(inspector, "no-janitor")
    assert finding.severity == "soon"
    assert finding.sentence.startswith("a, b, mail: no janitor has looked for 3 min")
    redis_client.hset("mail:policy", "reaping", "manual")
    inspector.expire()
    assert found(inspector, "no-janitor").sentence == "a, b: no janitor has looked yet"


def test_a_wrong_clock_is_named(redis_client: redis.Redis, inspector: Inspector) -> None:
    healthy(redis_client)
    beat(redis_client, "mail", "ahead", ago=-3_600)
    assert found(inspector, "clock").sentence == "mail: the clock of 1 worker is wrong"


def test_the_gravest_come_first_and_queues_that_need_somebody_too(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("z-alone:pending", job("1"))
    redis_client.rpush("b-dead:dead", job("1"))
    redis_client.rpush("a-calm:pending", job("1"))
    beat(redis_client, "a-calm", "w")
    view = inspector.overview()
    severities = [finding.severity for finding in view.findings]
    assert severities == sorted(severities, key=["urgent", "soon", "note"].index)
    assert [queue.name for queue in view.queues] == [b"z-alone", b"a-calm", b"b-dead"]


@pytest.mark.parametrize(
    ("info", "settings", "expected"),
    [
        ({"maxmemory": 100, "maxmemory_policy": "allkeys-lru"}, {}, {"eviction"}),
        ({"maxmemory": 0, "maxmemory_policy": "allkeys-lru"}, {}, set()),
        ({"maxmemory": 100, "maxmemory_policy": "volatile-ttl"}, {}, {"eviction"}),
        ({"maxmemory": 100, "maxmemory_policy": "noeviction", "used_memory": 95}, {}, {"memory"}),
        ({"aof_enabled": 1}, {"appendfsync": "everysec"}, {"persistence"}),
        ({"aof_enabled": 1}, {"appendfsync": "always"}, set()),
        ({"aof_enabled": 0}, {"save": ""}, {"persistence"}),
        ({"aof_enabled": 0}, {"save": "3600 1"}, {"persistence"}),
        ({"aof_enabled": 0}, {}, set()),
        ({"role": "slave"}, {}, {"replica"}),
        ({}, {}, set()),
    ],
)
def test_what_the_server_may_lose_or_refuse_is_said(
    info: dict[str, Any], settings: dict[str, str], expected: set[str]
) -> None:
    findings = list(server_findings(health_of(info, settings, 0, 0.0)))
    assert {finding.code for finding in findings} == expected
    assert all(finding.sentence and finding.detail for finding in findings)
