"""Retry of all dead jobs: what was there when the page was drawn, oldest first."""

from __future__ import annotations

import threading
import time

import pytest
import redis

from dashboard.actions.bulk import RETRY_CHUNK
from dashboard.actions.outcome import Outcome
from dashboard.actions.refusals import Refused
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.job import digest
from tests.actions.as_shown import MAIL, act_id, fill, ids, job, row
from tests.actions.before_after import changes, everything
from tests.actions.conftest import Acting

BAD = b"not json"


def test_all_dead_jobs_go_behind_what_waits_oldest_first(redis_client: redis.Redis, acting: Acting) -> None:
    count = 2 * RETRY_CHUNK + 7
    fill(redis_client, MAIL.pending, [job("waits", attempts=0)])
    fill(redis_client, MAIL.dead, [job(number) for number in range(count)])
    before = everything(redis_client)
    act = act_id()

    outcome = acting("ann").retry_all(b"mail", count, digest(job(count - 1)), act)

    changed = changes(before, everything(redis_client))
    assert ids(changed.pop("mail:pending")) == [*reversed(range(count)), "waits"]
    events = changed.pop("mail:events")
    assert [event[b"count"] for event in events] == [b"%d" % RETRY_CHUNK, b"%d" % RETRY_CHUNK, b"7"]
    assert {event[b"by"] for event in events} == {b"ann"}
    for acted in (act, f"{act}.1", f"{act}.2"):
        assert changed.pop(f"mail:acts:{acted}")
    assert changed == {"mail:dead": None, "mail:stats": {b"retried": b"%d" % count}}
    assert (outcome.moved_count, outcome.left_count, outcome.newer_count) == (count, 0, 0)


def test_a_second_click_is_answered_with_the_first_act(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [job(1), job(2)])
    act = act_id()
    acting("ann").retry_all(b"mail", 2, digest(job(2)), act)
    fill(redis_client, MAIL.dead, [job(3), job(2)])
    before = everything(redis_client)

    outcome = acting("bob").retry_all(b"mail", 2, digest(job(2)), act)

    assert everything(redis_client) == before
    assert (outcome.moved_count, outcome.repeated_count) == (0, 1)
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.repeated.code, outcome.repeated.count) == ("ann", Code.RETRIED, 2)


def test_later_arrivals_are_left_out_and_counted(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [job(1), job(2), job(3), job("newer"), job("newest")])

    outcome = acting().retry_all(b"mail", 3, digest(job(3)), act_id())

    assert (outcome.moved_count, outcome.newer_count) == (3, 2)
    assert ids(redis_client.lrange(MAIL.dead, 0, -1)) == ["newest", "newer"]


@pytest.mark.parametrize("bound", [1, 2, 4])
def test_a_list_that_changed_since_it_was_drawn_is_refused(
    redis_client: redis.Redis, acting: Acting, bound: int
) -> None:
    fill(redis_client, MAIL.dead, [job(1), job(2), job(3)])
    before = everything(redis_client)

    with pytest.raises(Refused, match=r"dead list of mail changed .*: look again") as refusal:
        acting().retry_all(b"mail", bound, digest(job(3)), act_id())
    assert refusal.value.status == 409
    assert everything(redis_client) == before


def test_unreadable_jobs_stay_in_their_order_and_are_counted(
    redis_client: redis.Redis, acting: Acting
) -> None:
    odd = {0, 1, 50, 51, 52, RETRY_CHUNK - 1, RETRY_CHUNK, 2 * RETRY_CHUNK, 2 * RETRY_CHUNK + 3}
    count = 2 * RETRY_CHUNK + 4
    jobs = [BAD + b"%d" % number if number in odd else job(number) for number in range(count)]
    fill(redis_client, MAIL.dead, jobs)

    outcome = acting().retry_all(b"mail", count, digest(jobs[-1]), act_id())

    assert (outcome.moved_count, outcome.unreadable_count) == (count - len(odd), len(odd))
    assert (outcome.left_count, outcome.newer_count) == (0, 0)
    assert redis_client.lrange(MAIL.dead, 0, -1) == [jobs[number] for number in sorted(odd, reverse=True)]
    good = [number for number in reversed(range(count)) if number not in odd]
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == good


def test_a_list_of_unreadable_jobs_only_is_left_as_it_is(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [BAD] * 700)

    outcome = acting().retry_all(b"mail", 700, digest(BAD), act_id())

    assert (outcome.moved_count, outcome.unreadable_count) == (0, 700)
    assert redis_client.lrange(MAIL.dead, 0, -1) == [BAD] * 700
    assert not redis_client.exists(MAIL.pending)


