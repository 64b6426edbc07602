"""S69: the lesson's worker and its reap, unchanged, on one queue with ours under random kills."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import time
from contextlib import ExitStack

import pytest
import redis

from dashboard.queue.job import decode
from tests.queue.running import (
    POLICY,
    Client,
    Q,
    held,
    ids,
    janitor,
    pid_of,
    push,
    supervisor,
    worker,
    workers,
)
from tests.scenarios.lesson import GIVE_BACK, MAX_ATTEMPTS
from tests.support.processes import PythonProcess, wait_until

JOBS = 800
KILLS = 12
HANDLER = "tests.queue.handlers:work_10_ms"


def lesson(*words: str) -> PythonProcess:
    """Start the lesson's worker or its reap."""
    return PythonProcess("-m", "tests.scenarios.lesson", *words)


class Crew:
    """Workers of both kinds and both reapers on one queue; `strike` kills one of them and starts another."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self._url, self._stack = url, stack
        self._names = (f"lesson-{number}" for number in itertools.count())
        self.parent = self._enter(supervisor(url, handler=HANDLER, processes=2, batch=3))
        self.members = {
            kind: self._start(kind) for kind in ("lesson", "second lesson", "ours", "their reap", "janitor")
        }

    def strike(self, client: Client, kind: str) -> None:
        """SIGKILL one member, or a child of the supervisor, which starts another by itself."""
        if kind == "child":
            alive = [pid_of(name) for name in workers(client) if b":" in name]
            children = [pid for pid in alive if pid not in (one.pid for one in self.members.values())]
            if children:
                try:
                    os.kill(random.choice(children), signal.SIGKILL)
                except ProcessLookupError:
                    return
            return
        self.members[kind].kill()
        self.members[kind] = self._start(kind)

    def see_to_workers(self) -> None:
        """Start the lesson's workers again where they found nothing for a second and left."""
        for kind in ("lesson", "second lesson"):
            if not self.members[kind].is_running():
                self.members[kind] = self._start(kind)

    def _start(self, kind: str) -> PythonProcess:
        match kind:
            case "ours":
                return self._enter(worker(self._url, handler=HANDLER))
            case "janitor":
                return self._enter(janitor(self._url, "q"))
            case "their reap":
                return self._enter(lesson("reaper", self._url, "q"))
            case _:
                return self._enter(lesson("worker", self._url, "q", next(self._names)))

    def _enter(self, process: PythonProcess) -> PythonProcess:
        return self._stack.enter_context(process)


def test_S69_every_job_is_done_or_dead_whoever_is_killed(redis_url: str, redis_client: Client) -> None:
    rng = random.Random(69)
    push(redis_client, *(str(number) for number in range(JOBS)))
    with ExitStack() as stack:
        crew = Crew(redis_url, stack)
        wait_until(lambda: redis_client.scard("done") >= 20, 20, "they work")
        victims = ["child", "lesson", "ours", "second lesson", "their reap", "janitor"]
        for number in range(KILLS):
            struck_at = time.monotonic()
            kind = victims[number] if number < len(victims) else rng.choice(victims)
            crew.strike(redis_client, kind)
            pause = rng.uniform(0.1, 0.4)
            wait_until(lambda: time.monotonic() - struck_at > pause, 2, "a moment has passed")  # noqa: B023

        def is_over() -> bool:
            crew.see_to_workers()
            return redis_client.scard("done") + redis_client.llen(Q.dead) >= JOBS and not held(redis_client)

        wait_until(
            is_over, 30 + 4 * POLICY.stale_after_seconds, "every job is done or dead", every_seconds=0.1
        )
        assert crew.parent.is_running()
    done = {one.decode() for one in redis_client.smembers("done")}
    dead = redis_client.lrange(Q.dead, 0, -1)
    assert done | set(ids(dead)) == {str(number) for number in range(JOBS)}
    assert all(decode(raw).attempts > MAX_ATTEMPTS for raw in dead)
    assert not redis_client.exists(Q.pending, Q.delayed)


def test_S69_where_the_lessons_own_reap_does_not_conserve_is_known(redis_client: redis.Redis) -> None:
    """What docs/protocol.md says of it. Ours keeps all of these, when it comes first."""
    client: Client = redis_client
    keys = ["q:processing:w", Q.pending, Q.dead]
    client.rpush(keys[0], b'{"id":"good","attempts":0}', b"not json")
    with pytest.raises(redis.ResponseError):
        client.eval(GIVE_BACK, 3, *keys, MAX_ATTEMPTS)
    assert client.lrange(keys[0], 0, -1) == [b'{"id":"good","attempts":0}'], "what was popped is gone"
    assert not client.exists(Q.pending, Q.dead)
    client.delete(keys[0])
    client.rpush(keys[0], b'{"id":12345678901234567890,"payload":[],"attempts":0}')
    client.eval(GIVE_BACK, 3, *keys, MAX_ATTEMPTS)
    (raw,) = client.lrange(Q.pending, 0, -1)
    job = json.loads(raw)
    assert job["id"] != 12345678901234567890
    assert job["payload"] == {}
