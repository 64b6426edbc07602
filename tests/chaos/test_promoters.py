"""Delayed jobs: many at once under promoters that die, and one that waits for days."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from tests.queue.running import Client, Q, held, ids, janitor, pending, push, wait_for_holder, worker
from tests.queue.test_reaper import now_of
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer

DUE_COUNT, CHUNK, KILLS, PROMOTERS = 100_000, 5_000, 6, 2
DAYS = 3 * 86_400


def test_S26_100000_due_jobs_are_promoted_once_and_in_due_order_by_promoters_that_are_killed(
    each_server: ValkeyServer, each_client: Client
) -> None:
    for start in range(0, DUE_COUNT, CHUNK):
        part = range(start, start + CHUNK)
        each_client.zadd(Q.delayed, {json.dumps({"id": str(n), "attempts": 0}): 1_000_000 + n for n in part})
    with ExitStack() as stack:
        promoters = [stack.enter_context(janitor(each_server.url, "q")) for _ in range(PROMOTERS)]
        for kill in range(KILLS):
            before = each_client.llen(Q.pending)
            wait_until(
                lambda before=before: each_client.llen(Q.pending) > before,  # type: ignore[misc]
                60,
                f"jobs are promoted before kill {kill + 1}",
                every_seconds=0.005,
            )
            assert each_client.zcard(Q.delayed) > 0, "killed while there was something to do"
            promoters.pop(0).kill()
            promoters.append(stack.enter_context(janitor(each_server.url, "q")))
        wait_until(lambda: not each_client.exists(Q.delayed), 120, "every due job is promoted")
        assert all(one.is_running() for one in promoters)
    assert [int(name) for name in ids(pending(each_client))] == list(range(DUE_COUNT))
    assert int(each_client.hget(Q.stats, "promoted")) == DUE_COUNT
    assert not each_client.exists(Q.dead)


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S28_a_delay_of_days_is_untouched_by_reaping_and_restarts(kind: Kind) -> None:
    with ValkeyServer(kind, appendonly="yes", appendfsync="always") as server, server.client() as client:
        due = now_of(client) + DAYS + 0.123
        raw = b'{"id":"later","payload":{"n":1.0},"attempts":2}'
        client.zadd(Q.delayed, {raw: due})
        before = client.zrange(Q.delayed, 0, -1, withscores=True)
        push(client, "dies", sleep=60)
        with janitor(server.url, "q") as keeper:
            with worker(server.url) as lone:
                name = wait_for_holder(client, "dies")
                wait_until(lambda: client.hexists(Q.watch, name), 10, "the janitor watches it")
                lone.kill()
            wait_until(lambda: ids(pending(client)) == ["dies"], 20, "what the dead worker held is back")
            for stop in (server.stop, server.kill):
                stop()
                server.start()
                swept_at = now_of(client)
                wait_until(
                    lambda at=swept_at: float(client.hget(Q.stats, "reaped_at") or 0) > at,  # type: ignore[misc]
                    20,
                    "the janitor goes on after the restart",
                )
            keeper.kill()
        assert client.zrange(Q.delayed, 0, -1, withscores=True) == before == [(raw, due)]
        assert ids(pending(client)) == ["dies"]
        assert held(client) == {}
