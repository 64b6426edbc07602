"""Passes: fresh while somebody looks, none while nobody does, and errors reach whoever looks."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import redis

from dashboard.inspector import Inspector, collector
from dashboard.inspector.watches import Watches, notes
from dashboard.queue.errors import ServerAway
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import Watch
from dashboard.queue.policy import Policy
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import beat, hold, job, server_now
from tests.support.keyspace import dumps
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer


def collectors() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "watchkeeper-collector"]


def held(inspector: Inspector) -> int:
    return (inspector.shell().queues and inspector.overview().queues[0].workers.held) or 0


def test_nothing_runs_and_nobody_is_asked_before_the_first_look(valkey_server: ValkeyServer) -> None:
    before = len(collectors())
    with valkey_server.client(port=1) as nowhere:
        Inspector(nowhere)
    assert len(collectors()) == before


def test_sums_follow_within_the_interval_without_a_page_reading_them(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(collect_every_seconds=0.05)
    beat(redis_client, "mail", "w")
    assert held(inspector) == 0
    hold(redis_client, "mail", "w", job("1"), job("2"))
    wait_until(lambda: held(inspector) == 2, 20.0, "the sum is two")


def test_an_act_makes_the_next_look_see_everything_anew(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(collect_every_seconds=3_600.0)
    beat(redis_client, "mail", "w")
    assert held(inspector) == 0
    hold(redis_client, "mail", "w", job("1"))
    assert held(inspector) == 0
    inspector.expire()
    assert held(inspector) == 1


def test_a_queue_or_worker_that_the_pass_does_not_know_makes_a_new_one(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(collect_every_seconds=3_600.0)
    beat(redis_client, "mail", "w1")
    assert inspector.overview().queues[0].workers.alive == 1
    beat(redis_client, "mail", "w2")
    assert inspector.overview().queues[0].workers.alive == 2
    beat(redis_client, "other", "w")
    assert [queue.workers.alive for queue in inspector.overview().queues] == [2, 1]


def test_the_thread_ends_when_nobody_looks_and_comes_back(
    redis_client: redis.Redis, make_inspector: MakeInspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "IDLE_SECONDS", 0.2)
    inspector = make_inspector(collect_every_seconds=0.05)
    before = len(collectors())
    inspector.overview()
    wait_until(lambda: len(collectors()) == before, 20.0, "the thread ends")
    monkeypatch.setattr(collector, "IDLE_SECONDS", 3_600.0)
    redis_client.rpush("mail:pending", job("1"))
    assert inspector.overview().waiting_total == 1
    assert len(collectors()) == before + 1


def test_many_looks_share_one_thread_and_one_pass(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    redis_client.rpush("mail:pending", job("1"))
    inspector = make_inspector(collect_every_seconds=3_600.0)
    stamps: list[float] = []
    looks = [threading.Thread(target=lambda: stamps.append(inspector.shell().now)) for _ in range(8)]
    for look in looks:
        look.start()
    for look in looks:
        look.join()
    assert len(stamps) == 8
    assert len(set(stamps)) == 1


def test_a_server_that_is_away_is_said_at_once_and_found_again(make_inspector: MakeInspector) -> None:
    with ValkeyServer() as server:
        server_client = server.client(socket_timeout=1.0)
        server_client.rpush("mail:pending", job("1"))
        inspector = make_inspector(server_client)
        assert inspector.overview().waiting_total == 1
        server.stop()
        for read in (inspector.overview, inspector.shell, lambda: inspector.queue(b"mail")):
            inspector.expire()
            with pytest.raises(ServerAway):
                read()
        server.start()
        server_client.rpush("mail:pending", job("1"))

        def is_back() -> bool:
            try:
                return inspector.overview().waiting_total == 1
            except ServerAway:
                return False

        wait_until(is_back, 10.0, "pages are back")
        inspector.close()


def test_a_found_queue_is_watched_in_memory_only(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    policy = Policy(stale_after_seconds=5.0, beat_seconds=1.0)
    inspector = make_inspector(defaults=policy, collect_every_seconds=0.2)
    hold(redis_client, "mail", "w", job("1"))
    beat(redis_client, "mail", "w", ago=60)
    before = dumps(redis_client)
    assert inspector.workers(b"mail").rows[0].state == "silent"
    wait_until(lambda: inspector.workers(b"mail").rows[0].state == "stale", 40.0, "watched for the threshold")
    assert inspector.workers(b"mail").rows[0].first_seen_at is not None
    assert dumps(redis_client) == before


def test_a_managed_queue_keeps_its_watch_in_redis_for_everybody(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    redis_client.hset("mail:policy", "managed", "1")
    value = beat(redis_client, "mail", "w", ago=60)
    hold(redis_client, "mail", "w", job("1"))
    make_inspector().overview()
    written: Any = redis_client.hget("mail:watch", "w")
    stored = Watch.parse(written)
    assert stored is not None
    assert stored.value == value
    now = server_now(redis_client)
    redis_client.hset("mail:watch", "w", Watch(now - 100, now, value).to_bytes())
    other = make_inspector()
    assert other.workers(b"mail").rows[0].state == "stale"
    assert other.workers(b"mail").rows[0].first_seen_at == pytest.approx(now - 100, abs=0.01)


def test_nothing_is_written_while_a_janitor_keeps_the_watch() -> None:
    policy, q = Policy(), QueueKeys("mail")
    watch = Watch(100.0, 200.0, b"50")
    after = {b"w": Watch(100.0, 201.0, b"50")}
    assert notes(q, after, {b"w": watch.to_bytes()}, 201.0, policy) == []
    late = notes(q, after, {b"w": watch.to_bytes(), b"away": watch.to_bytes()}, 220.0, policy)
    assert late == [("HSET", b"mail:watch", b"w", after[b"w"].to_bytes()), ("HDEL", b"mail:watch", b"away")]


def test_of_two_memories_the_longer_one_that_was_kept_up_counts() -> None:
    policy, watches = Policy(stale_after_seconds=30.0), Watches()
    beats = {b"w": b"50"}
    assert watches.look(b"q", beats, {}, 1_000.0, policy)[b"w"].first_seen == 1_000.0
    stored = {b"w": Watch(900.0, 1_001.0, b"50").to_bytes()}
    assert watches.look(b"q", beats, stored, 1_002.0, policy)[b"w"].first_seen == 900.0
    abandoned = {b"w": Watch(1.0, 2.0, b"50").to_bytes()}
    assert watches.look(b"q", beats, abandoned, 1_003.0, policy)[b"w"].first_seen == 900.0
    assert watches.look(b"q", {b"w": b"51"}, abandoned, 1_004.0, policy)[b"w"].first_seen == 1_004.0
