"""What a claim line makes of doubt: it looks before it repeats, and nobody claims behind its back."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from dashboard.queue import lua_source
from dashboard.queue.claim_line import ClaimLine
from dashboard.queue.connections import Connections
from dashboard.queue.job import Job
from dashboard.queue.slot import Slot
from dashboard.queue.steps import Steps
from tests.queue.loops import W, running
from tests.queue.running import Client, Q, attempts, held, ids, push
from tests.support.known_scripts import make_known
from tests.support.processes import wait_until
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer

FAIL = lua_source.load("fail").sha.encode()
BLOCK_SECONDS = 20.0
"""Longer than any wait of these tests: a claim that ends before was ended by somebody."""


@pytest.fixture(autouse=True)
def scripts_are_known(redis_client: Client) -> None:
    """What is lost is the reply to a call that happened."""
    make_known(redis_client)


def test_of_two_equal_jobs_one_that_failed_with_its_reply_lost_is_not_told_for_the_other(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    runs = []

    def first_fails(job: Job) -> None:
        runs.append(job.id)
        if len(runs) == 1:
            raise ValueError

    redis_client.lpush(Q.pending, *[b'{"id":"twin","attempts":0}'] * 2)
    with Proxy(shared_server.port) as proxy:
        proxy.lose_replies(to=FAIL, count=1)
        with running(proxy.url, first_fails, batch=2):
            wait_until(lambda: len(runs) == 2 and not held(redis_client), 10, "both have run")
        assert proxy.lost_count == 1
    members = redis_client.zrange(Q.delayed, 0, -1)
    assert (ids(members), attempts(members)) == (["twin"], [1])
    assert redis_client.llen(Q.pending) == redis_client.llen(Q.dead) == 0


def test_S62_a_claim_that_was_lost_is_ended_on_the_server_before_the_list_is_read(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    slot = Slot()
    with Proxy(shared_server.port) as proxy:
        line = ClaimLine(Connections.from_url(proxy.url), Q, W, slot, block_seconds=BLOCK_SECONDS)
        proxy.keeps_dead_connections = True
        brought: list[list[bytes]] = []
        thread = threading.Thread(target=lambda: brought.append(outcome(line.block(BLOCK_SECONDS))))
        thread.start()
        wait_until(lambda: is_blocked(redis_client, slot.client_id), 10, "it waits for a job")
        lost = slot.client_id
        cut(line)
        thread.join(10)
        assert not thread.is_alive()
        assert brought == [[]]
        assert lost not in [int(one["id"]) for one in redis_client.client_list()]
        push(redis_client, "a")
        assert not held(redis_client), "the lost claim took a job that nobody waits for"
        assert ids(outcome(line.block(1))) == ["a"]
        line.close()


def is_blocked(client: Client, client_id: int) -> bool:
    """Whether the server has that connection waiting for a job."""
    return any(int(one["id"]) == client_id and "b" in one["flags"] for one in client.client_list())


def cut(line: ClaimLine) -> None:
    """Take the connection away from under a claim, as a network does: only this side notices."""
    client: Any = line._client
    client.connection._sock.shutdown(socket.SHUT_RDWR)


def outcome(steps: Steps[list[bytes]]) -> list[bytes]:
    """Drive what may be held up to its end, without the pauses."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: list[bytes] = end.value
            return result
