"""Whose clock counts: the server's, for everything that decides when something happens."""

from __future__ import annotations

import time
from typing import Any

import pytest

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.connections import Connections
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.producer import Producer
from dashboard.queue.scripts import Scripts

Client = Any
NEAR_SECONDS = 30.0
"""Far less than the clock is off, and enough for a slow machine."""


@pytest.mark.parametrize("hours_off", [-1, 1])
def test_S32_a_clock_that_is_hours_off_changes_nothing_that_is_written(
    redis_url: str, redis_client: Client, monkeypatch: pytest.MonkeyPatch, hours_off: int
) -> None:
    q, scripts, right = QueueKeys("mail"), Scripts(redis_client), time.time
    monkeypatch.setattr(time, "time", lambda: right() + 3600 * hours_off)
    producer = Producer(Connections.from_url(redis_url), "mail")
    producer.enqueue(1)
    producer.enqueue_in(2, 600)
    beat = scripts.beat(q, b"w1")
    held = scripts.claim(q, b"w1", 1).raws[0]
    scripts.settle(q, b"w1", 1, [], 0)
    now = redis_client.time()[0]

    assert abs(beat.now - now) < NEAR_SECONDS
    assert abs(int(redis_client.hget(q.heartbeats, b"w1")) - now) < NEAR_SECONDS
    assert abs(float(redis_client.hget(q.workers, b"s:w1").split()[1]) - now) < NEAR_SECONDS
    assert abs(redis_client.zrange(q.delayed, 0, 0, withscores=True)[0][1] - 600 - now) < NEAR_SECONDS
    assert scripts.promote_due(q, act=Act("janitor")).count == 0
    seen = redis_client.hget(q.heartbeats, b"w1")
    for why in ("stale", "operator"):
        answer = scripts.requeue(q, b"w1", why=why, evidence=seen, defaults=Policy(), act=Act("ann"))
        assert answer.code is Code.ALIVE
    failed = scripts.fail(q, b"w1", held, held + b" ", delay_ms=300_000, error="no")
    assert failed.due is not None
    assert abs(failed.due - 300 - now) < NEAR_SECONDS
