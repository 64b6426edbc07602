"""The trash: what was discarded, by whom, the latest first."""

from __future__ import annotations

from itertools import pairwise

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.address import Act
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import ODD_ENTRIES, job

Q = QueueKeys("mail")


def discard_all(client: redis.Redis, inspector: Inspector, place: str) -> None:
    scripts = Scripts(client)
    for row in inspector.jobs(b"mail", place).rows:
        scripts.discard(Q, row.address, Act("ann"), defaults=Policy(), trash_count=1_000)


@pytest.mark.parametrize("kind", ODD_ENTRIES)
def test_a_discarded_entry_of_any_bytes_is_a_row(
    redis_client: redis.Redis, inspector: Inspector, kind: str
) -> None:
    redis_client.rpush("mail:dead", ODD_ENTRIES[kind])
    shown = inspector.jobs(b"mail", "dead").rows[0]
    discard_all(redis_client, inspector, "dead")
    trash = inspector.trash(b"mail")
    assert trash.total_count == 1
    row = trash.rows[0]
    assert (row.row.id_text, row.row.length, row.row.mark) == (shown.id_text, shown.length, shown.mark)
    assert (row.place, row.by, row.due) == ("dead", "ann", None)
    assert row.at == pytest.approx(trash.now, abs=60)


def test_a_delayed_job_keeps_its_due_time_in_the_trash(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.zadd("mail:delayed", {job("1"): 1_790_000_000.5})
    discard_all(redis_client, inspector, "delayed")
    row = inspector.trash(b"mail").rows[0]
    assert (row.place, row.due) == ("delayed", 1_790_000_000.5)


@pytest.mark.parametrize("count", [0, 1, 10, 11, 20, 35])
def test_pages_by_id_show_each_entry_once_the_latest_first(
    redis_client: redis.Redis, make_inspector: MakeInspector, count: int
) -> None:
    redis_client.rpush("mail:pending", job("p"))
    for number in range(count):
        redis_client.xadd("mail:trash", {"raw": job(number), "place": "dead", "by": "ann", "at": "5"})
    inspector = make_inspector(page_size=10)
    pages = [inspector.trash(b"mail")]
    while pages[-1].page.following is not None:
        pages.append(inspector.trash(b"mail", pages[-1].page.following))
    shown = [int(row.row.id_text) for page in pages for row in page.rows]
    assert shown == list(reversed(range(count)))
    assert {page.total_count for page in pages} == {count}
    for before, after in pairwise(pages):
        assert after.page.previous is not None
        assert inspector.trash(b"mail", after.page.previous).rows == before.rows


def test_a_page_in_the_middle_stays_while_others_are_discarded(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    for number in range(25):
        redis_client.xadd("mail:trash", {"raw": job(number), "place": "dead"})
    inspector = make_inspector(page_size=10)
    second = inspector.trash(b"mail").page.following
    assert second is not None
    before = inspector.trash(b"mail", second).rows
    for number in range(5):
        redis_client.xadd("mail:trash", {"raw": job(f"new{number}"), "place": "dead"})
    assert inspector.trash(b"mail", second).rows == before


@pytest.mark.parametrize("position", ["x", "5", "1-2-3", "(5-1", "-", "9" * 40 + "-1"])
def test_a_position_that_is_none_shows_the_start(
    redis_client: redis.Redis, inspector: Inspector, position: str
) -> None:
    redis_client.xadd("mail:trash", {"raw": job("1"), "place": "dead"})
    assert len(inspector.trash(b"mail", position).rows) == 1


def test_a_trash_of_another_type_says_so(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", job("1"))
    redis_client.set("mail:trash", "x")
    trash = inspector.trash(b"mail")
    assert (trash.rows, trash.queue.depths.trash) == ((), None)
    assert trash.key_fault == "mail:trash is not a stream. Nothing in it was touched."
