"""Reap of one worker by hand."""

from __future__ import annotations

import json
import threading

import pytest
import redis

from dashboard.actions.workers import REAP_CHUNK
from dashboard.queue.answers import Code
from dashboard.queue.scripts import Scripts
from tests.actions.as_shown import MAIL, act_id, fill, ids, job
from tests.actions.before_after import changes, everything
from tests.actions.conftest import Acting

W1 = MAIL.processing(b"w1")


def silent_for(client: redis.Redis, seconds: int, worker: str = "w1") -> bytes:
    """Let the worker's last beat be that long ago; the value as a page would have shown it."""
    value = b"%d" % (client.time()[0] - seconds)
    client.hset(MAIL.heartbeats, worker, value)
    return value


def test_what_a_stale_worker_held_runs_next_and_is_written_down(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.pending, [job("waits", attempts=0)])
    fill(
        redis_client, W1, [job("first", attempts=0), job("last chance", attempts=3), job("third", attempts=1)]
    )
    seen = silent_for(redis_client, 600)
    before, act = everything(redis_client), act_id()

    outcome = acting("ann").reap(b"mail", b"w1", seen, act)

    changed = changes(before, everything(redis_client))
    assert json.loads(changed.pop(f"mail:acts:{act}"))["by"] == "ann"
    (event,) = changed.pop("mail:events")
    told = {b"event", b"worker", b"by", b"why", b"moved", b"dead"}
    assert {name: event[name] for name in told} == {
        b"event": b"reaped",
        b"worker": b"w1",
        b"by": b"ann",
        b"why": b"operator",
        b"moved": b"2",
        b"dead": b"1",
    }
    tombstone = json.loads(changed.pop("mail:workers")[b"t:w1"])
    assert (tombstone["state"], tombstone["by"], tombstone["held"]) == ("reaped", "ann", 3)
    assert changed == {
        "mail:pending": [
            job("waits", attempts=0),
            job("third", attempts=2),
            job("first", attempts=1),
        ],
        "mail:dead": [job("last chance", attempts=4)],
        "mail:processing:w1": None,
        "mail:heartbeats": None,
        "mail:stats": {b"reaped": b"2", b"dead": b"1"},
    }
    assert (outcome.moved_count, outcome.dead_count, outcome.left_count) == (2, 1, 0)
    (receipt,) = outcome.receipts
    assert (receipt.queue, receipt.worker, receipt.code) == (b"mail", b"w1", Code.REAPED)


def test_a_worker_that_beat_since_the_page_was_drawn_keeps_everything(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, W1, [job("running")])
    seen = silent_for(redis_client, 600)
    silent_for(redis_client, 0)
    before = everything(redis_client)

    outcome = acting().reap(b"mail", b"w1", seen, act_id())

    assert everything(redis_client) == before
    assert (outcome.moved_count, outcome.alive_count, outcome.receipts[0].code) == (0, 1, Code.ALIVE)


@pytest.mark.parametrize("age", [0, 10, 25])
def test_a_worker_under_the_threshold_cannot_be_reaped(
    redis_client: redis.Redis, acting: Acting, age: int
) -> None:
    fill(redis_client, W1, [job("running")])
    seen = silent_for(redis_client, age)
    before = everything(redis_client)

    assert acting().reap(b"mail", b"w1", seen, act_id()).alive_count == 1
    assert everything(redis_client) == before


@pytest.mark.parametrize("value", [b"nan", b"soon", b"1e20", b"1700000000000", b""])
def test_a_heartbeat_that_tells_no_time_is_not_enough(
    redis_client: redis.Redis, acting: Acting, value: bytes
) -> None:
    fill(redis_client, W1, [job("running")])
    redis_client.hset(MAIL.heartbeats, "w1", value)
    before = everything(redis_client)

    outcome = acting().reap(b"mail", b"w1", value, act_id())

    assert everything(redis_client) == before
    assert (outcome.alive_count, outcome.receipts[0].code) == (1, Code.WATCHED)


def test_a_heartbeat_that_tells_no_time_is_reaped_once_it_was_watched_for_the_threshold(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, W1, [job("held", attempts=0)])
    redis_client.hset(MAIL.heartbeats, "w1", "soon")
    now = redis_client.time()[0]
    redis_client.hset(MAIL.policy, "managed", "1")
    redis_client.hset(MAIL.watch, "w1", f"{now - 40} {now} soon")

    assert acting().reap(b"mail", b"w1", b"soon", act_id()).moved_count == 1
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == ["held"]


