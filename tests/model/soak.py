"""The state machine with other examples each time: `python -m tests.model.soak --seconds 60`.

Owns: the time, the server of each round, and the sums. Refuses: to go on over a fault, which is raised with
the steps that lead to it and kept in `.hypothesis`: the next run begins with it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, settings

from tests.model.bench import bench_of
from tests.model.machine import run_machine
from tests.support.server import Kind, ValkeyServer

EXAMPLES_A_ROUND = 100
KINDS: list[Kind] = ["valkey", "redis"]
RUNS = settings(
    max_examples=EXAMPLES_A_ROUND,
    # Longer than in CI: some faults need a past.
    stateful_step_count=100,
    deadline=None,
    phases=[Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def main(arguments: Sequence[str]) -> int:
    """Run rounds until the time is over. Raises what did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.model.soak")
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no round after this long")
    ends_at = time.monotonic() + parser.parse_args(arguments).seconds
    step_count, round_count = 0, 0
    while time.monotonic() < ends_at:
        kind = KINDS[round_count % len(KINDS)]
        with ValkeyServer(kind) as server, bench_of(server, listens=True) as bench:
            run_machine(bench, RUNS)
            step_count += bench.step_count
        round_count += 1
        print(f"{step_count:,} steps, {max(0.0, ends_at - time.monotonic()):,.0f} s left", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
