"""Whatever happens to a queue in whatever order, every job stays in one place and every promise holds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.model.bench import bench_of
from tests.model.machine import run_machine
from tests.support.server import Kind, ValkeyServer

STEPS = 50
SAME_EACH_TIME = settings(
    stateful_step_count=STEPS,
    derandomize=True,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
"""What fails here fails again."""


@pytest.mark.parametrize(("kind", "example_count", "listens"), [("valkey", 300, False), ("redis", 60, True)])
def test_every_job_stays_in_one_place_whatever_happens_in_whatever_order(
    kind: Kind, example_count: int, listens: bool
) -> None:
    # Hypothesis ends some examples early, to find short ones: more are made, so that the steps add up.
    runs = settings(SAME_EACH_TIME, max_examples=example_count * 5 // 3)
    with ValkeyServer(kind) as server, bench_of(server, listens=listens) as bench:
        run_machine(bench, runs)
        assert bench.step_count >= example_count * STEPS
