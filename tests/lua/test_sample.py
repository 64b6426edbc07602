"""sample: the figures of a queue, once in each bucket of time, in three resolutions."""

from __future__ import annotations

import pytest
import redis

from dashboard.queue.answers import Code, Sampled
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import dumps
from tests.support.standing_queue import NOW, furnish

SERIES = ["samples", "samples:60", "samples:900"]
KNOWN = {"held": 4, "alive": 1, "late": 0, "silent": 0, "stale": 1}
HOUR = 3600.0


def entries(client: redis.Redis, key: bytes) -> list[tuple[float, dict[str, str]]]:
    """Each entry's bucket in seconds, and its fields."""
    found: list[tuple[bytes, dict[bytes, bytes]]] = client.xrange(key)  # type: ignore[assignment]
    return [
        (
            int(entry_id.split(b"-")[0]) / 1000,
            {name.decode(): value.decode() for name, value in fields.items()},
        )
        for entry_id, fields in found
    ]


def buckets(client: redis.Redis, key: bytes) -> list[float]:
    return [bucket for bucket, _ in entries(client, key)]


def test_a_sample_holds_depths_workers_and_what_was_counted_so_far(
    client: redis.Redis, scripts: Scripts, look: Look, q: QueueKeys
) -> None:
    furnish(client)
    client.hset(q.stats, "reaped", 3)
    before = look()
    assert scripts.sample(q, KNOWN) == Sampled(Code.SAMPLED, 3)
    after = look()
    assert {part: value for part, value in after.items() if part not in SERIES} == before
    ((bucket, fields),) = entries(client, q.samples)
    assert bucket == NOW // 10 * 10
    assert fields == {
        "at": f"{NOW:.3f}", "pending": "3", "delayed": "2", "overdue": "1", "dead": "2",
        "held": "4", "alive": "1", "late": "0", "silent": "0", "stale": "1",
        "total_enqueued": "9", "total_duplicates": "0", "total_acked": "0", "total_failed": "0",
        "total_dead": "0", "total_reaped": "3", "total_released": "0", "total_promoted": "0",
        "total_retried": "0", "total_discarded": "0", "total_restored": "0",
    }  # fmt: skip
    assert entries(client, q.samples_by_minute) == [(NOW // 60 * 60, fields)]
    assert entries(client, q.samples_by_quarter) == [(NOW // 900 * 900, fields)]


def test_of_several_janitors_the_first_writes_a_bucket_and_the_others_change_nothing(
    client: redis.Redis, q: QueueKeys
) -> None:
    assert Scripts(client, now=1000.0).sample(q, {"held": 1}).count == 3
    before = dumps(client)
    assert Scripts(client, now=1009.9).sample(q, {"held": 2}) == Sampled(Code.SAMPLED, 0)
    assert dumps(client) == before
    assert Scripts(client, now=1010.0).sample(q, {"held": 3}).count == 1
    assert [fields["held"] for _, fields in entries(client, q.samples)] == ["1", "3"]


def test_the_coarser_streams_copy_the_first_sample_of_their_bucket_and_gaps_stay_gaps(
    client: redis.Redis, q: QueueKeys
) -> None:
    instants = [float(now) for now in (*range(900, 1000, 10), *range(1800, 1900, 10))]
    for now in instants:
        Scripts(client, now=now).sample(q, {})
    assert buckets(client, q.samples) == instants
    assert buckets(client, q.samples_by_minute) == [900, 960, 1800, 1860]
    assert buckets(client, q.samples_by_quarter) == [900, 1800]
    fine = dict(entries(client, q.samples))
    assert all(fine[at] == fields for at, fields in entries(client, q.samples_by_minute))


@pytest.mark.parametrize(
    ("part", "step", "kept"),
    [
        ("samples", 10, 2 * HOUR),
        ("samples_by_minute", 60, 24 * HOUR),
        ("samples_by_quarter", 900, 720 * HOUR),
    ],
)
def test_a_stream_keeps_its_time_and_little_more(
    client: redis.Redis, q: QueueKeys, part: str, step: int, kept: float
) -> None:
    steps = int(kept / step)
    for number in range(steps + 300):
        Scripts(client, now=1e9 + number * step).sample(q, KNOWN)
    stream = getattr(q, part)
    found = buckets(client, stream)
    assert found[-1] - found[0] >= kept
    # A stream is trimmed by whole nodes of a hundred entries at most.
    assert steps < len(found) <= steps + 101
    assert (client.memory_usage(stream) or 0) < 200 * len(found)


def test_a_clock_that_is_set_back_a_little_leaves_a_gap_and_one_that_was_far_ahead_begins_anew(
    client: redis.Redis, q: QueueKeys
) -> None:
    Scripts(client, now=100_000.0).sample(q, {})
    assert Scripts(client, now=99_000.0).sample(q, {}).count == 0
    assert buckets(client, q.samples) == [100_000]
    Scripts(client, now=100_000.0 + 365 * 24 * HOUR).sample(q, {})
    assert Scripts(client, now=100_020.0).sample(q, {}).count == 3
    assert buckets(client, q.samples) == [100_020]


@pytest.mark.parametrize("part", ["samples", "samples_by_minute", "samples_by_quarter"])
def test_a_stream_of_another_type_is_named_and_nothing_is_written(
    client: redis.Redis, scripts: Scripts, q: QueueKeys, part: str
) -> None:
    client.set(getattr(q, part), "mine")
    before = dumps(client)
    with pytest.raises(WrongKeyType) as caught:
        scripts.sample(q, KNOWN)
    assert (caught.value.key, caught.value.want) == (getattr(q, part), "stream")
    assert dumps(client) == before
