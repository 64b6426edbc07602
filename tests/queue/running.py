"""Starting workers and janitors as processes, and looking at what they hold."""

from __future__ import annotations

import json
from typing import Any

from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from tests.support.processes import PythonProcess, wait_until

QUICK: dict[str, Any] = {"stale_after_seconds": 3.0, "beat_seconds": 1.0}
"""The shortest threshold that is allowed, so that tests need not wait long for a death to show."""
POLICY = Policy(**QUICK)
PERFORM = "tests.queue.handlers:perform"
Q = QueueKeys("q")
Client = Any
"""A redis.Redis: its stubs know neither bytes as names nor that answers are there at once."""


def program(kind: str, url: str, runs_url: str | None = None, **options: Any) -> PythonProcess:
    """Start one of `tests.queue.programs`; `runs_url` is where handlers note what they did."""
    arguments = json.dumps({"url": url, **options})
    return PythonProcess("-m", "tests.queue.programs", kind, arguments, env={"RUNS_URL": runs_url or url})


def supervisor(
    url: str, *, handler: str = PERFORM, queue: str | list[str] = "q", **options: Any
) -> PythonProcess:
    """Start a supervisor; options are those of `Supervisor`, and `runs_url`."""
    return program("supervisor", url, queue=queue, handler=handler, **{"policy": QUICK} | options)


def worker(
    url: str, *, handler: str = PERFORM, queue: str | list[str] = "q", **options: Any
) -> PythonProcess:
    """Start an embedded worker: a lone process that beats for itself."""
    return program("worker", url, queue=queue, handler=handler, **{"policy": QUICK} | options)


def janitor(url: str, *queues: str) -> PythonProcess:
    """Start a janitor."""
    return program("janitor", url, queues=list(queues), policy=QUICK)


def push(client: Client, *ids: str, queue: str = "q", attempts: int = 0, **payload: Any) -> None:
    """Enqueue jobs as a foreign producer would, the first to run first."""
    for job_id in ids:
        job = {"id": job_id, "payload": payload, "attempts": attempts}
        client.lpush(f"{queue}:pending", json.dumps(job))


def held(client: Client, queue: str = "q") -> dict[bytes, list[bytes]]:
    """What every worker holds, newest first."""
    prefix = f"{queue}:processing:".encode()
    return {key[len(prefix) :]: client.lrange(key, 0, -1) for key in client.scan_iter(prefix + b"*")}


def holder_of(client: Client, job_id: str, queue: str = "q") -> bytes | None:
    """The worker that holds a job, None when nobody does."""
    for worker_name, raws in held(client, queue).items():
        if any(str(json.loads(raw)["id"]) == job_id for raw in raws):
            return worker_name
    return None


def wait_for_holder(client: Client, job_id: str, within_seconds: float = 10) -> bytes:
    """Wait until somebody holds the job."""
    return wait_until(lambda: holder_of(client, job_id), within_seconds, f"job {job_id} is claimed") or b""


def pid_of(worker_name: bytes) -> int:
    """The process id in a default worker name."""
    return int(worker_name.split(b":")[1])


def ran(client: Client) -> list[str]:
    """Ids in the order in which their jobs ended well."""
    return [one.decode() for one in client.lrange("ran", 0, -1)]


def ids(raws: list[bytes]) -> list[str]:
    """The ids of raw jobs."""
    return [str(json.loads(raw)["id"]) for raw in raws]


def attempts(raws: list[bytes]) -> list[int]:
    """The counters of raw jobs."""
    return [json.loads(raw)["attempts"] for raw in raws]


def pending(client: Client, queue: str = "q") -> list[bytes]:
    """What waits, the next to run first."""
    raws: list[bytes] = client.lrange(f"{queue}:pending", 0, -1)
    return raws[::-1]


def workers(client: Client, queue: str = "q") -> set[bytes]:
    """The names that have a heartbeat."""
    return set(client.hkeys(f"{queue}:heartbeats"))
