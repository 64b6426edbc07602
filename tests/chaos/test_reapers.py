"""Many reapers at once, and one very long list: every job once, one attempt more, in bounded calls."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack

from dashboard.queue.liveness import Watch
from dashboard.queue.reaper import Reaper
from tests.queue.running import Client, Q, ids, janitor, pending
from tests.queue.test_reaper import PATIENT, now_of
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

LISTS, JOBS_A_LIST, REAPERS, KILLED = 1000, 3, 10, 4
LONG_LIST, CALL_JOBS, CALL_MS = 10_000, 100, 25


def job(name: str) -> str:
    return json.dumps({"id": name, "payload": {}, "attempts": 0})


def lay_down(client: Client, worker: bytes, names: list[str]) -> None:
    """A worker that holds these jobs, the first claimed first, and has been watched silent for long."""
    now = now_of(client)
    value = b"%d" % (now - 100)
    pipeline = client.pipeline(transaction=False)
    pipeline.lpush(Q.processing(worker), *(job(name) for name in names))
    pipeline.hset(Q.heartbeats, worker, value)
    pipeline.hset(Q.watch, worker, Watch(now - 100, now, value).to_bytes())
    pipeline.execute()


def test_S15_ten_reapers_on_1000_stale_lists_give_each_job_back_once_whoever_of_them_is_killed(
    each_server: ValkeyServer, each_client: Client
) -> None:
    names = [[f"{number}-{place}" for place in range(JOBS_A_LIST)] for number in range(LISTS)]
    for number, held in enumerate(names):
        lay_down(each_client, b"w%d" % number, held)
    with ExitStack() as stack:
        reapers = [stack.enter_context(janitor(each_server.url, "q")) for _ in range(REAPERS)]
        for killed in range(KILLED):
            wait_until(
                lambda killed=killed: each_client.llen(Q.pending) > killed * LISTS // 4,  # type: ignore[misc]
                60,
                f"jobs come back before kill {killed + 1}",
                every_seconds=0.005,
            )
            reapers.pop(0).kill()
        wait_until(lambda: not each_client.exists(Q.heartbeats), 60, "no stale worker is left")
        # What one reaper noted while another one reaped goes with the next sweep.
        wait_until(lambda: not each_client.exists(Q.watch), 20, "the watch is forgotten")
        assert all(one.is_running() for one in reapers)
    back = [json.loads(raw) for raw in pending(each_client)]
    assert Counter(one["id"] for one in back) == Counter(name for held in names for name in held)
    assert {one["attempts"] for one in back} == {1}
    assert list(each_client.scan_iter(b"q:processing:*")) == []
    assert not each_client.exists(Q.dead, Q.delayed)
    assert int(each_client.hget(Q.stats, "reaped")) == LISTS * JOBS_A_LIST
    assert each_client.xlen(Q.events) == LISTS


def test_S13_a_list_of_10000_jobs_is_given_back_in_bounded_calls_and_in_order(each_client: Client) -> None:
    names = [str(number) for number in range(LONG_LIST)]
    lay_down(each_client, b"w1", names)
    each_client.lpush(Q.pending, job("waits"))
    each_client.config_set("slowlog-log-slower-than", CALL_MS * 1000)
    each_client.slowlog_reset()
    swept = Reaper(each_client, Q, PATIENT).sweep(PATIENT)
    slow = [one for one in each_client.slowlog_get(LONG_LIST) if one["command"].startswith(b"EVAL")]
    assert (swept.moved_count, swept.reaped_count) == (LONG_LIST, 1)
    assert ids(pending(each_client)) == [*names, "waits"]
    told = [fields for _, fields in each_client.xrange(Q.events)]
    assert [int(fields[b"moved"]) for fields in told] == [CALL_JOBS] * (LONG_LIST // CALL_JOBS)
    # A call takes a few milliseconds; a busy machine may put the server aside in the middle of some.
    assert len(slow) < LONG_LIST // CALL_JOBS / 4
    assert not each_client.exists(Q.processing(b"w1"), Q.heartbeats)
