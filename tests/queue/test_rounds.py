"""What must not stop the beats of a supervisor's children, nor those of an embedded worker."""

from __future__ import annotations

import signal

import pytest

from tests.queue.running import Client, Q, pid_of, push, ran, supervisor, worker, workers
from tests.support.processes import state_of, wait_until


def beats(client: Client) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = client.hgetall(Q.heartbeats)
    return found


def test_a_list_of_another_type_holds_up_the_beats_of_no_sibling(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url, processes=3) as process:
        wait_until(lambda: len(workers(redis_client)) == 3, 15, "three children are beaten for")
        first, *others = sorted(workers(redis_client), key=pid_of)
        redis_client.set(Q.processing(first), "of another type")
        before = beats(redis_client)
        wait_until(
            lambda: all(beats(redis_client)[name] > before[name] for name in others), 10, "siblings beat on"
        )
        push(redis_client, "a")
        wait_until(lambda: ran(redis_client) == ["a"], 10, "a sibling runs the job")
        redis_client.delete(Q.processing(first))
        wait_until(lambda: beats(redis_client)[first] > before[first], 10, "it beats again")
        process.signal(signal.SIGTERM)
        assert process.wait(15) == 0
    assert workers(redis_client) == set()


@pytest.mark.parametrize("start", [supervisor, worker], ids=["supervised", "embedded"])
def test_a_policy_that_was_immense_for_a_while_leaves_a_worker_that_beats(
    redis_url: str, redis_client: Client, start: type
) -> None:
    redis_client.hset(Q.policy, mapping={"stale_after_seconds": "1e300", "beat_seconds": "1e299"})
    with start(redis_url) as process:
        wait_until(lambda: workers(redis_client), 10, "it beats")
        before = beats(redis_client)
        redis_client.delete(Q.policy)
        wait_until(
            lambda: all(value > before[name] for name, value in beats(redis_client).items()), 20,
            "it goes by the new policy",
        )  # fmt: skip
        push(redis_client, "a")
        wait_until(lambda: ran(redis_client) == ["a"], 10, "it runs a job")
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_a_child_whose_job_closed_its_pipes_leaves_and_is_replaced(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url) as process:
        (name,) = wait_until(lambda: workers(redis_client), 10, "a child is beaten for")
        push(redis_client, "a", close=1)
        push(redis_client, "b", "c")
        wait_until(lambda: sorted(set(ran(redis_client))) == ["a", "b", "c"], 20, "all run")
        process.kill()
        wait_until(lambda: not workers(redis_client), 20, "nobody is left")
        wait_until(lambda: state_of(pid_of(name)) == "", 10, "the process has ended")
    assert redis_client.llen(Q.pending) == 0
