"""A child dies under its supervisor: its job runs again within a second, on both servers."""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.queue.running import Client, Q, attempts, held, holder_of, pid_of, push, supervisor
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

REDONE_SECONDS = 1.0


@pytest.mark.parametrize("processes", [1, 2])
def test_S10_the_job_of_a_killed_child_runs_again_within_a_second(
    each_server: ValkeyServer, each_client: Client, processes: int
) -> None:
    with supervisor(each_server.url, processes=processes):
        push(each_client, "warm")
        wait_until(lambda: each_client.llen("ran") == 1, 30, "the children work")
        push(each_client, "a", sleep=3)
        wait_until(lambda: each_client.llen("began") == 2, 30, "the job runs", every_seconds=0.005)
        victim = holder_of(each_client, "a") or b""
        os.kill(pid_of(victim), signal.SIGKILL)
        killed_at = time.monotonic()
        wait_until(lambda: each_client.llen("began") == 3, 20, "it runs again", every_seconds=0.005)
        assert time.monotonic() - killed_at < REDONE_SECONDS
        heir = holder_of(each_client, "a") or b""
        assert heir not in (b"", victim)
        assert attempts(held(each_client)[heir]) == [1]
        wait_until(lambda: each_client.llen("ran") == 2, 20, "it is done")
        wait_until(lambda: not held(each_client), 10, "nothing is held")
    assert each_client.lrange("began", 0, -1) == [b"warm", b"a", b"a"]
    assert not each_client.exists(Q.pending, Q.delayed, Q.dead)
