"""A job's own page: where it is now, its exact bytes, or what became of it."""

from __future__ import annotations

import json

import pytest
import redis

from dashboard.inspector import Inspector, searching
from dashboard.queue.address import Act, Address
from dashboard.queue.answers import Code
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.inspector.jobs import ODD_ENTRIES, beat, hold, job

Q = QueueKeys("mail")


def address_in(inspector: Inspector, place: str, job_id: str) -> Address:
    return next(row.address for row in inspector.jobs(b"mail", place).rows if row.id_text == job_id)


def test_the_page_tells_everything_that_the_job_says(redis_client: redis.Redis, inspector: Inspector) -> None:
    raw = (
        b'{"error":"boom\\nline two","traceback":"Traceback\\n  at x","id":"x1",'
        b'"payload":{"n":12345678901234567890},"attempts":3,"extra":[1.10],"worker":"w"}'
    )
    redis_client.rpush("mail:dead", raw)
    view = inspector.job(b"mail", address_in(inspector, "dead", "x1"))
    assert view.row is not None
    assert (view.place, view.row.id_text, view.row.attempts, view.raw, view.cut) == (
        "dead",
        "x1",
        3,
        raw,
        False,
    )
    assert (view.error, view.traceback) == ("boom\nline two", "Traceback\n  at x")
    assert view.members == (("extra", "[1.10]"),)
    assert view.payload_pretty == '{\n  "n": 12345678901234567890\n}'
    assert '"n": 12345678901234567890' in view.pretty
    assert not view.moved


@pytest.mark.parametrize("place", ["pending", "delayed", "dead"])
def test_an_address_holds_while_others_come_and_go(
    redis_client: redis.Redis, inspector: Inspector, place: str
) -> None:
    def push(*ids: str) -> None:
        if place == "delayed":
            redis_client.zadd("mail:delayed", {job(one): 50 + len(one) for one in ids})
        else:
            redis_client.lpush(f"mail:{place}", *[job(one) for one in ids])

    push("a", "b", "c")
    address = address_in(inspector, place, "b")
    push("new", "newer")
    view = inspector.job(b"mail", address)
    assert view.row is not None
    assert (view.row.id_text, view.moved, view.place) == ("b", False, place)


