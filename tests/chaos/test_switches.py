"""Others put a replica in the place of a primary that was killed under load: Sentinels, and a cluster."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import trials

SEED = 44


def test_S43_a_switch_by_sentinels_conserves_what_the_replica_had_confirmed(tmp_path: Path) -> None:
    verdict = trials.sentinel_switch(tmp_path, "valkey", SEED)
    print(f"seed {SEED}\n{verdict.summary()}")
    assert verdict.faults == []
    assert len(verdict.history.stored) >= 60


def test_S58_a_cluster_that_loses_the_queues_primary_conserves_what_its_replica_had_confirmed(
    tmp_path: Path,
) -> None:
    verdict = trials.cluster_switch(tmp_path, "redis", SEED)
    print(f"seed {SEED}\n{verdict.summary()}")
    assert verdict.faults == []
    assert len(verdict.history.stored) >= 60
