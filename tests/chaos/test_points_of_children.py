"""Children end themselves at every named point, again and again, and no job is lost or stranded."""

from __future__ import annotations

from pathlib import Path

from dashboard.queue.keys import QueueKeys
from tests.chaos.checker import Rules
from tests.chaos.crew import Crew
from tests.chaos.points import OF_CHILDREN
from tests.chaos.rota import Rota
from tests.chaos.storm import Storm
from tests.chaos.verdict import settle
from tests.queue.running import QUICK, Client

Q = QueueKeys("q")
RULES = Rules(stale_after_seconds=QUICK["stale_after_seconds"], max_attempts=3)
POINTS_SECONDS = 90.0
SEED = 1


def test_children_that_end_at_any_point_of_their_loop_lose_nothing(
    tmp_path: Path, redis_url: str, redis_client: Client
) -> None:
    with Crew(tmp_path, url=redis_url, queue="q", policy=QUICK) as crew:
        storm = Storm(crew, SEED, per_second=0)
        rota = Rota(crew, target=14)
        rota.fill("supervisor", OF_CHILDREN, 3, processes=2, batch=4)
        crew.add("janitor")
        crew.add("producer", seed=SEED, per_second=100.0, longest_ms=15, raising=0.2)
        storm.rage(POINTS_SECONDS, rota.turn, until=lambda: not rota.missing())
        missing = rota.missing()
        verdict = settle(crew, storm, redis_client, Q, RULES)
    print(verdict.summary())
    assert (missing, verdict.faults) == ([], [])
    assert verdict.kill_count >= len(OF_CHILDREN) * 14
