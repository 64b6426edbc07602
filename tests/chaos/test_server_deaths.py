"""The server dies again and again, with all that it had written to its log, and comes back a second later."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dashboard.queue.keys import QueueKeys
from tests.chaos.checker import Rules
from tests.chaos.crew import Crew
from tests.chaos.storm import Storm
from tests.chaos.verdict import settle
from tests.queue.running import QUICK
from tests.support.server import Kind, ValkeyServer

Q = QueueKeys("q")
RULES = Rules(stale_after_seconds=QUICK["stale_after_seconds"], max_attempts=3)
SEED = 40
DEATHS = 4
AWAY_SECONDS = 1.0


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S40_a_server_killed_four_times_under_load_loses_nothing_and_no_live_worker_is_reaped(
    tmp_path: Path, kind: Kind
) -> None:
    with (
        ValkeyServer(kind, appendonly="yes", appendfsync="always") as server,
        server.client() as client,
        Crew(tmp_path, url=server.url, queue="q", policy=QUICK) as crew,
    ):
        storm = Storm(crew, SEED, per_second=3)
        for batch in (1, 5):
            crew.add("supervisor", processes=2, batch=batch, grace_seconds=3.0)
        crew.add("worker", batch=2)
        crew.add("janitor")
        crew.add("producer", seed=SEED, per_second=60.0, longest_ms=30)
        storm.rage(2.0)
        for _ in range(DEATHS):
            storm.rage(1.5)
            away_since = time.monotonic()
            server.kill()
            storm.rage(AWAY_SECONDS)
            server.start()
            crew.journal.write("outage", away_since)
        verdict = settle(crew, storm, client, Q, RULES)
    print(f"seed {SEED}, {DEATHS} deaths of the server\n{verdict.summary()}")
    assert verdict.faults == []
    assert len(verdict.history.outages) == DEATHS
