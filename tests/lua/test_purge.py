"""Purge: discarded jobs are removed for ever, one or the oldest ones."""

from typing import Any

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Purged, Repeat
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, TRASH_ID, answer_of_act, furnish

ANN = Act("ann", "act-1")


def fill(client: redis.Redis, q: QueueKeys, count: int, size: int = 1) -> list[str]:
    """Put entries into the trash; their ids."""
    ids: list[Any] = [client.xadd(q.trash, {"raw": b"x" * size, "n": n}) for n in range(count)]
    return [trash_id.decode() for trash_id in ids]


@pytest.mark.parametrize("trash_id", [TRASH_ID, ""], ids=["one", "the oldest"])
def test_an_entry_is_gone_and_told(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, trash_id: str
) -> None:
    furnish(client)
    before = look()
    assert scripts.purge(q, ANN, trash_id=trash_id) == Purged(Code.PURGED, 1, 0)
    assert look() == changed(
        before,
        {
            "trash": [],
            "events": [*before["events"], event("purged", by="ann", count=1)],
            "acts:act-1": answer_of_act("purged"),
        },
    )


@pytest.mark.parametrize("trash_id", [TRASH_ID, ""], ids=["one", "the oldest"])
def test_a_second_call_is_answered_by_the_act_or_finds_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, trash_id: str
) -> None:
    furnish(client)
    scripts.purge(q, ANN, trash_id=trash_id)
    between = look()
    repeat = Repeat(NOW, "ann", Code.PURGED, 1)
    assert scripts.purge(q, ANN, trash_id=trash_id) == Purged(Code.REPEATED, repeat=repeat)
    assert scripts.purge(q, Act("bob"), trash_id=trash_id) == Purged(Code.PURGED, 0, 0)
    assert look() == between


def test_one_entry_goes_and_its_neighbours_stay(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    ids = fill(client, q, 5)
    assert scripts.purge(q, ANN, trash_id=ids[2]) == Purged(Code.PURGED, 1, 4)
    left: Any = client.xrange(q.trash)
    assert [trash_id.decode() for trash_id, _ in left] == [*ids[:2], *ids[3:]]


def test_the_oldest_go_first_within_the_limit(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    ids = fill(client, q, 300)
    client.xdel(q.trash, ids[3])
    counts = [scripts.purge(q, Act("ann"), limit=120) for _ in range(4)]
    assert counts == [
        Purged(Code.PURGED, 120, 179),
        Purged(Code.PURGED, 120, 59),
        Purged(Code.PURGED, 59, 0),
        Purged(Code.PURGED, 0, 0),
    ]


def test_exactly_the_oldest_go(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    ids = fill(client, q, 10)
    scripts.purge(q, ANN, limit=4)
    left: Any = client.xrange(q.trash)
    assert [trash_id.decode() for trash_id, _ in left] == ids[4:]


@pytest.mark.parametrize("trash_id", ["x", "1-1", TRASH_ID.split("-")[0], "-", "99999999999999999999-1"])
def test_what_is_no_id_of_an_entry_purges_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, trash_id: str
) -> None:
    furnish(client)
    before = look()
    assert scripts.purge(q, Act("ann"), trash_id=trash_id) == Purged(Code.PURGED, 0, 1)
    assert look() == before


def test_a_trash_of_large_jobs_is_purged_without_reading_them(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    fill(client, q, 40, 500_000)
    assert scripts.purge(q, ANN, limit=30) == Purged(Code.PURGED, 30, 10)


def test_a_missing_trash_is_an_empty_one(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.purge(q, Act("ann")) == Purged(Code.PURGED, 0, 0)
    assert scripts.purge(q, Act("ann"), trash_id=TRASH_ID) == Purged(Code.PURGED, 0, 0)
    assert look() == {}
