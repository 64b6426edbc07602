"""Names and figures as a reader sees them."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.web.filters import DASH, ago, bytes_size, clock, duration, figure, iso, number
from dashboard.web.texts import listed, moment, plural, shown

NOON = datetime(2026, 11, 30, 12, 3, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"mail", "mail"),
        ("café+x".encode(), "café+x"),
        (b"q\xff\x00", "q\\xff\\x00"),
        ("a\u202eb\u200b".encode(), "a\\u202eb\\u200b"),
        (b"one\ntwo\t", "one\\x0atwo\\x09"),
        ("\U000e0041".encode(), "\\U000e0041"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
        (b"", "(empty)"),
        (b"<b>&", "<b>&"),
    ],
)
def test_names_are_shown_without_anything_invisible(name: bytes, text: str) -> None:
    assert shown(name) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, DASH), (0, "0"), (1234567, "1,234,567"), (0.34, "0.3"), (41.0, "41"), (41.6, "42")],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "html"),
    [
        (None, '<span class="zero" title="not readable">&ndash;</span>'),
        (0, '<span class="zero">0</span>'),
        (1204, "1,204"),
    ],
)
def test_a_count_in_a_cell_dims_what_is_nothing(value: int | None, html: str) -> None:
    assert figure(value) == html


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, DASH),
        (math.nan, DASH),
        (0, "0 s"),
        (0.04, "0.1 s"),
        (0.45, "0.4 s"),
        (2.9, "2 s"),
        (59.99, "59 s"),
        (60, "1 min"),
        (192, "3 min 12 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (86399, "23 h 59 min"),
        (86400, "1 d"),
        (273600, "3 d 4 h"),
        (-5, "0 s"),
        (864000000, "10,000 d"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_instants() -> None:
    assert ago(NOON - timedelta(seconds=2.6), NOON) == "2 s ago"
    assert ago(NOON + timedelta(seconds=3.2), NOON) == "in 4 s"
    assert ago(None, NOON) == DASH
    assert iso(NOON) == "2026-11-30T12:03:07Z"
    assert iso(NOON + timedelta(milliseconds=250)) == "2026-11-30T12:03:07.250Z"
    assert iso(None) == ""
    assert clock(NOON) == "12:03:07 UTC"


@pytest.mark.parametrize("seconds", [None, math.inf, -math.inf, math.nan, 1e18, -1e18])
def test_times_that_no_calendar_has_are_no_instant(seconds: float | None) -> None:
    assert moment(seconds) is None


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, DASH),
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (2048, "2.0 KB"),
        (1_048_576, "1.0 MB"),
        (1_048_575, "1.0 MB"),
        (100_000_000, "95.4 MB"),
        (1 << 40, "1,024.0 GB"),
    ],
)
def test_sizes(count: int | None, text: str) -> None:
    assert bytes_size(count) == text


def test_words() -> None:
    assert plural(1, "job") == "1 job"
    assert plural(1204, "job") == "1,204 jobs"
    assert plural(2, "job was", "jobs were") == "2 jobs were"
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
