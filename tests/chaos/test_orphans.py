"""Children whose supervisor is killed leave nothing behind, whatever instant it was."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from dashboard.queue.keys import INSTANCE
from tests.chaos.crew import Crew
from tests.queue.running import QUICK, Client, Q, held, pid_of, push, wait_for_holder, workers
from tests.support.processes import PythonProcess, state_of, wait_until

ROUNDS = 4


def test_idle_and_busy_children_of_a_killed_supervisor_retire(
    tmp_path: Path, redis_url: str, redis_client: Client
) -> None:
    with Crew(tmp_path, url=redis_url, queue="q", policy=QUICK) as crew:
        for _ in range(ROUNDS):
            parent = crew.add("supervisor", processes=4).process
            wait_until(lambda: len(workers(redis_client)) == 4, 20, "all children are beaten for")
            push(redis_client, *map(str, range(20)), ms=30)
            wait_until(lambda: redis_client.llen(Q.pending) < 15, 10, "they work")
            crew.kill(parent.pid, "supervisor")
            wait_until(lambda: not crew.pids("child"), 10, "its children have left")
            assert (workers(redis_client), held(redis_client)) == (set(), {})
            redis_client.delete(Q.pending)


@pytest.mark.parametrize("nth", [1, 2])
def test_a_child_that_was_beaten_for_and_never_began_retires(
    tmp_path: Path, redis_url: str, redis_client: Client, nth: int
) -> None:
    with Crew(tmp_path, url=redis_url, queue="q", policy=QUICK) as crew:
        parent = crew.add("supervisor", processes=2, point="after:beat", nth=nth).process
        wait_until(lambda: not parent.is_running(), 20, "the supervisor ended itself after a beat")
        wait_until(lambda: not crew.pids("child"), 10, "its children have left")
        assert parent.returncode == -9
    assert workers(redis_client) == set()


def test_an_orphan_beats_under_its_own_process_id(
    tmp_path: Path, redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", ms=3000)
    with Crew(tmp_path, url=redis_url, queue="q", policy=QUICK) as crew:
        parent = crew.add("supervisor").process
        name = wait_for_holder(redis_client, "a")
        wait_until(lambda: redis_client.hexists(Q.workers, INSTANCE + name), 5, "it was told of")
        redis_client.hdel(Q.workers, INSTANCE + name)
        crew.kill(parent.pid, "supervisor")
        wait_until(lambda: redis_client.hexists(Q.workers, INSTANCE + name), 5, "it beats for itself")
        told = json.loads(redis_client.hget(Q.workers, INSTANCE + name))
    assert told["pid"] == pid_of(name) != parent.pid
    seconds, _ = redis_client.time()
    assert abs(seconds - told["started_at"]) < 30


def test_a_child_whose_parent_died_before_it_could_read_its_orders_retires(
    redis_url: str, redis_client: Client
) -> None:
    with PythonProcess("-m", "tests.chaos.forsaking", redis_url) as parent:
        assert parent.wait(30) == 0
        pid = int(parent.output())
        assert len(workers(redis_client)) == 1
        os.kill(pid, signal.SIGCONT)
        wait_until(lambda: state_of(pid) in ("", "Z", "X"), 10, "the child has left")
    assert workers(redis_client) == set()
