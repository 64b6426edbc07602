"""Locate: where one exact entry stands now, and its bytes; nothing is written."""

import pytest
import redis

from dashboard.queue.answers import Entry
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.lua.test_promote import score_of
from tests.support.standing_queue import NOW, W1, address, furnish, job


@pytest.mark.parametrize("hint", [0, 1, 2, 60])
@pytest.mark.parametrize(("place", "raw", "now_at"), [("pending", job("p2"), 1), ("dead", job("x2", 4), 1)])
def test_an_entry_of_a_list_is_found_wherever_the_hint_says(
    scripts: Scripts,
    client: redis.Redis,
    q: QueueKeys,
    look: Look,
    hint: int,
    place: str,
    raw: bytes,
    now_at: int,
) -> None:
    furnish(client)
    before = look()
    found = scripts.locate(getattr(q, place), address(raw, place, hint), 7)
    assert found == Entry(now_at, len(raw), raw[:7], digest(raw))
    assert look() == before


def test_an_entry_of_a_workers_list_is_found(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    furnish(client)
    raw = job("a2", 3)
    found = scripts.locate(q.processing(W1), address(raw, "processing", 0, worker=W1), 10_000)
    assert found == Entry(1, len(raw), raw, digest(raw))


def test_a_delayed_entry_is_found_by_its_score(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    furnish(client)
    raw = job("d2", 1)
    score = score_of(client, q, raw)
    found = scripts.locate(q.delayed, address(raw, "delayed", 44, score), 10_000)
    assert found == Entry(1, len(raw), raw, digest(raw), score)


def test_what_is_gone_or_other_is_not_found(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    furnish(client)
    assert scripts.locate(q.dead, address(job("never"), "dead", 0), 10) is None
    assert scripts.locate(q.dead, address(job("x1", 5), "dead", 0), 10) is None
    assert scripts.locate(q.delayed, address(job("d1", 1), "delayed", 0, b"5"), 10) is None
    assert scripts.locate(b"nothing", address(b"", "dead", 0), 10) is None


def test_an_empty_job_is_a_job(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.lpush(q.dead, b"", b"x")
    assert scripts.locate(q.dead, address(b"", "dead", 0), 10) == Entry(0, 0, b"", digest(b""))
    client.zadd(q.delayed, {b"": NOW})
    score = score_of(client, q, b"")
    assert scripts.locate(q.delayed, address(b"", "delayed", 0, score), 10) == Entry(
        0, 0, b"", digest(b""), score
    )


def test_one_of_many_members_of_one_score_is_found_by_rank_or_among_the_first_thousand(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.zadd(q.delayed, {b"%05d" % n: 5 for n in range(3000)})
    for raw, hint, is_found in [(b"00999", 0, True), (b"02500", 2500, True), (b"02500", 7, False)]:
        found = scripts.locate(q.delayed, address(raw, "delayed", hint, b"5"), 10)
        assert (found is not None) == is_found


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 1_048_576])
def test_python_and_the_server_make_the_same_digest(
    each_client: redis.Redis, q: QueueKeys, length: int
) -> None:
    raw = bytes(range(256)) * (length // 256) + b"\x00" * (length % 256)
    assert len(raw) == length
    each_client.lpush(q.dead, raw)
    found = Scripts(each_client).locate(q.dead, address(raw, "dead", 0), length)
    assert found == Entry(0, length, raw, digest(raw))
