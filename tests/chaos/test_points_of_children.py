"""Children end themselves at every named point, again and again, and no job is lost or stranded."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import trials
from tests.chaos.points import OF_CHILDREN

SEED = 1
KILLS_AT_EACH = 14


def test_children_that_end_at_any_point_of_their_loop_lose_nothing(tmp_path: Path) -> None:
    verdict = trials.points_of_children(tmp_path, "valkey", SEED, target=KILLS_AT_EACH)
    print(verdict.summary())
    assert verdict.faults == []
    assert verdict.kill_count >= KILLS_AT_EACH * len(OF_CHILDREN) >= 120
