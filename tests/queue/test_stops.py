"""S31: a SIGTERM at every point of a worker's life, above all of its claims."""

from __future__ import annotations

import pytest

from tests.queue.running import Client, attempts, held, ids, pending, ran, workers
from tests.queue.stops import JOBS, job_of, queue_of
from tests.support.processes import PythonProcess
from tests.support.server import ValkeyServer


@pytest.mark.parametrize(("kind", "rounds"), [("worker", 175), ("supervisor", 75)])
def test_S31_a_job_has_run_or_is_pending_wherever_a_sigterm_strikes(
    each_server: ValkeyServer, each_client: Client, kind: str, rounds: int
) -> None:
    with PythonProcess(
        "-m", "tests.queue.stops", kind, each_server.url, str(rounds), str(rounds),
        env={"RUNS_URL": each_server.url},
    ) as process:  # fmt: skip
        assert process.wait(240) == 0, process.output()[-2000:]
    done = ran(each_client)
    for number in range(rounds):
        queue, jobs = queue_of(number), [job_of(number, place) for place in range(JOBS)]
        left = pending(each_client, queue)
        assert [job for job in jobs if job in done] + ids(left) == jobs, f"in {queue}"
        assert attempts(left) == [0] * len(left)
        assert (held(each_client, queue), workers(each_client, queue)) == ({}, set())
        assert not each_client.exists(f"{queue}:delayed", f"{queue}:dead")
    assert len(done) == len(set(done))
    # The signals struck before, between and after the claims.
    assert rounds * JOBS / 5 < len(done) < rounds * JOBS * 4 / 5
