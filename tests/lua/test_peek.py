"""Peek: a page of a list or sorted set, with lengths, first bytes and digests; nothing is written."""

from typing import Any

import pytest
import redis

from dashboard.queue.answers import Entry, Peeked
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.standing_queue import NOW, furnish, job

RAWS = [job(f"{n}") for n in range(10)]


def entry(hint: int, raw: bytes, most: int = 2048, score: bytes | None = None) -> Entry:
    """What a page shows of one entry."""
    return Entry(hint, len(raw), raw[:most], digest(raw), score)


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, -1),
        (0, 2),
        (3, 3),
        (-3, -1),
        (-2, -2),
        (5, 99),
        (-99, 4),
        (9, 9),
        (4, 2),
        (10, 12),
        (-99, -98),
        (0, 0),
    ],
)
def test_a_page_of_a_list_is_what_lrange_gives_and_hints_count_from_the_right(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, start: int, stop: int
) -> None:
    client.lpush(q.dead, *RAWS)
    before = look()
    hints = {raw: hint for hint, raw in enumerate(RAWS)}
    wanted: Any = client.lrange(q.dead, start, stop)
    expected = [entry(hints[raw], raw) for raw in wanted]
    assert scripts.peek(q.dead, start, stop, 2048) == Peeked(10, expected)
    assert look() == before


@pytest.mark.parametrize(("start", "stop"), [(0, -1), (1, 1), (-2, -1), (-99, 99), (3, 2), (7, 9)])
def test_a_page_of_a_sorted_set_tells_ranks_and_scores(
    each_client: redis.Redis, q: QueueKeys, start: int, stop: int
) -> None:
    members = {b"a": float("-inf"), b"b": -1.5, b"c": 0.0, b"d": 1700000000.123, b"e": float("inf")}
    each_client.zadd(q.delayed, members)
    page = Scripts(each_client, now=NOW).peek(q.delayed, start, stop, 2048)
    names = list(members)
    wanted: Any = each_client.zrange(q.delayed, start, stop)
    assert page.total_count == 5
    assert [(e.hint, e.preview) for e in page.entries] == [(names.index(name), name) for name in wanted]
    assert [float(e.score or b"nan") for e in page.entries] == [members[name] for name in wanted]


def test_previews_are_cut_and_digests_are_of_the_whole(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    odd = [
        b"",
        b"\xff\x00" * 3000,
        "é".encode() * 2000,
        *(b"x" * n for n in (65_535, 65_536, 65_537, 1_048_576)),
    ]
    client.rpush(q.pending, *odd)
    expected = [entry(len(odd) - 1 - at, raw, 100) for at, raw in enumerate(odd)]
    assert scripts.peek(q.pending, 0, -1, 100).entries == expected
    assert [e.preview for e in scripts.peek(q.pending, 0, -1, 0).entries] == [b""] * len(odd)


def test_a_missing_key_is_an_empty_page(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.peek(q.pending, 0, -1, 100) == Peeked(0, [])
    assert look() == {}


@pytest.mark.parametrize(
    "sizes", [[10] * 300, [10] * 9 + [200_000] * 30, [200_000, 10] * 20], ids=["small", "late", "mixed"]
)
def test_a_page_is_whole_whatever_the_sizes(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, sizes: list[int]
) -> None:
    raws = [b"%05d" % at + b"x" * size for at, size in enumerate(sizes)]
    client.rpush(q.pending, *raws)
    page = scripts.peek(q.pending, 0, -1, 50)
    assert page == Peeked(len(raws), [entry(len(raws) - 1 - at, raw, 50) for at, raw in enumerate(raws)])


@pytest.mark.parametrize("kind", ["list", "zset"])
def test_what_lies_beyond_16_megabytes_is_listed_but_not_looked_at(
    redis_client: redis.Redis, q: QueueKeys, kind: str
) -> None:
    raws = [b"%02d" % at + b"x" * 4_194_304 for at in range(6)]
    for at, raw in enumerate(raws):
        redis_client.rpush(q.dead, raw) if kind == "list" else redis_client.zadd(q.dead, {raw: at})
    page = Scripts(redis_client, now=NOW).peek(q.dead, 0, -1, 2)
    assert [e.preview for e in page.entries] == [b"00", b"01", b"02", b"03", b"", b""]
    assert [e.length for e in page.entries] == [4_194_306] * 4 + [-1] * 2
    assert [e.hint for e in page.entries] == (list(range(5, -1, -1)) if kind == "list" else list(range(6)))
    scores = [b"0", b"1", b"2", b"3", b"nan", b"nan"]
    assert [e.score for e in page.entries] == ([None] * 6 if kind == "list" else scores)


def test_a_page_with_many_jobs_of_64_megabytes_reads_a_few_of_them_at_most(
    redis_client: redis.Redis, q: QueueKeys
) -> None:
    for raw in [b"small"] * 9 + [b"x" * 67_108_864] * 8 + [b"small"]:
        redis_client.rpush(q.dead, raw)
    lengths = [e.length for e in Scripts(redis_client, now=NOW).peek(q.dead, 0, -1, 2).entries]
    redis_client.delete(q.dead)
    assert lengths[:9] == [5] * 9
    assert 1 <= lengths.count(67_108_864) <= 4
    assert lengths[9 + lengths.count(67_108_864) :] == [-1] * (9 - lengths.count(67_108_864))


@pytest.mark.parametrize("kind", ["string", "hash", "set", "stream"])
def test_another_type_is_refused_by_name(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, kind: str
) -> None:
    put = {
        "string": ("SET", "v"),
        "hash": ("HSET", "f", "v"),
        "set": ("SADD", "v"),
        "stream": ("XADD", "*", "f", "v"),
    }
    command, *rest = put[kind]
    client.execute_command(command, q.dead, *rest)  # type: ignore[no-untyped-call]
    with pytest.raises(WrongKeyType) as caught:
        scripts.peek(q.dead, 0, -1, 10)
    assert (caught.value.key, caught.value.want, caught.value.got) == (q.dead, "list", kind)


def test_many_pages_come_in_one_trip_and_a_wrong_type_spoils_its_own_only(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    furnish(client)
    client.set(b"odd", "x")
    results = scripts.peek_many([(q.pending, 0, 0, 9), (b"odd", 0, -1, 9), (q.delayed, -1, -1, 9)])
    assert results[0].unwrap() == Peeked(3, [entry(2, job("p3"), 9)])
    with pytest.raises(WrongKeyType):
        results[1].unwrap()
    assert results[2].unwrap().entries[0].hint == 1
    client.script_flush()
    again = scripts.peek_many([(q.pending, 0, 0, 9), (q.dead, 0, 0, 9)])
    assert [page.unwrap().total_count for page in again] == [3, 2]
    assert scripts.peek_many([]) == []
