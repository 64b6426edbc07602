"""The crew: replaces what dies, gives up on what will not live, signals nobody but its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from dashboard.demo.components import Component, DemoEnded, Guard
from dashboard.demo.crew import Crew
from tests.support.processes import state_of, wait_until

SLEEPS = "import time; time.sleep(600)"
DIES = "raise SystemExit('no such place')"


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[Guard]:
    """A guard that ends everything at the end of the test."""
    (tmp_path / "demo").mkdir()
    guard = Guard(tmp_path / "demo")
    yield guard
    guard.finish()


@pytest.fixture
def crew(guard: Guard, redis_client: redis.Redis, tmp_path: Path) -> Crew:
    """A crew whose dead workers are followed by ones that sleep, under the name heir."""
    return Crew(guard, redis_client, lambda dead: worker(tmp_path, dead.command[-1], b"heir"))


def worker(folder: Path, program: str, name: bytes = b"", queue: bytes = b"reports") -> Component:
    """A component of Python text; with a name it is one worker, without one a supervisor of the queue."""
    command = [sys.executable, "-c", program]
    return Component(
        "worker", command, dict(os.environ), folder / "log", folder, queue, name, pause_seconds=0
    )


def looked_after(crew: Crew) -> bool:
    """Let the crew replace its dead; true, so that a condition can begin with it."""
    crew.look_after()
    return True


def names(crew: Crew) -> list[bytes]:
    """The workers that may be signalled."""
    return [bytes.fromhex(one.worker) for one in crew.workers()]


def test_a_worker_that_was_killed_has_an_heir_under_another_name(crew: Crew, tmp_path: Path) -> None:
    crew.hire(worker(tmp_path, SLEEPS, b"box-1"))
    assert names(crew) == [b"box-1"]

    assert crew.send(b"box-1", signal.SIGKILL)

    wait_until(lambda: looked_after(crew) and names(crew) == [b"heir"], 10, "the heir runs")
    assert not crew.send(b"box-1", signal.SIGKILL)


def test_a_worker_that_dies_young_again_and_again_ends_the_demo(crew: Crew, tmp_path: Path) -> None:
    crew.hire(worker(tmp_path, DIES, b"box-1"))

    with pytest.raises(DemoEnded, match=r"ended 6 times within a minute.*no such place"):
        wait_until(lambda: not looked_after(crew), 30, "the demo gives up")


def test_freeze_is_seen_and_thaw_ends_it(crew: Crew, tmp_path: Path) -> None:
    crew.hire(worker(tmp_path, SLEEPS, b"box-1"))

    crew.send(b"box-1", signal.SIGSTOP)
    wait_until(lambda: [one.frozen for one in crew.workers()] == [True], 5, "it is frozen")
    crew.send(b"box-1", signal.SIGCONT)
    wait_until(lambda: [one.frozen for one in crew.workers()] == [False], 5, "it runs")


def test_a_process_that_redis_names_and_the_demo_did_not_start_is_never_signalled(
    crew: Crew, redis_client: redis.Redis, tmp_path: Path
) -> None:
    supervisor = worker(tmp_path, SLEEPS, queue=b"mail")
    crew.hire(supervisor)
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        for name, pid in (("ours", supervisor.session), ("theirs", stranger.pid), ("init", 1)):
            redis_client.hset("mail:workers", f"i:{name}", json.dumps({"pid": pid}))
        redis_client.hset("mail:workers", "i:odd", b"\xff no json")

        assert names(crew) == [b"ours"]
        assert not crew.send(b"theirs", signal.SIGKILL)
        assert not crew.send(b"init", signal.SIGKILL)
        assert state_of(stranger.pid) == "S"
    finally:
        stranger.kill()
        stranger.wait()


def test_redis_away_leaves_the_workers_that_the_demo_knows_by_itself(guard: Guard, tmp_path: Path) -> None:
    nobody = redis.Redis(port=1, socket_timeout=1)
    crew = Crew(guard, nobody, lambda dead: dead)
    crew.hire(worker(tmp_path, SLEEPS, queue=b"mail"))
    crew.hire(worker(tmp_path, SLEEPS, b"box-1"))

    assert names(crew) == [b"box-1"]
