"""A demo from its first line to its last: it comes up, heals, and leaves no process and no folder."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import Any

import redis

from tests.demo.running import RunningDemo
from tests.support.processes import PythonProcess, run_python, wait_until
from tests.support.server import free_port


def test_it_comes_up_serves_every_kind_of_page_and_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    with RunningDemo(tmp_path) as demo:
        assert len([line for line in demo.output().splitlines() if line.strip()]) == 2
        for path in ("", "demo/workers", "demo/q/mail", "demo/q/webhooks/dead", "demo/q/mail/delayed"):
            assert "<h1" in demo.page(path)
        assert "hooks.partner.example" in demo.page("demo/q/webhooks/dead")
        assert len(demo.processes()) > 10

        demo.signal(signal.SIGINT)
        assert demo.wait(15) == 0, demo.output()

        assert demo.processes() == {}
        assert list(tmp_path.iterdir()) == []


def test_a_sigkill_of_the_demo_leaves_nothing_either_frozen_workers_included(tmp_path: Path) -> None:
    with RunningDemo(tmp_path) as demo:
        for part in ("foreign_worker.py", "worker mail", "valkey-server"):
            frozen = one_of(demo.processes(), part)
            assert frozen, part
            os.kill(frozen, signal.SIGSTOP)

        demo.kill()

        wait_until(lambda: demo.processes() == {}, 10, "every process is gone")
        wait_until(lambda: list(tmp_path.iterdir()) == [], 10, "the folder is gone")


def test_what_dies_is_started_again_and_sigterm_leaves_a_given_server_as_it_was(
    tmp_path: Path, redis_client: redis.Redis, redis_url: str
) -> None:
    redis_client.lpush("orders:pending", "theirs")
    with RunningDemo(tmp_path, redis_url) as demo:
        assert redis_client.exists("webhooks:dead") == 1
        wait_until(lambda: redis_client.hlen("reports:heartbeats") == 3, 10, "three workers beat")
        before = demo.processes()
        killed = {part: one_of(before, part) for part in ("foreign_worker.py", "demo.feeder", "cli janitor")}
        names: Any = redis_client.hkeys("reports:heartbeats")

        for pid in killed.values():
            os.kill(pid, signal.SIGKILL)

        wait_until(lambda: redis_client.hlen("reports:heartbeats") == 4, 10, "a fourth name beats")
        wait_until(lambda: all(one_of(demo.processes(), part) for part in killed), 10, "all run again")
        assert set(killed.values()).isdisjoint(demo.processes())
        beats: Any = redis_client.hkeys("reports:heartbeats")
        assert set(names) < set(beats)

        demo.signal(signal.SIGTERM)
        assert demo.wait(15) == 0
        assert demo.processes() == {}

    left = {key for key in redis_client.scan_iter() if not key.startswith(b"watchkeeper:")}
    assert left == {b"orders:pending"}
    assert redis_client.smembers("watchkeeper:queues") == set()


def one_of(processes: dict[int, str], part: str) -> int:
    """The id of a process whose command line has this part, 0 when there is none."""
    return next((pid for pid, command in processes.items() if part in command), 0)


def test_without_its_server_the_demo_ends_with_a_sentence(tmp_path: Path) -> None:
    with RunningDemo(tmp_path) as demo:
        pid = one_of(demo.processes(), "valkey-server")
        assert pid

        os.kill(pid, signal.SIGKILL)

        assert demo.wait(15) == 1
        assert "The demo ends: the embedded Valkey ended." in demo.output()
        assert "Traceback" not in demo.output()
        assert demo.processes() == {}
        assert list(tmp_path.iterdir()) == []


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = run_python(
            *("-m", "dashboard.cli", "demo", "--no-open", "--port", str(taken.getsockname()[1])),
            env={"TMPDIR": str(tmp_path), "REDIS_URL": None},
        )

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert "cannot be used (Address already in use)" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_given_server_with_queues_of_these_names_is_refused_and_left_as_it_is(
    tmp_path: Path, redis_client: redis.Redis, redis_url: str
) -> None:
    redis_client.lpush("mail:pending", "theirs")

    with PythonProcess(
        *("-m", "dashboard.cli", "demo", "--no-open", "--port", str(free_port())),
        env={"TMPDIR": str(tmp_path), "REDIS_URL": redis_url},
    ) as demo:
        assert demo.wait(15) == 1
        assert "has keys of its own that the demo would use (mail:pending)" in demo.output()

    assert redis_client.keys() == [b"mail:pending"]
    assert redis_client.lrange("mail:pending", 0, -1) == [b"theirs"]
    assert list(tmp_path.iterdir()) == []


def test_a_given_server_that_is_away_is_one_sentence(tmp_path: Path) -> None:
    ran = run_python(
        *("-m", "dashboard.cli", "demo", "--no-open", "--port", str(free_port())),
        env={"TMPDIR": str(tmp_path), "REDIS_URL": f"redis://:hush@127.0.0.1:{free_port()}/0"},
    )

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert "hush" not in ran.stderr
    assert list(tmp_path.iterdir()) == []
