"""What pages cost: at most three round trips, and 20 commands with four more for each row shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
import redis

from dashboard.inspector import Inspector
from tests.inspector.conftest import MakeInspector
from tests.inspector.counting import commands, counting_client, trips
from tests.inspector.jobs import job, server_now
from tests.support.server import ValkeyServer

SELDOM = 3_600.0
"""An interval that keeps the collector's own passes out of what is measured."""


@pytest.fixture(scope="module")
def furnished() -> Iterator[ValkeyServer]:
    """A server with six queues that have some of everything; tests only read it."""
    with ValkeyServer() as server:
        client = server.client()
        now = int(server_now(client))
        pipe = client.pipeline(transaction=False)
        for number in range(6):
            queue = f"q{number}"
            pipe.rpush(f"{queue}:pending", *[job(at) for at in range(200)])
            pipe.rpush(f"{queue}:dead", *[job(at) for at in range(200)])
            pipe.zadd(f"{queue}:delayed", {job(at): 5 for at in range(200)})
            for at in range(30):
                pipe.hset(f"{queue}:heartbeats", f"w{at}", now - 100 * (at % 2))
                pipe.rpush(f"{queue}:processing:w{at}", job(at), job(at))
            for at in range(120):
                pipe.xadd(f"{queue}:trash", {"raw": job(at), "place": "dead", "by": "x", "at": "1"})
        pipe.execute()
        yield server


@pytest.fixture(scope="module")
def warm(furnished: ValkeyServer) -> Iterator[Inspector]:
    """An inspector over it, its collector warm and its scripts known."""
    inspector = Inspector(counting_client(furnished), collect_every_seconds=SELDOM)
    for read in PAGES.values():
        read(inspector)
    inspector.job(b"q1", None, "77")
    yield inspector
    inspector.close()


PAGES: dict[str, Callable[[Inspector], object]] = {
    "overview": lambda inspector: inspector.overview(),
    "shell": lambda inspector: inspector.shell(),
    "workers": lambda inspector: inspector.workers(),
    "stale workers": lambda inspector: inspector.workers(None, "silent"),
    "workers of a queue": lambda inspector: inspector.workers(b"q1"),
    "queue": lambda inspector: inspector.queue(b"q1"),
    "pending": lambda inspector: inspector.jobs(b"q1", "pending"),
    "processing": lambda inspector: inspector.jobs(b"q1", "processing"),
    "delayed": lambda inspector: inspector.jobs(b"q1", "delayed"),
    "dead": lambda inspector: inspector.jobs(b"q1", "dead"),
    "an older page of dead": lambda inspector: inspector.jobs(b"q1", "dead", "120"),
    "trash": lambda inspector: inspector.trash(b"q1"),
    "a job that is there": lambda inspector: inspector.job(
        b"q1", inspector.jobs(b"q1", "dead").rows[3].address, ""
    ),
    "reap preview": lambda inspector: inspector.reap_preview(b"q1", b"w1"),
    "stale preview": lambda inspector: inspector.stale_preview(),
}
ROWS = {
    "overview": 6, "shell": 0, "workers": 50, "stale workers": 50, "workers of a queue": 30, "queue": 50,
    "trash": 50, "a job that is there": 50, "reap preview": 2, "stale preview": 0,
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_takes_at_most_three_round_trips(warm: Inspector, page: str) -> None:
    most = 4 if page == "a job that is there" else 3  # its list is read first, to know an address
    assert trips(lambda: PAGES[page](warm)) <= most


def test_a_job_looked_for_by_its_id_takes_three_round_trips(warm: Inspector) -> None:
    assert trips(lambda: warm.job(b"q1", None, "77")) <= 3
    assert trips(lambda: warm.job(b"q1", None, "nowhere")) <= 2


@pytest.mark.parametrize("page", PAGES)
def test_a_page_takes_twenty_commands_and_four_a_row(
    furnished: ValkeyServer, warm: Inspector, page: str
) -> None:
    assert commands(furnished.client(), lambda: PAGES[page](warm)) <= 20 + 4 * ROWS.get(page, 50)


def test_the_frame_around_a_page_costs_no_round_trip_while_the_collector_is_warm(warm: Inspector) -> None:
    warm.overview()
    assert trips(warm.shell) <= 1


def test_an_overview_of_fifty_queues_and_ten_thousand_workers_is_cheap(
    valkey_server: ValkeyServer, redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    now = int(server_now(redis_client))
    pipe = redis_client.pipeline(transaction=False)
    for number in range(50):
        pipe.hset(f"q{number}:heartbeats", mapping={f"host:{at}:ab12": now for at in range(200)})
        for at in range(200):
            pipe.rpush(f"q{number}:processing:host:{at}:ab12", b'{"id":1}')
        pipe.rpush(f"q{number}:pending", job(1))
    pipe.execute()
    inspector = make_inspector(counting_client(valkey_server), collect_every_seconds=SELDOM)
    inspector.overview()
    assert trips(inspector.overview) <= 3
    assert commands(redis_client, inspector.overview) <= 20 + 4 * 50
    costs = []
    for _ in range(5):
        before = time.thread_time()
        view = inspector.overview()
        costs.append(time.thread_time() - before)
    assert (len(view.queues), view.worker_total) == (50, 10_000)
    assert min(costs) < 0.03, "about 5 ms on an idle machine"


def test_the_length_of_a_list_changes_no_cost(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(collect_every_seconds=SELDOM)
    redis_client.rpush("mail:pending", *[b"{}"] * 100)
    redis_client.rpush("long:pending", *[b"{}"] * 50_000)
    inspector.jobs(b"mail", "pending")
    short = commands(redis_client, lambda: inspector.jobs(b"mail", "pending"))
    assert commands(redis_client, lambda: inspector.jobs(b"long", "pending")) <= short
