"""A measured figure, its goal, and the table that shows both.

Owns: the shape of a result and its words. Refuses: to measure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number: `what` it is, its `value` and `unit`, and the goal that it is held to, if any."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    better: Literal["low", "high"] = "high"

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached; a figure without a goal is there for comparison."""
        if self.goal is None:
            return True
        return self.value >= self.goal if self.better == "high" else self.value <= self.goal

    def row(self) -> str:
        """The figure as a line of the results table."""
        if self.goal is None:
            return f"| {self.what} | {written(self.value)} {self.unit} | | |"
        bound = "at least" if self.better == "high" else "at most"
        verdict = "reached" if self.is_reached else "**missed**"
        goal = f"{bound} {written(self.goal)} {self.unit}"
        return f"| {self.what} | {written(self.value)} {self.unit} | {goal} | {verdict} |"


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table."""
    head = "| measured | result | goal | |\n|---|---:|---:|---|"
    return "\n".join([head, *(figure.row() for figure in figures)])


def written(value: float) -> str:
    """A number for people: thousands separated, three digits where there are few."""
    if value >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}"


def middle(values: Iterable[float]) -> float:
    """The median: one disturbed round on a busy machine does not move it."""
    return median(values)
