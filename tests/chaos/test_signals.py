"""A random storm of signals over supervisors, children, a lone worker, janitors and producers."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import trials

SEED = 20
KILLS = 200


def test_two_hundred_random_kills_beside_freezes_and_stops_lose_nothing(tmp_path: Path) -> None:
    verdict = trials.signals(tmp_path, "valkey", SEED, kills=KILLS)
    print(f"seed {SEED}\n{verdict.summary()}")
    assert verdict.faults == []
    assert verdict.kill_count >= KILLS
