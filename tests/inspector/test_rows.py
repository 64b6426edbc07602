"""Rows: whatever the bytes are, there is a row, and it says what they are."""

from __future__ import annotations

import json

import pytest

from dashboard.inspector.rows import row_of
from dashboard.inspector.snapshots import JobRow
from dashboard.queue.address import Address
from dashboard.queue.answers import Entry
from dashboard.queue.job import JOB_BYTES_MAX, digest
from tests.inspector.jobs import ODD_ENTRIES, job
from tests.support.odd_jobs import odd_jobs


def row(raw: bytes, preview_bytes: int = 8_192) -> JobRow:
    return row_of("dead", Entry(0, len(raw), raw[:preview_bytes], digest(raw)), now=0.0)


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        ("binary", "not JSON"),
        ("text", "not JSON"),
        ("torn", "not JSON"),
        ("none", "not JSON"),
        ("broken text", "not JSON"),
        ("empty", "empty"),
        ("array", "not an object"),
        ("string", "not an object"),
        ("number", "not an object"),
        ("null", "not an object"),
        ("megabyte", "cut"),
        ("deep", "cut"),
        ("no members", ""),
        ("odd counter", ""),
        ("null id", ""),
        ("object id", ""),
        ("not a number", ""),
        ("byte order mark", ""),
        ("lone surrogate", ""),
    ],
)
def test_each_odd_entry_carries_the_mark_that_says_what_it_is(kind: str, mark: str) -> None:
    found = row(ODD_ENTRIES[kind])
    assert found.mark == mark
    assert found.readable is (mark in ("", "cut"))


@pytest.mark.parametrize("kind", ODD_ENTRIES)
@pytest.mark.parametrize("preview_bytes", [0, 1, 7, 23, 60, 2_048, 20_000])
def test_no_entry_cut_anywhere_breaks_a_row_or_its_text(kind: str, preview_bytes: int) -> None:
    found = row(ODD_ENTRIES[kind], preview_bytes)
    texts = found.id_text + found.payload_preview + found.error + found.name + found.attempts_text
    assert texts.encode("utf-8")
    assert found.address.text()
    assert found.id_text


def test_six_hundred_generated_entries_become_rows_of_printable_text() -> None:
    for raw in odd_jobs(600, seed=11):
        for preview_bytes in (len(raw), len(raw) // 2):
            found = row(raw, preview_bytes)
            assert (found.id_text + found.payload_preview + found.attempts_text).encode("utf-8")


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (None, "null"),
        (False, "false"),
        (0, "0"),
        ([], "[]"),
        ({}, "{}"),
        ('{"id":null}', '"{\\"id\\":null}"'),
    ],
)
def test_a_payload_that_is_nothing_much_is_shown_as_it_is(payload: object, text: str) -> None:
    assert row(job("n", payload)).payload_preview == text


@pytest.mark.parametrize(
    ("raw", "shown", "is_text"),
    [
        (job("a b/c?#"), "a b/c?#", True),
        (job(12345678901234567890123), "12345678901234567890123", True),
        (b'{"id":0.1234567890123456789}', "0.1234567890123456789", True),
        (job("é\u202e\x00"), "é\\u202e\\x00", True),
        (job(""), '""', False),
        (b"\x80\x04\x95\xff\xfe", "80 04 95 ff", False),
        (b"", "empty", False),
    ],
)
def test_an_id_of_any_type_is_text_without_loss(raw: bytes, shown: str, is_text: bool) -> None:
    found = row(raw)
    assert (found.id_text, found.id_is_text) == (shown, is_text)


@pytest.mark.parametrize("raw", [job(None), job({"a": 1}), job([1]), job(True), b"{}"])
def test_a_job_without_a_usable_id_is_named_by_its_digest(raw: bytes) -> None:
    found = row(raw)
    assert found.id_text == "#" + digest(raw)[:8]
    assert not found.id_is_text


