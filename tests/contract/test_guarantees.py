"""docs/guarantees.md names tests that there are, and the sentences of the README's promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUARANTEES = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", GUARANTEES)))


def promised() -> str:
    """The section of the README, its line breaks and emphasis taken out."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## What it promises", 1)[1].split("\n## ", 1)[0]
    return " ".join(section.replace("*", "").split())


def test_the_document_names_many_tests() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_each_named_test_exists(path: str, name: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", source, re.MULTILINE), f"{path} has no {name}"


@pytest.mark.parametrize("heading", re.findall(r"^## (A.*|Every.*)$", GUARANTEES, re.MULTILINE))
def test_each_heading_is_a_sentence_of_the_readme(heading: str) -> None:
    assert heading in promised() or heading.lower() in promised().lower()


def test_each_row_that_promises_names_a_test() -> None:
    tables = re.findall(r"\| what is promised \| held by \|\n\|---\|---\|\n((?:\|.*\n)+)", GUARANTEES)
    rows = [row for table in tables for row in table.splitlines()]
    assert len(rows) > 20
    assert [row for row in rows if "::test_" not in row] == []
