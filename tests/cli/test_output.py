"""What commands print: columns, ages, counts, and text that no terminal obeys."""

from __future__ import annotations

import json
import math

import pytest

from dashboard.cli.names import exact, printable, shown
from dashboard.cli.output import age, counted, document, one_line, table


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (10, "10 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7199, "120 min"),
        (7200, "2 h"),
        (172_800, "2 d"),
        (-5, "-5.0 s"),
        (None, None),
        (math.inf, None),
        (math.nan, None),
    ],
)
def test_an_age_is_told_in_a_unit_that_fits(seconds: float | None, text: str | None) -> None:
    assert age(seconds) == text


def test_counts_have_commas_and_the_right_number() -> None:
    assert [counted(n, "job") for n in (0, 1, 4212)] == ["0 jobs", "1 job", "4,212 jobs"]


def test_columns_line_up_numbers_right_and_texts_left(capsys: pytest.CaptureFixture[str]) -> None:
    table(("QUEUE", "PENDING", "NOTE"), [("mail", 7, ""), ("long-name", 1200, "paused"), ("x", None, None)])

    assert capsys.readouterr().out.splitlines() == [
        "QUEUE      PENDING  NOTE",
        "mail             7",
        "long-name     1200  paused",
        "x                -  -",
    ]


def test_a_document_has_no_number_that_json_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    document({"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}, "e": "\x1b"})

    out = capsys.readouterr().out
    assert json.loads(out) == {"a": None, "b": [None, 1.5], "c": {"d": None}, "e": "\x1b"}
    assert "\x1b" not in out


@pytest.mark.parametrize(
    "sign", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2028", "\ud800", "\U000e0001", "\n"]
)
def test_signs_that_could_disturb_a_terminal_are_escapes(sign: str) -> None:
    assert sign not in printable(f"a{sign}b")
    assert printable(f"a{sign}b").startswith("a\\")


def test_names_keep_what_can_be_read() -> None:
    assert shown("zażółć/ä b".encode()) == "zażółć/ä b"
    assert shown(b"caf\xe9") == "caf\\xe9"
    assert exact(b"mail", "queue") == {"queue": "mail"}
    assert exact(b"caf\xe9", "queue") == {"queue": "caf\\xe9", "queue_hex": "636166e9"}


def test_one_line_is_short_and_one_line() -> None:
    assert one_line("a\n  b\tc", 10) == "a b c"
    assert one_line("x" * 20, 10) == "x" * 9 + "…"
