"""The job codec: what is written, what is read, what is refused, and members that are put in byte by byte."""

import json
import math
from collections import Counter

import pytest

from dashboard.queue.errors import UnreadableJob
from dashboard.queue.job import bump, decode, digest, encode, new_id, set_attempts, shown_id, splice
from tests.support.counter_oracle import Pairs, read
from tests.support.odd_jobs import odd_jobs


def test_a_new_job_ends_with_its_counter() -> None:
    raw = encode("1", {"to": "é"}, name="send", enqueued_at=1.23456, extra={"trace": [1]})
    assert raw == (
        rb'{"id":"1","name":"send","enqueued_at":1.235,"trace":[1],"payload":{"to":"\u00e9"},"attempts":0}'
    )
    assert encode(7, None, enqueued_at=0) == b'{"id":7,"enqueued_at":0,"payload":null,"attempts":0}'


def test_a_job_is_read_with_every_member() -> None:
    raw = b'{"id":12345678901234567890,"payload":[],"attempts":2,"x":0.1}'
    job = decode(raw)
    assert (job.id, job.payload, job.attempts, job.raw) == (12345678901234567890, [], 2, raw)
    assert job.members == {"id": 12345678901234567890, "payload": [], "attempts": 2, "x": 0.1}
    assert decode(encode("é\ud800", "p")).id == "é\ud800"


def test_what_is_absent_is_none_and_no_attempts_are_nought() -> None:
    job = decode(b"\xef\xbb\xbf { } ")
    assert (job.id, job.payload, job.attempts, job.members) == (None, None, 0, {})


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "it is not JSON"),
        (b"not json", "it is not JSON"),
        (b"\xff\x00", "it is not JSON"),
        (b'{"id":"\xff"}', "it is not JSON"),
        (b'{"id":1} x', "it is not JSON"),
        (b'{"n":%s}' % (b"9" * 5000), "it is not JSON"),
        (b"[]", "it is JSON, but not an object"),
        (b"null", "it is JSON, but not an object"),
        (b'"attempts"', "it is JSON, but not an object"),
        (b'{"attempts":"1"}', "its attempts are no whole number"),
        (b'{"attempts":true}', "its attempts are no whole number"),
        (b'{"attempts":1.0}', "its attempts are no whole number"),
        (b'{"attempts":1,"attempts":null}', "its attempts are no whole number"),
        (b'{"p":%s%s}' % (b"[" * 100_000, b"]" * 100_000), "its JSON is nested too deeply"),
    ],
)
def test_what_is_no_job_is_refused_with_the_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(UnreadableJob) as caught:
        decode(raw)
    assert str(caught.value) == reason


@pytest.mark.parametrize("payload", [math.nan, math.inf, {1, 2}, b"x", ...], ids=repr)
def test_a_payload_that_is_no_json_is_refused_before_anything_is_stored(payload: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode("1", payload)


def test_the_counter_stays_last_whatever_extra_members_are_called() -> None:
    raw = encode("1", "p", enqueued_at=1, extra={"attempts": 9, "payload": "x", "id": "2"})
    assert raw == b'{"id":"2","enqueued_at":1,"payload":"p","attempts":0}'


def test_ids_are_fresh() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {len(job_id) for job_id in ids} == {16}


def test_a_digest_covers_all_of_a_job_up_to_64_kilobytes_and_its_ends_above() -> None:
    assert digest(b"") == "da39a3ee5e6b4b0d3255bfef95601890afd80709"
    small, large = bytearray(b"x" * 65_536), bytearray(b"x" * 70_000)
    before_small, before_large = digest(bytes(small)), digest(bytes(large))
    small[33_000] = large[33_000] = 0
    assert digest(bytes(small)) != before_small
    assert digest(bytes(large)) == before_large
    large[-1] = 0
    assert digest(bytes(large)) != before_large
    assert digest(bytes(large)) != digest(bytes(large) + b"x")


@pytest.mark.parametrize(
    ("raw", "spliced"),
    [
        (b"{}", b'{"error":"no"}'),
        (b'{"id":1,"attempts":0}', b'{"error":"no","id":1,"attempts":0}'),
        (b' {\n "id" : 1 ,\t"attempts" : 0 } ', b' {"error":"no",\n "id" : 1 ,\t"attempts" : 0 } '),
        (b'{"error":"old","id":1}', b'{"error":"no","id":1}'),
        (b'{"id":1,"error":{"a":[1]},"error":2,"z":3}', b'{"error":"no","id":1,"z":3}'),
        (rb'{"id":1,"\u0065rror":2}', b'{"error":"no","id":1}'),
        (b'{"error":1}', b'{"error":"no"}'),
        (b'{"p":{"error":1}}', b'{"error":"no","p":{"error":1}}'),
        (b'\xef\xbb\xbf{"id":1}', b'\xef\xbb\xbf{"error":"no","id":1}'),
    ],
)
def test_a_member_stands_right_after_the_brace_and_replaces_its_older_selves(
    raw: bytes, spliced: bytes
) -> None:
    assert splice(raw, {"error": "no"}) == spliced
    assert splice(spliced, {"error": "no"}) == spliced
    assert splice(raw, {}) == raw


@pytest.mark.parametrize("raw", [b"", b"not json", b"[]", b'{"id":1', b"\xff", b'{"id":1} x', b'{"a" 1}'])
def test_bytes_that_are_no_object_get_no_member(raw: bytes) -> None:
    assert splice(raw, {"error": "no"}) == raw


def test_odd_jobs_keep_every_other_member_and_their_counter() -> None:
    members = {"error": 'a "quoted" é \\ \x00', "failed_at": 1.5}
    kinds: Counter[str] = Counter()
    for raw in odd_jobs(1500, 7):
        spliced = splice(raw, members)
        assert splice(spliced, members) == spliced
        try:
            job = read(raw)
        except (ValueError, RecursionError):
            kinds["refused"] += 1
            continue
        if not isinstance(job, Pairs):
            assert spliced == raw
            continue
        kinds["spliced"] += 1
        kept = [pair for pair in job.members if pair[0] not in members]
        assert read(spliced) == Pairs([("error", members["error"]), ("failed_at", ("float", "1.5")), *kept])
        counted, alone = bump(spliced), bump(raw)
        assert (counted and counted[1]) == (alone and alone[1])
        assert (set_attempts(spliced, 0) is None) == (set_attempts(raw, 0) is None)
    assert kinds["spliced"] > 700, kinds


def test_a_large_job_is_spliced_and_counted_without_recursion() -> None:
    payload = ['"\\{}[]' * 10] * 20_000
    raw = encode("1", payload, enqueued_at=1)
    spliced = splice(raw, {"error": "no"})
    bumped = bump(spliced)
    assert bumped is not None
    assert json.loads(bumped[0]) == {
        "error": "no", "id": "1", "enqueued_at": 1, "payload": payload, "attempts": 1,
    }  # fmt: skip


def test_every_id_can_be_shown_in_a_log_line() -> None:
    deep: object = 1
    for _ in range(10_000):
        deep = [deep]
    assert shown_id("1") == "'1'"
    assert shown_id("x" * 1000) == "'" + "x" * 199
    assert shown_id(deep) == "(an id nested too deeply to be shown)"