@pytest.mark.parametrize(
    ("stored", "number", "text"),
    [
        ("3", 3, "3"),
        ('"three"', None, '"three"'),
        ("1e3", None, "1e3"),
        ("null", None, "null"),
        ("-1", -1, "-1"),
    ],
)
def test_an_odd_counter_is_shown_as_it_stands(stored: str, number: int | None, text: str) -> None:
    found = row(b'{"id":"x","attempts":%s}' % stored.encode())
    assert (found.attempts, found.attempts_text) == (number, text)


def test_the_last_of_repeated_members_counts_as_in_python() -> None:
    found = row(ODD_ENTRIES["repeated"])
    assert (found.id_text, found.attempts) == ("2", 2)


def test_line_breaks_of_a_text_payload_are_kept_and_invisible_characters_are_escapes() -> None:
    found = row(job("nl", "line1\nline2\tend\u0000\u202e"))
    assert found.payload_preview == '"line1\nline2\tend\\u0000\\u202e"'


def test_escaped_letters_of_a_payload_are_legible() -> None:
    assert (
        row(job("é", {"city": "Zürich", "face": "🙂"})).payload_preview == '{"city": "Zürich", "face": "🙂"}'
    )


def test_an_error_of_thousands_of_lines_is_a_few() -> None:
    found = row(job("e", 1, 9, error="E\n" * 5_000))
    assert found.error == "E\nE\nE\nE\n…"


def test_a_long_traceback_in_front_hides_neither_id_nor_error() -> None:
    raw = json.dumps({"error": "boom", "traceback": "at line\n" * 500, "id": "late", "payload": 1}).encode()
    found = row(raw)
    assert (found.id_text, found.error, found.payload_preview) == ("late", "boom", "1")


def test_a_cut_entry_shows_what_was_read_of_it() -> None:
    found = row(job("big", {"text": "A" * 1_000_000}))
    assert (found.id_text, found.mark, found.length) == ("big", "cut", 1_000_053)
    assert found.payload_preview.startswith('{"text": "AAAA')
    assert len(found.payload_preview) == 2_048


def test_S48_an_entry_over_the_limit_at_enqueue_is_flagged_and_one_at_the_limit_is_not() -> None:
    at_limit = job("a", "x" * (JOB_BYTES_MAX - len(job("a", ""))))
    assert len(at_limit) == JOB_BYTES_MAX
    over = at_limit + b" "
    assert [row(raw).mark for raw in (at_limit, over, b"x" * 2_000_000)] == ["cut", "large", "not JSON"]
    assert (row(over).id_text, row(over).readable, row(over).length) == ("a", True, JOB_BYTES_MAX + 1)


@pytest.mark.parametrize("end", ["\\", "\\u", "\\ud8", "\\u" * 3000, "\\" * 8000, "\\u12" * 2500])
def test_a_text_that_was_cut_within_escapes_of_any_number_is_a_row(end: str) -> None:
    whole = b'{"id":"abc' + end.encode() + b"x" * 9000 + b'","error":"' + end.encode()
    assert row(whole).mark == "cut"
    assert row(whole, len(end) + 10).id_text
    assert row(b'{"error":"boom' + end.encode() + b"x" * 9000, len(end) + 14).mark == "cut"


def test_an_entry_that_the_server_did_not_look_at_is_a_row_without_a_usable_address() -> None:
    for place, score in (("dead", None), ("delayed", b"nan")):
        found = row_of(place, Entry(7, -1, b"", "", score), now=0.0)
        assert found.mark == "not read"
        assert found.due is None
        assert found.payload_preview == "The entries before this one on the page are over 16 MB together."
        assert (found.address.length, found.address.digest) == (0, "0" * 40)
        assert Address.parse(found.address.text()) == found.address


@pytest.mark.parametrize(
    ("score", "due", "overdue"),
    [(b"inf", float("inf"), False), (b"-inf", float("-inf"), True), (b"5", 5.0, True), (b"15", 15.0, False)],
)
def test_a_due_time_of_any_score_is_told(score: bytes, due: float, overdue: bool) -> None:
    found = row_of("delayed", Entry(0, 2, b"{}", "0" * 40, score), now=10.0)
    assert (found.due, found.overdue) == (due, overdue)
