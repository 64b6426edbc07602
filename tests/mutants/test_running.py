"""What counts as caught: the named test failing, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants.mutant import Mutant
from tests.mutants.running import attempt, failures_without_bugs

CODE = "def double(number):\n    return 2 * number\n"
TESTS = """
import pytest
from arithmetic import double

@pytest.fixture
def broken():
    assert double(1) == 2

@pytest.mark.parametrize("number", [0, 2])
def test_twice(number):
    assert double(number) == number + number

def test_nothing():
    pass

def test_with_fixture(broken):
    pass
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A tree of one module and its tests."""
    base = tmp_path / "tree"
    base.mkdir()
    (base / "arithmetic.py").write_text(CODE, encoding="utf-8")
    (base / "test_arithmetic.py").write_text(TESTS, encoding="utf-8")
    return base


def mutant(test: str, old: str = "2 * number", new: str = "3 * number") -> Mutant:
    return Mutant("a bug", "arithmetic.py", old, new, f"test_arithmetic.py::{test}")


def test_a_bug_is_caught_by_its_test_failing_and_the_tree_stays_as_it_was(base: Path) -> None:
    outcome = attempt(base, mutant("test_twice"))
    assert (outcome.verdict, outcome.told) == ("caught", "")
    assert (base / "arithmetic.py").read_text(encoding="utf-8") == CODE
    assert [path.name for path in base.parent.iterdir()] == ["tree"]


def test_a_bug_that_its_test_does_not_notice_survives(base: Path) -> None:
    assert attempt(base, mutant("test_nothing")).verdict == "survived"


@pytest.mark.parametrize(
    ("planted", "tells"),
    [
        (mutant("test_with_fixture"), "ERROR"),
        (mutant("test_twice", new="2 * number +"), "SyntaxError"),
        (mutant("test_that_is_not_there"), "not found"),
        (mutant("test_twice", old="4 * number"), "stands 0 times"),
        (mutant("test_twice", old="number"), "stands 2 times"),
    ],
    ids=["a fixture fails", "nothing is collected", "no such test", "no such text", "the text twice"],
)
def test_whatever_else_happens_is_an_error_and_no_catch(base: Path, planted: Mutant, tells: str) -> None:
    outcome = attempt(base, planted)
    assert outcome.verdict == "error"
    assert tells in outcome.told


def test_a_test_that_fails_without_any_bug_can_catch_none(base: Path) -> None:
    assert failures_without_bugs(base, [mutant("test_twice"), mutant("test_nothing")]) == ""
    (base / "arithmetic.py").write_text(CODE.replace("2", "5"), encoding="utf-8")
    assert "FAILED test_arithmetic.py::test_twice" in failures_without_bugs(base, [mutant("test_twice")])
