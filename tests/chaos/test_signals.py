"""A random storm of signals over supervisors, children, a lone worker, janitors and producers."""

from __future__ import annotations

from pathlib import Path

from dashboard.queue.keys import QueueKeys
from tests.chaos.checker import Rules
from tests.chaos.crew import Crew
from tests.chaos.storm import Storm
from tests.chaos.verdict import settle
from tests.queue.running import QUICK, Client

Q = QueueKeys("q")
RULES = Rules(stale_after_seconds=QUICK["stale_after_seconds"], max_attempts=3)
SEED = 20
KILLS = 100
STORM_SECONDS = 60.0


def test_a_hundred_random_kills_freezes_and_stops_lose_nothing(
    tmp_path: Path, redis_url: str, redis_client: Client
) -> None:
    with Crew(tmp_path, url=redis_url, queue="q", policy=QUICK) as crew:
        storm = Storm(crew, SEED, per_second=12)
        for batch in (1, 5):
            crew.add("supervisor", processes=2, batch=batch, grace_seconds=3.0)
        crew.add("worker", batch=2)
        crew.add("janitor")
        crew.add("janitor")
        crew.add("producer", seed=SEED, per_second=60.0, longest_ms=40)
        storm.rage(STORM_SECONDS, until=lambda: crew.kills.total() >= KILLS)
        verdict = settle(crew, storm, redis_client, Q, RULES)
    print(f"seed {SEED}\n{verdict.summary()}")
    assert verdict.faults == []
    assert verdict.kill_count >= KILLS
