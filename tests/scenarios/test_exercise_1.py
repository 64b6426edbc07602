"""The lesson's first exercise: one job in 500 raises, three failures mean dead, and the counts add up."""

from __future__ import annotations

import json
from collections import defaultdict

from tests.queue.running import QUICK, Client, Q, attempts, held, ids, janitor, push, supervisor
from tests.support.processes import wait_until

JOBS = 2000
FAILURES = 3
HANDLER = "tests.scenarios.handlers:one_in_500_raises"


def test_exercise_1_one_job_in_500_is_dead_after_three_failures_with_growing_pauses_and_all_others_ran_once(
    redis_url: str, redis_client: Client
) -> None:
    # Dead after three failures: two attempts may fail and be tried again.
    redis_client.hset(Q.policy, mapping=QUICK | {"max_attempts": FAILURES - 1})
    push(redis_client, *(str(number) for number in range(JOBS)))
    poisons = {str(number) for number in range(0, JOBS, 500)}
    with (
        supervisor(redis_url, handler=HANDLER, processes=2, batch=10) as process,
        janitor(redis_url, "q"),
    ):
        wait_until(lambda: redis_client.llen(Q.dead) == len(poisons), 40, "the poisons are dead")
        wait_until(lambda: not held(redis_client) and not redis_client.llen(Q.pending), 20, "all is done")
        assert process.is_running()
    dead = redis_client.lrange(Q.dead, 0, -1)
    assert set(ids(dead)) == poisons
    assert attempts(dead) == [FAILURES] * len(poisons)
    assert all(json.loads(raw)["error"] == "ValueError: one in 500" for raw in dead)
    done = [one.decode() for one in redis_client.lrange("ran", 0, -1)]
    assert len(done) == JOBS - len(poisons)
    assert set(done) == {str(number) for number in range(JOBS)} - poisons
    assert not redis_client.exists(Q.pending, Q.delayed)
    stats = redis_client.hgetall(Q.stats)
    assert (int(stats[b"acked"]), int(stats[b"failed"]), int(stats[b"dead"])) == (
        JOBS - len(poisons),
        FAILURES * len(poisons),
        len(poisons),
    )
    tries = defaultdict(list)
    for entry in redis_client.lrange("tried", 0, -1):
        name, at = entry.decode().split()
        tries[name].append(float(at))
    assert set(tries) == poisons
    for times in tries.values():
        first, second, third = times
        # A second, then four, and up to a quarter more by chance; a janitor comes about once a second.
        assert 1 <= second - first <= 1.25 + 8
        assert 4 <= third - second <= 5 + 8
    assert len({round(times[2] - times[1], 3) for times in tries.values()}) > 1, "not in step"


def test_exercise_1_a_job_that_ends_its_worker_is_dead_after_its_allowed_runs_while_the_others_flow(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.hset(Q.policy, mapping=QUICK | {"max_attempts": FAILURES - 1})
    push(redis_client, *(f"a{number}" for number in range(50)))
    push(redis_client, "poison", signal="SIGKILL")
    push(redis_client, *(f"b{number}" for number in range(50)))
    with supervisor(redis_url, processes=2) as process:
        wait_until(lambda: redis_client.llen(Q.dead) == 1, 20, "the poison is dead")
        wait_until(lambda: redis_client.llen("ran") == 100 and not held(redis_client), 20, "the others ran")
        assert process.is_running()
    assert attempts(redis_client.lrange(Q.dead, 0, -1)) == [FAILURES]
    began = [one.decode() for one in redis_client.lrange("began", 0, -1)]
    assert began.count("poison") == FAILURES
    assert len(began) == 100 + FAILURES
    assert not redis_client.exists(Q.pending, Q.delayed)
