"""Jobs that were finished when their worker ended, and not yet acknowledged: they do not run again."""

from __future__ import annotations

import json
import signal
import time

import pytest

from dashboard.queue.departure import Departure, Route
from dashboard.queue.heartbeat import heartbeats
from dashboard.queue.keys import SETTLED, worker_field
from dashboard.queue.scripts import Scripts
from dashboard.queue.slot import Slot, check_of
from tests.queue.running import (
    POLICY,
    Client,
    Q,
    attempts,
    held,
    ids,
    pending,
    push,
    ran,
    supervisor,
    workers,
)
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

W = b"w1"
A, B, C, D = (json.dumps({"id": name, "attempts": 0}).encode() for name in "abcd")


def test_S30_jobs_that_finished_just_before_one_that_outlasts_the_grace_are_acknowledged(
    each_server: ValkeyServer, each_client: Client
) -> None:
    push(each_client, "a", "b")
    push(each_client, "long", sleep=60)
    push(each_client, "d", "e")
    with supervisor(each_server.url, batch=4, grace_seconds=1) as process:
        wait_until(lambda: each_client.lrange("began", -1, -1) == [b"long"], 10, "the long one runs")
        # In its list still: it is acknowledged together with what comes next.
        assert [ids(raws) for raws in held(each_client).values()] == [["d", "long", "b", "a"]]
        asked_at = time.monotonic()
        process.signal(signal.SIGTERM)
        assert process.wait(8) == 0
        assert 1 <= time.monotonic() - asked_at < 6
    assert ran(each_client) == ["a", "b"]
    assert (ids(pending(each_client)), attempts(pending(each_client))) == (["long", "d", "e"], [0, 0, 0])
    assert (held(each_client), workers(each_client)) == ({}, set())
    assert each_client.hget(Q.stats, "acked") == b"2"
    assert not each_client.exists(Q.dead, Q.delayed)


def test_a_second_signal_in_a_batch_acknowledges_the_finished_and_gives_the_rest_back(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a")
    push(redis_client, "long", sleep=60)
    push(redis_client, "c")
    with supervisor(redis_url, batch=3, grace_seconds=60) as process:
        wait_until(lambda: redis_client.lrange("began", -1, -1) == [b"long"], 10, "the long one runs")
        process.signal(signal.SIGTERM)
        process.wait_for_output("a second signal ends it at once", 5)
        process.signal(signal.SIGTERM)
        assert process.wait(3) == 0
    assert (ran(redis_client), ids(pending(redis_client))) == (["a"], ["long", "c"])
    assert held(redis_client) == {}


class Gone:
    """A worker that ended with `listed` (oldest first) in its list, after settle number 7."""

    def __init__(self, client: Client, listed: list[bytes], *, done: list[bytes]) -> None:
        self.client = client
        (self.heartbeat,) = heartbeats([Q], W, "supervised")
        self.heartbeat.beat(Scripts(client))
        Scripts(client).settle(Q, W, 7, [], 0)
        client.lpush(Q.processing(W), *listed)
        self.slot.note_settled(7)
        for raw in done:
            self.slot.note_done(raw)

    @property
    def slot(self) -> Slot:
        return self.heartbeat.slot

    def see_off(self, route: Route = Route.LEFT) -> None:
        departure = Departure(self.heartbeat, route, "SIGKILL", block_seconds=0, defaults=POLICY)
        assert departure.attempt(self.client)
        before = self.client.lrange(Q.pending, 0, -1)
        assert departure.attempt(self.client), "a second time changes nothing"
        assert self.client.lrange(Q.pending, 0, -1) == before
        assert held(self.client) == {}
        assert workers(self.client) == set()


def test_the_oldest_are_acknowledged_and_the_others_given_back(redis_client: Client) -> None:
    Gone(redis_client, [A, B, C, D], done=[A, B]).see_off()
    assert pending(redis_client) == [C, D]
    assert redis_client.hget(Q.stats, "acked") == b"2"


def test_of_equal_jobs_as_many_are_acknowledged_as_are_finished(redis_client: Client) -> None:
    Gone(redis_client, [A, A, A], done=[A, A]).see_off()
    assert pending(redis_client) == [A]


def test_a_settle_whose_reply_never_came_is_not_made_twice(redis_client: Client) -> None:
    gone = Gone(redis_client, [A], done=[A])
    # It has acknowledged one copy and claimed its equal.
    redis_client.lpush(Q.pending, A)
    assert Scripts(redis_client).settle(Q, W, 8, [A], 1).raws == [A]
    gone.see_off()
    assert pending(redis_client) == [A]


@pytest.mark.parametrize("known", [None, b"6 1800000000.000", b"9 1800000000.000", b"no number"])
def test_where_the_server_knows_of_another_last_call_everything_is_given_back(
    redis_client: Client, known: bytes | None
) -> None:
    gone = Gone(redis_client, [A, B], done=[A])
    redis_client.hdel(Q.workers, worker_field(SETTLED, W))
    if known is not None:
        redis_client.hset(Q.workers, worker_field(SETTLED, W), known)
    gone.see_off()
    assert pending(redis_client) == [A, B]


def test_where_the_list_is_not_what_the_worker_held_everything_is_given_back(redis_client: Client) -> None:
    Gone(redis_client, [B, C], done=[A]).see_off()
    assert pending(redis_client) == [B, C]


def test_a_worker_that_crashed_is_not_believed(redis_client: Client) -> None:
    Gone(redis_client, [A, B], done=[A]).see_off(Route.CRASHED)
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["a", "b"], [1, 1])


@pytest.mark.parametrize(("is_certain", "counts"), [(True, [1, 0]), (False, [1, 1, 1])])
def test_the_running_job_of_an_overdue_worker_has_an_attempt_more(
    redis_client: Client, is_certain: bool, counts: list[int]
) -> None:
    gone = Gone(redis_client, [A, B, C], done=[A])
    if not is_certain:
        redis_client.hdel(Q.workers, worker_field(SETTLED, W))
    gone.see_off(Route.OVERDUE)
    assert ids(pending(redis_client)) == ["a", "b", "c"][-len(counts) :]
    assert attempts(pending(redis_client)) == counts


def test_the_checksum_is_of_all_bytes_in_their_order() -> None:
    slot = Slot()
    for raws in ([A, B], [C], [B, A]):
        slot.note_settled(1)
        for raw in raws:
            slot.note_done(raw)
        assert (slot.done_count, slot.done_check) == (len(raws), check_of(raws))
    assert check_of([A, B]) != check_of([B, A])
