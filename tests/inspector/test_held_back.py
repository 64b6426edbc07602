"""The finding that a janitor waits for workers that fell silent together: while it waits, and no longer."""

from __future__ import annotations

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import Watch
from dashboard.queue.policy import Policy
from dashboard.queue.reaper import Reaper
from tests.inspector.jobs import beat, hold, job, server_now
from tests.inspector.test_findings import act_of, codes, found, healthy, stale

RULES = Policy()


def just_stale(client: redis.Redis, worker: str, raw: bytes) -> None:
    """A worker that holds a job and was watched unchanged for ten seconds more than the threshold."""
    now = server_now(client)
    value = beat(client, "mail", worker, ago=40)
    client.hset("mail:watch", worker, Watch(now - 40, now, value).to_bytes())
    hold(client, "mail", worker, raw)


def test_workers_that_fell_silent_together_are_said_to_be_waited_for(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    healthy(redis_client)
    for number in range(5):
        just_stale(redis_client, f"w{number}", job(number))
    assert Reaper(redis_client, QueueKeys("mail"), RULES).sweep(RULES).reaped_count == 0
    finding = found(inspector, "held-back")
    assert (finding.severity, finding.sentence) == ("urgent", "mail: 5 workers fell silent together")
    assert finding.detail.startswith("A janitor waits for ")
    assert finding.detail.endswith(
        " s more before it reaps them: the network may be at fault. You need not wait."
    )
    assert act_of(finding) == ("Open workers", "open", 5)


@pytest.mark.parametrize("until", ["1", "99999999999", "soon", ""])
def test_a_wait_that_is_over_or_makes_no_sense_is_not_mentioned(
    redis_client: redis.Redis, inspector: Inspector, until: str
) -> None:
    healthy(redis_client)
    stale(redis_client, "w1", job("a"))
    redis_client.hset("mail:stats", mapping={"held_back_until": until, "held_back_count": "5"})
    assert codes(inspector) == {"stale-workers"}
