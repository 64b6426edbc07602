"""The foreign worker keeps the wire contract and knows nothing else."""

from __future__ import annotations

import ast
import signal
import sys
from pathlib import Path

import redis

from dashboard.demo import foreign_worker
from tests.support.processes import PythonProcess, wait_until

PROGRAM = Path(foreign_worker.__file__)


def test_it_claims_oldest_first_beats_while_it_works_acknowledges_and_leaves_in_order(
    redis_client: redis.Redis, redis_url: str
) -> None:
    for number in (1, 2):
        redis_client.lpush("reports:pending", b'{"id":"r%d","payload":{},"attempts":0}' % number)

    with PythonProcess(str(PROGRAM), "reports", "box-1", env={"REDIS_URL": redis_url}) as worker:
        wait_until(lambda: redis_client.llen("reports:processing:box-1") == 1, 10, "a job is held")
        assert redis_client.lindex("reports:processing:box-1", 0) == b'{"id":"r1","payload":{},"attempts":0}'
        first = redis_client.hget("reports:heartbeats", "box-1")
        wait_until(lambda: redis_client.hget("reports:heartbeats", "box-1") != first, 5, "it beats")
        assert redis_client.scard("demo:done:reports") == 0
        wait_until(lambda: redis_client.scard("demo:done:reports") == 1, 5, "the first is done")
        worker.signal(signal.SIGTERM)
        assert worker.wait(10) == 0

    done = redis_client.smembers("demo:done:reports")
    assert b"r1" in done
    assert redis_client.exists("reports:processing:box-1", "reports:heartbeats") == 0
    assert redis_client.llen("reports:pending") == 2 - len(done)


def test_it_imports_nothing_of_this_project() -> None:
    imported = set()
    for node in ast.walk(ast.parse(PROGRAM.read_text())):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])

    assert imported - sys.stdlib_module_names == {"redis"}
