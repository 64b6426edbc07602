"""Anything in any key: every page stands, says what is odd, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import redis

from dashboard.inspector import Inspector
from tests.inspector.jobs import ODD_ENTRIES, beat, ids, job
from tests.support.keyspace import dumps

PARTS = ("pending", "delayed", "dead", "heartbeats", "policy", "workers", "watch", "events", "stats", "trash")

MAKERS: dict[str, Callable[[redis.Redis, str], object]] = {
    "string": lambda client, key: client.set(key, "odd"),
    "list": lambda client, key: client.rpush(key, "odd"),
    "hash": lambda client, key: client.hset(key, "odd", "odd"),
    "set": lambda client, key: client.sadd(key, "odd"),
    "zset": lambda client, key: client.zadd(key, {"odd": 1}),
    "stream": lambda client, key: client.xadd(key, {"odd": "odd"}),
}


def read_everything(inspector: Inspector, queue: bytes = b"mail") -> None:
    """Ask for every page of a queue, and follow every row of every list to its own page."""
    inspector.overview()
    inspector.shell()
    inspector.workers()
    inspector.stale_preview()
    inspector.workers(queue)
    inspector.trash(queue)
    view = inspector.queue(queue)
    for place, shown in view.lists.items():
        page = inspector.jobs(queue, place)
        assert ids(page)[:10] == ids(shown)
        for row in page.rows:
            found = inspector.job(queue, row.address, row.id_text)
            assert found.place == place
            assert found.pretty.encode() or not found.raw
            assert inspector.raw_bytes(queue, row.address) is not None
    for worker in view.workers.rows:
        inspector.reap_preview(queue, worker.name)


@pytest.mark.parametrize("kind", ODD_ENTRIES)
def test_an_odd_entry_in_every_list_breaks_no_page_beside_good_ones(
    redis_client: redis.Redis, inspector: Inspector, kind: str
) -> None:
    odd = ODD_ENTRIES[kind]
    for raw in (job("before"), odd, job("after")):
        redis_client.rpush("mail:pending", raw)
        redis_client.rpush("mail:dead", raw)
        redis_client.rpush("mail:processing:w", raw)
        redis_client.zadd("mail:delayed", {raw: 5})
    redis_client.xadd(
        "mail:trash", {"raw": odd, "place": "dead", "due": "", "worker": "", "by": "x", "at": "1"}
    )
    beat(redis_client, "mail", "w", ago=100)
    before = dumps(redis_client)
    read_everything(inspector)
    for place in ("pending", "processing", "delayed", "dead"):
        page = inspector.jobs(b"mail", place)
        assert page.total_count == len(page.rows) == 3
        assert {"before", "after"} <= set(ids(page))
    assert dumps(redis_client) == before


@pytest.mark.parametrize("part", [*PARTS, "processing:w"])
@pytest.mark.parametrize("made", MAKERS)
def test_a_key_of_any_type_in_any_place_spoils_its_own_figure_only(
    redis_client: redis.Redis, inspector: Inspector, part: str, made: str
) -> None:
    redis_client.rpush("mail:processing:good", job("held"))
    if part != "pending":
        redis_client.rpush("mail:pending", job("waits"))
    MAKERS[made](redis_client, f"mail:{part}")
    before = dumps(redis_client)
    read_everything(inspector)
    view = inspector.queue(b"mail")
    if part != "pending":
        assert view.summary.depths.pending == 1
    assert ids(view.lists["processing"])[-1] == "held" or part == "processing:w"
    assert dumps(redis_client) == before


@pytest.mark.parametrize(("part", "wrong"), [("pending", "hash"), ("dead", "zset"), ("delayed", "list")])
def test_a_list_of_the_wrong_type_says_so_and_the_others_are_shown(
    redis_client: redis.Redis, inspector: Inspector, part: str, wrong: str
) -> None:
    for other in {"pending", "dead"} - {part}:
        redis_client.rpush(f"mail:{other}", job("1"))
    redis_client.hset("mail:heartbeats", "w", 1)
    MAKERS[wrong](redis_client, f"mail:{part}")
    view = inspector.queue(b"mail")
    assert getattr(view.summary.depths, part) is None
    assert any(fault.startswith(f"{part} is not a") for fault in view.summary.faults)
    assert f"mail:{part} is not a" in view.lists[part].key_fault
    assert view.lists[part].rows == ()
    assert any(finding.code == "odd-key" for finding in inspector.overview().findings)


@pytest.mark.parametrize(
    "value",
    [
        *(b"", b"nan", b"inf", b"-inf", b"1e400", b"garbage", b"\xff\xfe", b"0x10", b"-5"),
        *(b"1790000000000", b"1_0", b" 12 ", b"9" * 400, "\u0661".encode()),
    ],
)
def test_a_heartbeat_of_any_value_is_a_worker_row(
    redis_client: redis.Redis, inspector: Inspector, value: bytes
) -> None:
    redis_client.hset("mail:heartbeats", "odd", value)
    redis_client.rpush("mail:processing:odd", job("held"))
    beat(redis_client, "mail", "fine")
    read_everything(inspector)
    rows = {row.name: row for row in inspector.workers(b"mail").rows}
    assert rows[b"fine"].state == "alive"
    assert rows[b"odd"].beat_value == value
    assert (rows[b"odd"].age_seconds or 0.0) >= 0.0


def test_records_that_make_no_sense_are_passed_over(redis_client: redis.Redis, inspector: Inspector) -> None:
    for number, record in enumerate(
        (b"", b"no", b"[]", b'{"pid":"x","host":7,"since":"soon"}', b"\xff", b"[" * 9_000)
    ):
        worker = b"w%d" % number
        beat(redis_client, "mail", worker)
        for kind in (b"i:", b"b:", b"t:", b"k:", b"s:"):
            redis_client.hset("mail:workers", kind + worker, record)
            redis_client.hset("mail:workers", kind + b"dead" + worker, record)
    for field in ("stale_after_seconds", "max_attempts", "reaping", "paused", "managed"):
        redis_client.hset("mail:policy", field, b"\xff nonsense")
    for field in ("enqueued", "acked", "promoted_at", "reaped_at", "dead"):
        redis_client.hset("mail:stats", field, "nonsense")
    redis_client.hset("mail:watch", "w1", "nonsense")
    redis_client.xadd("mail:events", {b"\xff": b"\xff", "jobs": "a>b>c  >"})
    redis_client.xadd("mail:trash", {b"\xff": b"\xff", "place": "nowhere", "at": "never"})
    read_everything(inspector)
    assert inspector.queue(b"mail").summary.policy.stale_after_seconds == 30.0
    assert inspector.queue(b"mail").summary.policy.faults


def test_sixty_entries_of_a_megabyte_travel_as_previews(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    for number in range(60):
        redis_client.rpush("mail:dead", job(f"big{number}", "A" * 1_000_000))
    inspector.jobs(b"mail", "dead")
    before = redis_client.info("stats")["total_net_output_bytes"]
    page = inspector.jobs(b"mail", "dead")
    grown = redis_client.info("stats")["total_net_output_bytes"] - before
    assert ids(page)[0] == "big0"
    assert page.rows[0].length > 1_000_000
    assert grown < 1_000_000