def test_a_list_without_a_heartbeat_is_reaped_by_hand(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, W1, [job("held", attempts=0)])

    outcome = acting().reap(b"mail", b"w1", None, act_id())

    assert (outcome.moved_count, outcome.alive_count) == (1, 0)
    assert redis_client.lrange(MAIL.pending, 0, -1) == [job("held", attempts=1)]
    assert not redis_client.exists(W1, MAIL.heartbeats)


def test_an_orphan_whose_owner_came_back_keeps_everything(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, W1, [job("running")])
    silent_for(redis_client, 600)
    before = everything(redis_client)

    assert acting().reap(b"mail", b"w1", None, act_id()).alive_count == 1
    assert everything(redis_client) == before


def test_a_second_click_moves_nothing_although_a_worker_of_that_name_went_stale_again(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, W1, [job("held")])
    seen, act = silent_for(redis_client, 600), act_id()
    acting("ann").reap(b"mail", b"w1", seen, act)
    fill(redis_client, W1, [job("another")])
    silent_for(redis_client, 600)
    before = everything(redis_client)

    outcome = acting("bob").reap(b"mail", b"w1", seen, act)

    assert everything(redis_client) == before
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.repeated.count, outcome.moved_count) == ("ann", 1, 0)


def test_a_long_list_is_reaped_in_several_calls_and_stays_in_order(
    redis_client: redis.Redis, acting: Acting
) -> None:
    count = 3 * REAP_CHUNK + 1
    fill(redis_client, W1, [job(number, attempts=0) for number in range(count)])

    outcome = acting().reap(b"mail", b"w1", silent_for(redis_client, 600), act_id())

    assert (outcome.moved_count, outcome.left_count) == (count, 0)
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == list(reversed(range(count)))
    assert len(redis_client.keys("mail:acts:*")) == 4


def test_two_operators_reap_one_worker_at_once_and_each_job_moves_once(
    redis_client: redis.Redis, acting: Acting
) -> None:
    count = 5 * REAP_CHUNK
    fill(redis_client, W1, [job(number, attempts=0) for number in range(count)])
    seen = silent_for(redis_client, 600)
    moved: list[int] = []

    def reap(name: str) -> None:
        moved.append(acting(name).reap(b"mail", b"w1", seen, act_id()).moved_count)

    threads = [threading.Thread(target=reap, args=(name,)) for name in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(moved) == count
    entries = redis_client.lrange(MAIL.pending, 0, -1)
    assert sorted(json.loads(entry)["id"] for entry in entries) == list(range(count))
    assert {json.loads(entry)["attempts"] for entry in entries} == {1}


def test_unreadable_jobs_go_to_dead_unchanged(redis_client: redis.Redis, acting: Acting) -> None:
    odd = [b"not json", b"", b"\xff\x00", b'{"attempts":"x"}']
    fill(redis_client, W1, [job("good", attempts=0), *odd])

    outcome = acting().reap(b"mail", b"w1", None, act_id())

    assert (outcome.moved_count, outcome.dead_count) == (1, 4)
    assert sorted(redis_client.lrange(MAIL.dead, 0, -1)) == sorted(odd)
    assert redis_client.lrange(MAIL.pending, 0, -1) == [job("good", attempts=1)]


def test_S14_a_zombie_that_wakes_after_the_reap_changes_nothing(
    redis_client: redis.Redis, acting: Acting
) -> None:
    raw = job("A", attempts=0)
    fill(redis_client, W1, [raw])
    acting().reap(b"mail", b"w1", silent_for(redis_client, 600), act_id())
    before = everything(redis_client)

    settled = Scripts(redis_client).settle(MAIL, b"w1", 1, [raw], 0)

    assert (settled.acked_count, settled.lost) == (0, [0])
    assert changes(before, everything(redis_client)).keys() <= {"mail:workers"}


def test_the_threshold_of_the_queue_counts(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.hset(MAIL.policy, mapping={"stale_after_seconds": "900", "beat_seconds": "5"})
    fill(redis_client, W1, [job("running")])

    assert acting().reap(b"mail", b"w1", silent_for(redis_client, 600), act_id()).alive_count == 1
    assert redis_client.llen(W1) == 1
