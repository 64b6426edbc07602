"""The list of planted bugs fits the code: each can be planted, and the test that must notice it exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.mutants.mutant import Mutant
from tests.mutants.planted import PLANTED
from tests.mutants.running import fault_in
from tests.support.processes import ROOT

NAMES = [mutant.name for mutant in PLANTED]


def named(name: str) -> Mutant:
    return PLANTED[NAMES.index(name)]


def test_there_are_many_bugs_each_with_a_name_of_its_own() -> None:
    assert len(PLANTED) >= 15
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_bug_can_be_planted_and_changes_something(name: str) -> None:
    mutant = named(name)
    assert fault_in(ROOT, mutant) == ""
    assert mutant.new != mutant.old


@pytest.mark.parametrize("name", NAMES)
def test_the_test_that_must_notice_a_bug_exists(name: str) -> None:
    file_name, _, function = named(name).test.partition("::")
    assert re.sub(r"\[.*\]$", "", function) in functions_of(ROOT / file_name)


def functions_of(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