def test_a_job_whose_bytes_changed_is_found_elsewhere_by_its_id(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:dead", job("a/b?c#é", attempts=4))
    address = inspector.jobs(b"mail", "dead").rows[0].address
    assert Scripts(redis_client).revive_one(Q, address, Act("ann")).code is Code.RETRIED
    view = inspector.job(b"mail", address, "a/b?c#é")
    assert view.row is not None
    assert (view.place, view.moved, view.row.attempts) == ("pending", True, 0)
    assert [event.verb for event in view.events] == ["retried"]


@pytest.mark.parametrize("place", ["pending", "delayed", "dead", "processing"])
def test_a_job_is_found_by_its_exact_bytes_where_nobody_knows_its_id(
    redis_client: redis.Redis, inspector: Inspector, place: str
) -> None:
    raw = ODD_ENTRIES["binary"]
    gone = Address("dead" if place != "dead" else "pending", len(raw), digest(raw), 4)
    if place == "delayed":
        redis_client.zadd("mail:delayed", {raw: 7})
    elif place == "processing":
        hold(redis_client, "mail", "w", raw)
        beat(redis_client, "mail", "w")
    else:
        redis_client.rpush(f"mail:{place}", raw)
    view = inspector.job(b"mail", gone)
    assert (view.place, view.moved, view.raw) == (place, True, raw)


@pytest.mark.parametrize(
    "job_id", ["plain", "a b", "été", "日本", 'q"uo\\te', "\u202e", 17, "x" * 250, "né-7"]
)
def test_an_id_of_any_signs_is_found_however_it_is_escaped(
    redis_client: redis.Redis, inspector: Inspector, job_id: object
) -> None:
    for stored in (job(job_id), json.dumps({"id": job_id, "payload": 1}, ensure_ascii=False).encode()):
        redis_client.delete("mail:pending")
        redis_client.rpush("mail:pending", job("other"), stored)
        shown = inspector.jobs(b"mail", "pending").rows[0].id_text
        view = inspector.job(b"mail", None, shown)
        assert (view.raw, view.search.complete) == (stored, True)


def test_an_id_is_compared_whole_and_not_as_part_of_a_text(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:pending", job("17", {"id": "7"}), job("77"), job("x", "7"))
    view = inspector.job(b"mail", None, "7")
    assert (view.place, view.search.looked_count, view.search.complete) == (None, 3, True)


def test_others_with_the_same_id_are_counted(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", job("dup", 1), job("dup", 2))
    redis_client.rpush("mail:dead", job("dup", 3))
    view = inspector.job(b"mail", None, "dup")
    assert (view.place, view.others_count) == ("dead", 2)


def test_a_search_that_stopped_early_says_how_far_it_looked(
    redis_client: redis.Redis, inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "ENTRIES_A_LIST", 200)
    redis_client.rpush("mail:pending", *[job(number) for number in range(1_000)])
    view = inspector.job(b"mail", None, "999")
    assert view.place is None
    assert (view.search.looked_count, view.search.total_count, view.search.complete) == (200, 1_000, False)


def test_case_13_a_job_that_is_gone_is_said_to_be_gone_with_what_happened_to_it(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:dead", job("a", attempts=4))
    address = inspector.jobs(b"mail", "dead").rows[0].address
    scripts = Scripts(redis_client)
    trash_id = scripts.discard(Q, address, Act("ann"), defaults=Policy(), trash_count=10).trash_id
    view = inspector.job(b"mail", address, "a")
    assert (view.address, view.place, view.row, view.raw, view.pretty) == (None, None, None, b"", "")
    assert [event.verb for event in view.events] == ["discarded"]
    assert ("by", "ann") in view.events[0].fields
    scripts.restore(Q, trash_id, Act("bob"))
    view = inspector.job(b"mail", address, "a")
    assert [event.verb for event in view.events] == ["restored", "discarded"]


def test_events_follow_a_job_through_its_changes_of_bytes(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.xadd("mail:events", {"event": "reaped", "jobs": "aa>bb", "worker": "w"})
    redis_client.xadd("mail:events", {"event": "retried", "jobs": f"xx>yy bb>{digest(job('a'))}"})
    redis_client.xadd("mail:events", {"event": "promoted", "jobs": "zz"})
    redis_client.rpush("mail:pending", job("a"))
    view = inspector.job(b"mail", None, "a")
    assert [event.verb for event in view.events] == ["retried", "reaped"]


def test_failures_and_the_promotion_between_them_are_one_story(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    scripts = Scripts(redis_client)
    first, second, last = job("a"), job("a", attempts=1), job("a", attempts=2, error="boom")
    hold(redis_client, "mail", "w", first)
    scripts.fail(Q, b"w", first, second, delay_ms=0, error="boom")
    scripts.promote_due(Q, act=Act("janitor"))
    scripts.claim(Q, b"w", 1)
    scripts.fail(Q, b"w", second, last, delay_ms=None, error="boom")
    events = inspector.job(b"mail", None, "a").events
    assert [event.verb for event in events] == ["dead", "promoted", "failed"]
    assert dict(events[0].fields) == {"worker": "w", "error": "boom"}


def test_a_large_job_is_shown_cut_and_downloaded_whole(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    raw = job("big", "A" * 1_000_000)
    redis_client.rpush("mail:dead", raw)
    address = inspector.jobs(b"mail", "dead").rows[0].address
    view = inspector.job(b"mail", address)
    assert (len(view.raw), view.cut) == (262_144, True)
    assert view.row is not None
    assert view.row.length == len(raw)
    assert inspector.raw_bytes(b"mail", address) == raw
    redis_client.delete("mail:dead")
    assert inspector.raw_bytes(b"mail", address) is None
