"""Pages of the four lists: order, paging from the stable end, lengths of that instant."""

from __future__ import annotations

from itertools import pairwise

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.inspector.snapshots import JobList
from dashboard.queue.job import digest
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import beat, hold, ids, job, server_now


def all_pages(inspector: Inspector, place: str) -> list[JobList]:
    pages = [inspector.jobs(b"mail", place)]
    while pages[-1].page.following is not None and len(pages) < 100:
        pages.append(inspector.jobs(b"mail", place, pages[-1].page.following))
    return pages


def fill(client: redis.Redis, place: str, count: int) -> list[bytes]:
    """Put jobs into a place, and return them in the order in which its pages should show them."""
    raws = [job(number) for number in range(count)]
    if place == "pending":
        client.lpush("mail:pending", *raws)
    elif place == "dead":
        client.rpush("mail:dead", *raws)
    elif place == "delayed":
        client.zadd("mail:delayed", {raw: 1_000_000_000 + at for at, raw in enumerate(raws)})
    else:
        client.lpush("mail:processing:w", *raws)
        beat(client, "mail", "w")
    return raws


@pytest.mark.parametrize("place", ["pending", "processing", "delayed", "dead"])
@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 35])
def test_the_union_of_pages_is_the_list_in_its_order(
    redis_client: redis.Redis, make_inspector: MakeInspector, place: str, count: int
) -> None:
    redis_client.hset("mail:policy", "managed", "1")
    raws = fill(redis_client, place, count) if count else []
    pages = all_pages(make_inspector(page_size=10), place)
    shown = [row.address.digest for page in pages for row in page.rows]
    assert shown == [digest(raw) for raw in raws]
    assert {page.total_count for page in pages} == {count}
    assert len(pages) == max(1, -(-count // 10))


@pytest.mark.parametrize("place", ["pending", "processing", "delayed", "dead"])
def test_going_back_shows_the_page_before(
    redis_client: redis.Redis, make_inspector: MakeInspector, place: str
) -> None:
    fill(redis_client, place, 35)
    inspector = make_inspector(page_size=10)
    pages = all_pages(inspector, place)
    assert pages[0].page.previous is None
    for before, after in pairwise(pages):
        assert after.page.previous is not None
        assert ids(inspector.jobs(b"mail", place, after.page.previous)) == ids(before)


@pytest.mark.parametrize("place", ["pending", "processing", "delayed", "dead"])
def test_rows_are_numbered_from_the_first_of_all(
    redis_client: redis.Redis, make_inspector: MakeInspector, place: str
) -> None:
    fill(redis_client, place, 25)
    pages = all_pages(make_inspector(page_size=10), place)
    assert [page.page.first_number for page in pages] == [1, 11, 21]


def test_newer_dead_jobs_do_not_shift_an_older_page(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    fill(redis_client, "dead", 30)
    inspector = make_inspector(page_size=10)
    second = inspector.jobs(b"mail", "dead").page.following
    assert second is not None
    before = ids(inspector.jobs(b"mail", "dead", second))
    redis_client.lpush("mail:dead", *[job(f"new-{number}") for number in range(7)])
    after = inspector.jobs(b"mail", "dead", second)
    assert ids(after) == before
    assert (after.page.first_number, after.total_count) == (18, 37)


def test_a_page_that_no_longer_exists_shows_the_start(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    inspector = make_inspector(page_size=10)
    for place in ("pending", "processing", "delayed", "dead"):
        fill(redis_client, place, 5)
        for position in ("40", "-3", "x", "9" * 30, "\u0661"):
            page = inspector.jobs(b"mail", place, position)
            assert len(page.rows) == 5, (place, position)
            assert page.page.at == ""


def test_equal_due_times_keep_one_order_over_pages(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    redis_client.zadd("mail:delayed", {job(number): 1e9 for number in range(120)})
    pages = all_pages(make_inspector(page_size=50), "delayed")
    shown = [row.id_text for page in pages for row in page.rows]
    assert sorted(shown, key=int) == [str(number) for number in range(120)]


def test_delayed_jobs_of_any_score_are_rows_and_the_late_ones_are_overdue(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    now = server_now(redis_client)
    scores = {"late": now - 600, "soon": now + 600, "inf": float("inf"), "neg": -1, "never": float("-inf")}
    redis_client.zadd("mail:delayed", {job(name): score for name, score in scores.items()})
    page = inspector.jobs(b"mail", "delayed")
    assert {row.id_text: row.overdue for row in page.rows} == {
        "never": True, "neg": True, "late": True, "soon": False, "inf": False,
    }  # fmt: skip
    assert page.queue.depths.overdue == 3


def test_equal_entries_are_rows_with_addresses_of_their_own(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:dead", *[job("same")] * 3)
    rows = inspector.jobs(b"mail", "dead").rows
    assert [row.address.hint for row in rows] == [2, 1, 0]
    assert len({row.address.text() for row in rows}) == 3


def test_the_newest_dead_job_bounds_a_retry_of_all_on_every_page(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    raws = fill(redis_client, "dead", 25)
    pages = all_pages(make_inspector(page_size=10), "dead")
    assert {page.newest_digest for page in pages} == {digest(raws[0])}


def test_processing_lists_every_workers_jobs_the_oldest_of_each_first(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    for worker in ("b", "a", "c"):
        hold(redis_client, "mail", worker, *[job(f"{worker}{number}") for number in range(4)])
        beat(redis_client, "mail", worker)
    pages = all_pages(make_inspector(page_size=5), "processing")
    shown = [(row.id_text, row.address.worker) for page in pages for row in page.rows]
    assert [name for name, _ in shown] == [f"{worker}{number}" for worker in "abc" for number in range(4)]
    assert all(name[0].encode() == worker for name, worker in shown)


def test_S46_every_length_is_that_of_the_instant(redis_client: redis.Redis, inspector: Inspector) -> None:
    for count in (1, 5, 3):
        redis_client.delete("mail:pending", "mail:dead", "mail:delayed")
        redis_client.rpush("mail:pending", *[job(number) for number in range(count)])
        redis_client.rpush("mail:dead", *[job(number) for number in range(2 * count)])
        redis_client.zadd("mail:delayed", {job(number): 1.0 for number in range(3 * count)})
        for depths in (
            inspector.overview().queues[0].depths,
            inspector.queue(b"mail").summary.depths,
            inspector.jobs(b"mail", "dead").queue.depths,
        ):
            figures = (depths.pending, depths.dead, depths.delayed, depths.overdue)
            assert figures == (count, 2 * count, 3 * count, 3 * count)


def test_a_long_list_is_counted_alike_on_page_and_overview(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    for _ in range(12):
        redis_client.rpush("mail:pending", *["1234"] * 10_000)
    redis_client.rpush("mail:pending", *["1234"] * 3_456)
    assert inspector.overview().queues[0].depths.pending == 123_456
    page = inspector.jobs(b"mail", "pending")
    assert (page.total_count, len(page.rows), ids(page)[0]) == (123_456, 50, "31 32 33 34")


def test_an_unknown_place_is_a_mistake_of_the_caller(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", "x")
    with pytest.raises(ValueError, match="no place"):
        inspector.jobs(b"mail", "failed")
