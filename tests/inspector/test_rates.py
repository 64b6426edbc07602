"""Rates come from the queue's own counters, and are left out where those tell half of it."""

import pytest
import redis

from dashboard.inspector.snapshots import Rates
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import beat
from tests.support.processes import wait_until


def test_jobs_a_second_are_told_once_two_passes_saw_the_counters(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(collect_every_seconds=0.05)
    beat(redis_client, "mail", "w")

    def rates() -> Rates | None:
        redis_client.hincrby("mail:stats", "enqueued", 5)
        redis_client.hincrby("mail:stats", "acked", 5)
        return inspector.overview().queues[0].rates

    wait_until(
        lambda: (found := rates()) is not None and found.enqueued_per_second > 0, 20.0, "a rate is told"
    )
    found = rates()
    assert found is not None
    assert found.finished_per_second == pytest.approx(found.enqueued_per_second)


@pytest.mark.parametrize("counter", ["enqueued", "acked"])
def test_a_queue_whose_workers_or_producers_do_not_count_has_no_rates(
    redis_client: redis.Redis, make_inspector: MakeInspector, counter: str
) -> None:
    inspector = make_inspector(collect_every_seconds=0.05)
    beat(redis_client, "mail", "w")
    redis_client.hset("mail:stats", counter, 7)
    first = inspector.overview().now
    wait_until(lambda: inspector.shell().now > first + 0.2, 20.0, "several passes have been made")
    assert inspector.overview().queues[0].rates is None
