"""Supervisors, lone workers and janitors end themselves at every named point, and no job is stranded."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import trials

SEED = 2


def test_supervisors_lone_workers_and_janitors_that_end_at_any_point_lose_nothing(tmp_path: Path) -> None:
    verdict = trials.points_of_daemons(tmp_path, "redis", SEED)
    print(f"seed {SEED}\n{verdict.summary()}")
    assert verdict.faults == []
