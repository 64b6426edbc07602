"""Pretty JSON: laid out for reading, with nothing lost."""

from __future__ import annotations

import json

import pytest

from dashboard.inspector.pretty import DEPTH_MAX, pretty
from tests.support.odd_jobs import odd_jobs


def test_numbers_repeats_and_order_stay_as_they_were_stored() -> None:
    stored = '{"n":12345678901234567890,"f":0.1234567890123456789,"e":1E+400,"n":1,"a":[],"b":{},"c":[[1]]}'
    assert pretty(stored) == (
        '{\n  "n": 12345678901234567890,\n  "f": 0.1234567890123456789,\n  "e": 1E+400,\n  "n": 1,\n'
        '  "a": [],\n  "b": {},\n  "c": [\n    [\n      1\n    ]\n  ]\n}'
    )


def test_the_value_is_the_same_for_generated_jobs() -> None:
    laid_out = 0
    for raw in odd_jobs(800, seed=5):
        try:
            text = raw.decode("utf-8")
            value = json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=list)
        except (ValueError, RecursionError):
            continue
        shown = pretty(text)
        assert shown is not None
        assert json.loads(shown, parse_float=str, parse_int=str, object_pairs_hook=list) == value
        laid_out += 1
    assert laid_out > 200


def test_a_hundred_thousand_levels_are_laid_out_without_recursion_or_explosion() -> None:
    shown = pretty("[" * 100_000 + "]" * 100_000)
    assert shown is not None
    assert shown.count("[") == 100_000
    assert len(shown) < 200_000 + 4 * (DEPTH_MAX + 2) ** 2


def test_a_quarter_of_a_megabyte_at_depth_stays_a_page() -> None:
    shown = pretty("[" * 40 + ",".join(["0"] * 100_000) + "]" * 40)
    assert shown is not None
    assert shown.count("0") == 100_000
    assert len(shown) < 2_000_000


@pytest.mark.parametrize("text", ["]", "{", '{"a":1}}', '"torn', "[1"])
def test_what_is_no_balanced_json_is_left_to_its_caller(text: str) -> None:
    assert pretty(text) is None


def test_direction_marks_inside_strings_are_escapes_that_json_reads_back() -> None:
    stored = json.dumps({"a": "left\u202eright\x85"}, ensure_ascii=False)
    shown = pretty(stored)
    assert shown is not None
    assert "\u202e" not in shown
    assert json.loads(shown) == json.loads(stored)
