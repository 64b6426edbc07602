"""The server dies again and again, with all that it had written to its log, and comes back a second later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import trials
from tests.support.server import Kind

SEED = 40
DEATHS = 4


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S40_a_server_killed_four_times_under_load_loses_nothing_and_no_live_worker_is_reaped(
    tmp_path: Path, kind: Kind
) -> None:
    verdict = trials.server_deaths(tmp_path, kind, SEED, deaths=DEATHS)
    print(f"seed {SEED}, {DEATHS} deaths of the server\n{verdict.summary()}")
    assert verdict.faults == []
    assert len(verdict.history.outages) == DEATHS
