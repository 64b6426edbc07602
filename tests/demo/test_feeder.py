"""The feeder: bounded without any worker, every id in its book, at rest when told so."""

from __future__ import annotations

import json
from typing import Any

import pytest
import redis

from dashboard.demo.feeder import Feeder
from dashboard.demo.handlers import NEVER
from dashboard.demo.ledger import FED, FEEDER, Ledger
from dashboard.demo.seeds import DEAD_LETTERS, POLICIES, sow

BOUNDS = {"mail:pending": 65, "mail:delayed": 12, "reports:pending": 6, "webhooks:pending": 20}


@pytest.fixture
def feeder(redis_client: redis.Redis, redis_url: str) -> Feeder:
    """A feeder of a sown demo."""
    sow(redis_client, Ledger(redis_client))
    return Feeder(redis_url)


def raws_of(client: redis.Redis, queue: str) -> list[bytes]:
    """All jobs of a queue that no worker has touched."""
    lists: Any = [client.lrange(f"{queue}:{part}", 0, -1) for part in ("pending", "dead")]
    delayed: Any = client.zrange(f"{queue}:delayed", 0, -1)
    return [*lists[0], *lists[1], *delayed]


def test_without_a_worker_no_queue_grows_beyond_its_bound(feeder: Feeder, redis_client: redis.Redis) -> None:
    for _ in range(300):
        feeder.feed()

    sizes = {key: redis_client.zcard(key) if "delayed" in key else redis_client.llen(key) for key in BOUNDS}
    assert {key: size for key, size in sizes.items() if size > BOUNDS[key]} == {}
    assert sizes["reports:pending"] == 6
    assert sizes["mail:delayed"] == 12
    assert redis_client.llen("webhooks:dead") == len(DEAD_LETTERS)


def test_every_id_stands_once_and_is_in_the_book(feeder: Feeder, redis_client: redis.Redis) -> None:
    for _ in range(60):
        feeder.feed()

    for queue in ("mail", "reports", "webhooks"):
        standing = [json.loads(raw)["id"] for raw in raws_of(redis_client, queue)]
        book: Any = redis_client.smembers(FED + queue)
        assert sorted(standing) == sorted(one.decode() for one in book)


def test_a_job_for_the_host_that_is_down_comes_in_the_first_rounds(
    feeder: Feeder, redis_client: redis.Redis
) -> None:
    for _ in range(10):
        feeder.feed()

    raws: Any = redis_client.lrange("webhooks:pending", 0, -1)
    assert [raw for raw in raws if NEVER.encode() in raw]


def test_told_to_rest_it_answers_and_hands_in_nothing(feeder: Feeder, redis_client: redis.Redis) -> None:
    assert feeder.ledger.may_feed()
    redis_client.set(FEEDER, "stop")

    assert not feeder.ledger.may_feed()
    assert redis_client.get(FEEDER) == b"stopped"
    assert not feeder.ledger.may_feed()

    redis_client.delete(FEEDER)
    assert feeder.ledger.may_feed()


def test_the_seeds_are_dead_letters_over_the_limit_and_policies_that_hold(
    feeder: Feeder, redis_client: redis.Redis
) -> None:
    for policy in POLICIES.values():
        policy.check()
    raws: Any = redis_client.lrange("webhooks:dead", 0, -1)
    jobs = [json.loads(raw) for raw in raws]
    assert {job["attempts"] for job in jobs} == {POLICIES[b"webhooks"].max_attempts + 1}
    assert all(list(job)[-1] == "attempts" and job["error"] and job["failed_at"] for job in jobs)
    ages = [job["failed_at"] for job in jobs]
    assert ages == sorted(ages, reverse=True)
    assert redis_client.hget("reports:policy", "reaping") == b"manual"
