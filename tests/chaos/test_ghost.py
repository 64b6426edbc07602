"""A child is killed while it waits for a job, and the server does not hear of it."""

from __future__ import annotations

import os
import signal

import pytest

from tests.queue.running import Client, Q, attempts, held, pid_of, push, ran, supervisor, workers
from tests.support.processes import state_of, wait_until
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer


def wait_for_idle(client: Client) -> bytes:
    """Wait for one worker whose claim is blocked; return its name."""
    wait_until(lambda: client.info("clients")["blocked_clients"] == 1, 10, "a claim waits")
    (name,) = workers(client)
    return bytes(name)


@pytest.mark.parametrize("block_seconds", [1, 20])
def test_S64_a_job_that_a_dead_childs_claim_still_takes_is_not_stranded(
    shared_server: ValkeyServer, redis_client: Client, block_seconds: int
) -> None:
    with Proxy(shared_server.port) as proxy:
        proxy.keeps_dead_connections = True
        with supervisor(proxy.url, runs_url=shared_server.url, block_seconds=block_seconds) as parent:
            name = wait_for_idle(redis_client)
            # The parent sleeps, so that the ghost surely gets the job before anybody cleans up.
            parent.freeze()
            os.kill(pid_of(name), signal.SIGKILL)
            wait_until(lambda: state_of(pid_of(name)) == "Z", 5, "the child is dead")
            push(redis_client, "a")
            wait_until(lambda: name in held(redis_client), 3, "the ghost took the job", every_seconds=0.005)
            parent.thaw()
            wait_until(lambda: ran(redis_client) == ["a"], 8, "the job runs")
            wait_until(lambda: name not in workers(redis_client), 5, "the dead child's heartbeat is gone")
            wait_until(lambda: held(redis_client) == {}, 5, "the job is acknowledged")
    assert not redis_client.exists(Q.pending, Q.delayed, Q.dead)


def test_S64_the_claim_of_a_dead_child_is_ended_before_it_takes_anything(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    with Proxy(shared_server.port) as proxy:
        proxy.keeps_dead_connections = True
        with supervisor(proxy.url, runs_url=shared_server.url, block_seconds=20) as parent:
            name = wait_for_idle(redis_client)
            os.kill(pid_of(name), signal.SIGKILL)
            wait_until(lambda: name not in workers(redis_client), 5, "the dead child is cleaned up")
            wait_for_idle(redis_client)
            push(redis_client, "a")
            wait_until(lambda: ran(redis_client) == ["a"], 5, "its successor runs the job")
            assert parent.is_running()
    assert redis_client.hget(Q.stats, "reaped") is None


def test_S64_where_connections_may_not_be_ended_the_block_time_is_waited_for(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    redis_client.execute_command(
        "ACL", "SETUSER", "meek", "on", ">pw", "~*", "&*", "+@all", "-client|kill", "-client|unblock"
    )
    try:
        with Proxy(shared_server.port) as proxy:
            proxy.keeps_dead_connections = True
            url = proxy.url.replace("redis://", "redis://meek:pw@")
            with supervisor(url, runs_url=shared_server.url, block_seconds=2) as parent:
                name = wait_for_idle(redis_client)
                parent.freeze()
                os.kill(pid_of(name), signal.SIGKILL)
                wait_until(lambda: state_of(pid_of(name)) == "Z", 5, "the child is dead")
                push(redis_client, "a")
                wait_until(lambda: redis_client.llen(Q.pending) == 0, 3, "the ghost took the job")
                parent.thaw()
                wait_until(lambda: ran(redis_client) == ["a"], 8, "the job runs")
                wait_until(lambda: name not in workers(redis_client), 8, "its heartbeat goes in the end")
        assert held(redis_client) == {}
        assert attempts(redis_client.lrange(Q.dead, 0, -1)) == []
    finally:
        redis_client.execute_command("ACL", "DELUSER", "meek")
