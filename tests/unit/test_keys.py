"""Keys of a queue: one spelling, names of any bytes, and no name that could be another queue's key."""

import re

import pytest
import redis

from dashboard.queue.errors import BadName, ReservedName
from dashboard.queue.keys import (
    NAME_BYTES_MAX,
    REGISTRY,
    RESERVED_SEGMENTS,
    QueueKeys,
    check_worker_name,
    default_worker_name,
    has_reserved_segment,
    one_segment,
    scan_pattern,
    split_key,
    worker_field,
)

ODD_NAMES = [
    b"{mail}",
    b"a*b?c[d]e",
    b"a b",
    b'"',
    b"'",
    b"\\",
    b"\\*",
    b"a:b",
    b"\xff\x00\n",
    "日本".encode(),
    b"[",
    b"]",
]


def test_the_keys_of_the_wire_contract() -> None:
    q = QueueKeys("mail")
    assert q.queue == b"mail"
    assert (q.pending, q.heartbeats, q.delayed, q.dead) == (
        b"mail:pending", b"mail:heartbeats", b"mail:delayed", b"mail:dead",
    )  # fmt: skip
    assert q.processing(b"host:1:ab") == b"mail:processing:host:1:ab"


def test_our_own_keys_end_in_reserved_segments() -> None:
    q = QueueKeys(b"mail")
    own = [q.policy, q.workers, q.watch, q.events, q.stats, q.samples, q.trash, q.act("1"), q.op("1")]
    assert own == [
        b"mail:policy", b"mail:workers", b"mail:watch", b"mail:events", b"mail:stats", b"mail:samples",
        b"mail:trash", b"mail:acts:1", b"mail:op:1",
    ]  # fmt: skip
    assert {key.split(b":")[1] for key in own} <= RESERVED_SEGMENTS
    assert REGISTRY == b"watchkeeper:queues"


@pytest.mark.parametrize("name", ODD_NAMES)
def test_S47_names_with_any_bytes_work(name: bytes) -> None:
    assert QueueKeys(name).pending == name + b":pending"
    assert check_worker_name(name) == name


@pytest.mark.parametrize("segment", sorted(RESERVED_SEGMENTS))
def test_S47_reserved_segments_are_refused(segment: bytes) -> None:
    for name in (segment, b"a:" + segment, segment + b":a", b"a:" + segment + b":b"):
        with pytest.raises(ReservedName, match="Choose another name"):
            QueueKeys(name)
        with pytest.raises(ReservedName):
            check_worker_name(name)
        found = QueueKeys.found(name)
        assert found.ambiguous
        assert found.dead == name + b":dead"
    assert not QueueKeys(segment + b"s!").ambiguous
    assert not QueueKeys(b"my-" + segment).ambiguous


@pytest.mark.parametrize(("name", "length"), [(b"", 0), (b"x" * 201, 201), ("é" * 101, 202)])
def test_empty_and_long_names_are_refused(name: bytes | str, length: int) -> None:
    with pytest.raises(BadName, match=f"1 to {NAME_BYTES_MAX} bytes; this one has {length}"):
        QueueKeys(name)
    with pytest.raises(BadName, match=f"this one has {length}"):
        check_worker_name(name)


def test_text_is_utf_8_and_undecodable_bytes_survive() -> None:
    assert QueueKeys("é").pending == "é:pending".encode()
    assert QueueKeys(b"a\xff".decode("utf-8", "surrogateescape")).queue == b"a\xff"


def test_the_longest_name_is_allowed() -> None:
    assert QueueKeys(b"x" * 200).queue == b"x" * 200


def test_default_worker_names_are_fresh_and_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {default_worker_name(5) for _ in range(50)}
    assert len(names) > 40
    assert all(re.fullmatch(rb"[^:\s]+:5:[0-9a-f]{4}", name) for name in names)
    for host in ["dead", "processing", "a:b c", "", "x" * 400, "\udcff"]:
        monkeypatch.setattr("socket.gethostname", lambda host=host: host)
        assert check_worker_name(default_worker_name())


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        (b"mail:pending", (b"mail", b"pending", None)),
        (b"mail:dead", (b"mail", b"dead", None)),
        (b"mail:delayed", (b"mail", b"delayed", None)),
        (b"mail:heartbeats", (b"mail", b"heartbeats", None)),
        (b"a:b:pending", (b"a:b", b"pending", None)),
        (b"mail:processing:w", (b"mail", b"processing", b"w")),
        (b"mail:processing:h:1:ab", (b"mail", b"processing", b"h:1:ab")),
        (b"mail:processing:x:processing:y", (b"mail", b"processing", b"x:processing:y")),
        (b"mail:processing:x:dead", (b"mail", b"processing", b"x:dead")),
        (b"\xff\x00:pending", (b"\xff\x00", b"pending", None)),
        (b":pending", None),
        (b"pending", None),
        (b"mail:pending2", None),
        (b"mail:processing", None),
        (b"mail:processing:", None),
        (b":processing:w", None),
        (b"mail:policy", None),
        (b"", None),
    ],
)
def test_a_key_is_split_by_its_exact_shape(
    key: bytes, parts: tuple[bytes, bytes, bytes | None] | None
) -> None:
    assert split_key(key) == parts


def test_every_key_that_is_listed_splits_back() -> None:
    for name in ODD_NAMES:
        q = QueueKeys(name)
        for part in (b"pending", b"dead", b"delayed", b"heartbeats"):
            assert split_key(getattr(q, part.decode())) == (name, part, None)
        assert split_key(q.processing(name)) == (name, b"processing", name)


def test_reserved_segments_are_whole_ones() -> None:
    assert has_reserved_segment(b"a:dead")
    assert not has_reserved_segment(b"a:dead2:undead")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_S47_the_pattern_of_a_scan_matches_one_queue_only(redis_client: redis.Redis, name: bytes) -> None:
    q = QueueKeys(name)
    for other in [*ODD_NAMES, b"aXbXcXdXe", b"aXbYcde", b"axb"]:
        redis_client.lpush(other + b":processing:w", "1")
    assert list(redis_client.scan_iter(match=scan_pattern(name), count=1000)) == [q.processing(b"w")]


def test_fields_of_workers_are_a_prefix_and_the_name() -> None:
    assert worker_field(b"k:", b"a b\xff") == b"k:a b\xff"


def test_a_dedup_key_or_job_id_of_any_bytes_is_one_segment_that_names_no_other_queue() -> None:
    q = QueueKeys("{mail}")
    assert q.dedup(b"order-7") == b"{mail}:dedup:order-7"
    assert q.once(b"a b/\xff") == b"{mail}:once:a b/\xff"
    texts = [b"a:b", b"a%3Ab", b"a%3A:b", b"%", b"%25", *RESERVED_SEGMENTS, b"%70ending", b"x:pending"]
    texts += [b"", b"x" * NAME_BYTES_MAX, b"x" * (NAME_BYTES_MAX + 1), b"y" * 1_000_000]
    segments = [one_segment(text) for text in texts]
    assert len(set(segments)) == len(texts)
    for text, segment in zip(texts, segments, strict=True):
        assert len(segment) <= 3 * NAME_BYTES_MAX
        assert not has_reserved_segment(segment)
        assert len(q.dedup(text).split(b":")) == 3
        assert split_key(q.dedup(text)) is None
