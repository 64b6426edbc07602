"""Primary and replica change places under load: by FAILOVER, and by a death that takes writes with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import trials
from tests.support.server import Kind

SEED = 43
SWITCHES = 3


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S43_failovers_under_load_lose_nothing_at_all(tmp_path: Path, kind: Kind) -> None:
    verdict = trials.failovers(tmp_path, kind, SEED, switches=SWITCHES)
    print(f"seed {SEED}, {SWITCHES} failovers\n{verdict.summary()}")
    assert verdict.faults == []
    assert (len(verdict.history.outages), verdict.history.losses) == (SWITCHES, [])


def test_S43_what_a_replica_confirmed_survives_the_death_of_a_primary_that_knew_more(tmp_path: Path) -> None:
    verdict = trials.forgetful_switches(tmp_path, "valkey", SEED, switches=SWITCHES)
    print(f"seed {SEED}, {SWITCHES} deaths of a primary that was ahead\n{verdict.summary()}")
    assert verdict.faults == []
    assert len(verdict.history.losses) == SWITCHES
    assert len(verdict.history.stored) >= 50
