"""Supervisors, lone workers and janitors end themselves at every named point, and no job is stranded."""

from __future__ import annotations

from pathlib import Path

from dashboard.queue.keys import QueueKeys
from tests.chaos.checker import Rules
from tests.chaos.crew import Crew
from tests.chaos.points import OF_JANITORS, OF_SUPERVISORS, OF_WORKERS
from tests.chaos.rota import Rota
from tests.chaos.storm import Storm, Strike
from tests.chaos.verdict import settle
from tests.queue.running import QUICK, Client

Q = QueueKeys("q")
RULES = Rules(stale_after_seconds=QUICK["stale_after_seconds"], max_attempts=3)
POINTS_SECONDS = 90.0
SEED = 1


def test_supervisors_lone_workers_and_janitors_that_end_at_any_point_lose_nothing(
    tmp_path: Path, redis_url: str, redis_client: Client
) -> None:
    strikes = (Strike(5, "child", "SIGKILL"), Strike(3, "worker", "SIGTERM"), Strike(1, "worker", "SIGKILL"))
    with Crew(tmp_path, url=redis_url, queue="q", policy=QUICK) as crew:
        storm = Storm(crew, SEED, per_second=3, strikes=strikes)
        rota = Rota(crew, target=2)
        rota.fill("supervisor", OF_SUPERVISORS, 2, processes=2, batch=2)
        rota.fill("worker", OF_WORKERS, 4)
        rota.fill("janitor", OF_JANITORS, 2)
        crew.add("producer", seed=SEED, per_second=40.0, longest_ms=30, raising=0.1)
        storm.rage(POINTS_SECONDS, rota.turn, until=lambda: not rota.missing())
        missing = rota.missing()
        verdict = settle(crew, storm, redis_client, Q, RULES)
    print(verdict.summary())
    assert (missing, verdict.faults) == ([], [])