def test_jobs_that_arrive_meanwhile_are_neither_lost_nor_doubled_nor_moved(
    redis_client: redis.Redis, acting: Acting
) -> None:
    count = 20_000
    fill(redis_client, MAIL.dead, [job(number) for number in range(count)])
    started, over = threading.Event(), threading.Event()
    arrived: list[bytes] = []

    def push() -> None:
        while not over.is_set():
            arrived.append(job(f"new{len(arrived)}"))
            redis_client.lpush(MAIL.dead, arrived[-1])
            started.set()
            time.sleep(0.0005)

    pusher = threading.Thread(target=push)
    newest = digest(job(count - 1))
    pusher.start()
    assert started.wait(10)
    outcome = acting().retry_all(b"mail", count, newest, act_id())
    over.set()
    pusher.join()

    assert outcome.moved_count == count
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == list(reversed(range(count)))
    assert redis_client.lrange(MAIL.dead, 0, -1) == arrived[::-1]
    assert 0 < outcome.newer_count <= len(arrived)


def test_single_acts_of_others_inside_the_set_do_not_let_newer_jobs_in(
    redis_client: redis.Redis, acting: Acting
) -> None:
    count = 10 * RETRY_CHUNK
    jobs = [job(number) for number in range(count)]
    fill(redis_client, MAIL.dead, jobs)
    picked = row(redis_client, "dead", jobs[count - 5])
    discarded = row(redis_client, "dead", jobs[count - 9])
    outcomes: list[Outcome] = []

    def interfere(_: int) -> None:
        if not outcomes:
            redis_client.lpush(MAIL.dead, job("newer 1"), job("newer 2"))
            outcomes.append(acting("bob").retry(b"mail", [picked]))
            outcomes.append(acting("bob").discard(b"mail", [discarded]))

    outcome = acting("ann").retry_all(b"mail", count, digest(jobs[-1]), act_id(), progress=interfere)

    assert [one.moved_count for one in outcomes] == [1, 1]
    assert (outcome.moved_count, outcome.left_count, outcome.newer_count) == (count - 2, 0, 2)
    assert ids(redis_client.lrange(MAIL.dead, 0, -1)) == ["newer 2", "newer 1"]
    moved = ids(redis_client.lrange(MAIL.pending, 0, -1))
    assert sorted(map(str, moved)) == sorted(str(number) for number in range(count) if number != count - 9)


def test_when_the_newest_of_the_set_is_taken_away_the_rest_is_left_and_said(
    redis_client: redis.Redis, acting: Acting
) -> None:
    count = 3 * RETRY_CHUNK
    fill(redis_client, MAIL.dead, [job(number) for number in range(count)])

    def interfere(_: int) -> None:
        redis_client.lrem(MAIL.dead, 1, job(count - 1).decode())

    outcome = acting().retry_all(b"mail", count, digest(job(count - 1)), act_id(), progress=interfere)

    assert (outcome.moved_count, outcome.left_count) == (RETRY_CHUNK, 2 * RETRY_CHUNK - 1)
    assert redis_client.llen(MAIL.dead) == 2 * RETRY_CHUNK - 1


def test_case_59_a_hundred_thousand_jobs_go_in_short_calls(redis_client: redis.Redis, acting: Acting) -> None:
    count = 100_000
    for start in range(0, count, 5000):
        fill(redis_client, MAIL.dead, [job(f"b{n}", payload="x" * 200) for n in range(start, start + 5000)])
    waits: list[float] = []
    over = threading.Event()

    def ping() -> None:
        while not over.is_set():
            started = time.perf_counter()
            redis_client.ping()
            waits.append(time.perf_counter() - started)
            time.sleep(0.005)

    pinger = threading.Thread(target=ping)
    pinger.start()
    outcome = acting().retry_all(b"mail", count, digest(job(f"b{count - 1}", payload="x" * 200)), act_id())
    over.set()
    pinger.join()

    assert outcome.moved_count == count == redis_client.llen(MAIL.pending)
    assert redis_client.llen(MAIL.dead) == 0
    assert outcome.elapsed_seconds < 5
    assert sorted(waits)[len(waits) // 2] < 0.1


@pytest.mark.parametrize("key", [MAIL.pending, MAIL.dead])
def test_a_key_of_another_type_is_named_and_nothing_moves(
    redis_client: redis.Redis, acting: Acting, key: bytes
) -> None:
    fill(redis_client, MAIL.dead, [job(1)])
    redis_client.delete(key)
    redis_client.hset(key, "a", "b")
    before = everything(redis_client)

    with pytest.raises(WrongKeyType, match=key.decode()):
        acting().retry_all(b"mail", 1, digest(job(1)), act_id())
    assert everything(redis_client) == before


@pytest.mark.parametrize(("bound", "newest"), [(-1, "a" * 40), (1, ""), (3, "")])
def test_a_form_that_does_not_say_what_it_means_is_refused(
    redis_client: redis.Redis, acting: Acting, bound: int, newest: str
) -> None:
    fill(redis_client, MAIL.dead, [job(1)])
    before = everything(redis_client)

    with pytest.raises(Refused) as refusal:
        acting().retry_all(b"mail", bound, newest, act_id())
    assert refusal.value.status == 422
    assert everything(redis_client) == before


def test_an_empty_list_is_an_act_that_does_nothing(redis_client: redis.Redis, acting: Acting) -> None:
    outcome = acting().retry_all(b"mail", 0, "", act_id())

    assert (outcome.moved_count, outcome.left_count, outcome.newer_count) == (0, 0, 0)
    assert everything(redis_client) == {}
