"""An explicit name is taken in every queue of a worker or in none."""

from __future__ import annotations

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import WorkerNameTaken
from dashboard.queue.worker import Worker
from tests.queue.running import POLICY, Client, held, push, ran, worker
from tests.queue.test_several_queues import QUEUES, nobody_holds, wait_for_job
from tests.support.processes import wait_until


def leave_job(client: Client, queue: str, job_id: str, *, beat_age_seconds: float) -> None:
    """Let w1, which is no more, hold a job under a heartbeat of that age."""
    push(client, job_id, queue=queue)
    client.lmove(f"{queue}:pending", f"{queue}:processing:w1", "RIGHT", "LEFT")
    client.hset(f"{queue}:heartbeats", "w1", int(client.time()[0] - beat_age_seconds))


def test_S20_a_live_twin_in_one_queue_refuses_the_name_and_nothing_is_stolen_in_the_other(
    redis_url: str, redis_client: Client
) -> None:
    # In high the name is dead, watched for long enough, and holds a job; in low somebody lives under it.
    leave_job(redis_client, "high", "old", beat_age_seconds=3600)
    now, beat = redis_client.time()[0], redis_client.hget("high:heartbeats", "w1")
    redis_client.hset("high:watch", "w1", b"%d.000 %d.000 %s" % (now - 100, now, beat))
    push(redis_client, "l", queue="low", sleep=60)
    with worker(redis_url, queue="low", name="w1"):
        wait_for_job(redis_client, "l", "low")
        before = [held(redis_client, queue) for queue in QUEUES]
        second = Worker(Connections.from_url(redis_url), QUEUES, print, name="w1", defaults=POLICY)
        with pytest.raises(WorkerNameTaken, match="Another worker named w1 beats in queue low"):
            second.run()
        assert [held(redis_client, queue) for queue in QUEUES] == before


def test_S19_a_worker_restarted_under_its_name_gets_its_old_jobs_of_both_queues_back_once(
    redis_url: str, redis_client: Client
) -> None:
    leave_job(redis_client, "high", "h", beat_age_seconds=3600)
    leave_job(redis_client, "low", "l", beat_age_seconds=0)
    with worker(redis_url, queue=list(QUEUES), name="w1"):
        # In either order: each queue waits for its own first beat.
        wait_until(lambda: sorted(ran(redis_client)) == ["h", "l"], 20, "both run again")
        wait_until(lambda: nobody_holds(redis_client), 5, "both are acknowledged")
    assert [redis_client.hget(f"{queue}:stats", "reaped") for queue in QUEUES] == [b"1", b"1"]
