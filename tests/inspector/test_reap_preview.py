"""Previews of reaping: what would move and where to, as the script then does it."""

from __future__ import annotations

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.inspector.jobs import ODD_ENTRIES, beat, hold, ids, job
from tests.support.keyspace import dumps

Q = QueueKeys("mail")


@pytest.mark.parametrize("kind", sorted(ODD_ENTRIES.keys() - {"megabyte"}))
def test_the_reap_does_what_the_preview_said_for_any_bytes(
    redis_client: redis.Redis, inspector: Inspector, kind: str
) -> None:
    hold(redis_client, "mail", "w", ODD_ENTRIES[kind], job("over", attempts=3), job("under", attempts=2))
    value = beat(redis_client, "mail", "w", ago=100)
    before = dumps(redis_client)
    preview = inspector.reap_preview(b"mail", b"w")
    assert dumps(redis_client) == before
    assert (preview.shown_count, preview.total_count, preview.key_fault) == (3, 3, "")
    assert preview.worker.can_reap
    reaped = Scripts(redis_client).requeue(
        Q, b"w", why="operator", evidence=value, defaults=Policy(), act=Act("ann")
    )
    assert reaped.code is Code.REAPED
    destinations = [one.destination for one in preview.jobs]
    assert (destinations.count("pending"), destinations.count("dead")) == (
        reaped.moved_count,
        reaped.dead_count,
    )
    assert destinations[1:] == ["dead", "pending"]
    assert {"over"} <= set(ids(inspector.jobs(b"mail", "dead")))


def test_each_job_says_what_its_counter_means(redis_client: redis.Redis, inspector: Inspector) -> None:
    hold(redis_client, "mail", "w", job("a", attempts=0), job("b", attempts=2), job("c", attempts=3), b"no")
    beat(redis_client, "mail", "w", ago=100)
    assert [
        (one.row.id_text, one.destination, one.why) for one in inspector.reap_preview(b"mail", b"w").jobs
    ] == [
        ("a", "pending", "attempts 1, limit 3"),
        ("b", "pending", "attempts 3, limit 3: the next failure is final"),
        ("c", "dead", "attempts 4, limit 3: over the limit"),
        ("6e 6f", "dead", "Its counter cannot be read: it goes to dead unchanged."),
    ]


def test_the_queues_own_limit_decides(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.hset("mail:policy", "max_attempts", "0")
    hold(redis_client, "mail", "w", job("a", attempts=0))
    assert [one.destination for one in inspector.reap_preview(b"mail", b"w").jobs] == ["dead"]


def test_a_long_list_is_shown_in_part_with_its_true_number(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    hold(redis_client, "mail", "w", *[job(number) for number in range(300)])
    preview = inspector.reap_preview(b"mail", b"w")
    assert (preview.shown_count, preview.total_count) == (50, 300)
    assert [one.row.id_text for one in preview.jobs] == [str(number) for number in range(50)]


def test_a_job_too_long_to_look_through_is_left_open(redis_client: redis.Redis, inspector: Inspector) -> None:
    hold(redis_client, "mail", "w", job("big", "A" * 100_000))
    preview = inspector.reap_preview(b"mail", b"w")
    assert [one.destination for one in preview.jobs] == ["unknown"]


def test_a_worker_that_is_not_there_has_nothing_to_reap(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:pending", job("1"))
    preview = inspector.reap_preview(b"mail", b"nobody")
    assert (preview.worker.state, preview.worker.can_reap, preview.jobs) == ("stopped", False, ())


def test_a_live_worker_says_why_it_cannot_be_reaped(redis_client: redis.Redis, inspector: Inspector) -> None:
    hold(redis_client, "mail", "w", job("1"))
    beat(redis_client, "mail", "w")
    preview = inspector.reap_preview(b"mail", b"w")
    assert not preview.worker.can_reap
    assert preview.worker.can_reap_why.endswith("it is stale after 30 s.")


def test_the_preview_of_reaping_all_names_stale_workers_and_orphans_and_not_silent_ones(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    hold(redis_client, "mail", "orphan", job("1"), job("2"))
    hold(redis_client, "mail", "silent", job("3"))
    beat(redis_client, "mail", "silent", ago=100)
    for preview in (inspector.stale_preview(), inspector.stale_preview(b"mail")):
        assert [row.name for row in preview.rows] == [b"orphan"]
        assert (preview.total_count, preview.held_total) == (1, 2)
