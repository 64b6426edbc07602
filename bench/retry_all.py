"""Retry-all of 100,000 dead jobs, beside a bare move of the same jobs.

Owns: the jobs and the comparison. Refuses: to count what the client does; only the server's time counts.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable

import redis

from bench.figures import Figure, middle
from bench.server_time import accounted
from dashboard.actions.operator import Operator
from dashboard.actions.roles import Actor, Role
from dashboard.inspector import Inspector
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from tests.support.server import ValkeyServer

JOBS = 100_000
JOB_BYTES = 250
CHUNK = 1000
ROUNDS = 3
SCRIPTS = ("evalsha", "eval")
KEYS = QueueKeys("mail")

Side = tuple[float, float, float]
"""Jobs for each second of script time and of processor time, and the longest call in milliseconds."""


def measure(server: ValkeyServer) -> list[Figure]:
    """Three rounds of each side in turns; medians for the rates, the worst for the longest call."""
    with server.client(socket_timeout=60.0) as client:
        rounds = [
            (retried(client, counter_last), retried(client, counter_first), moved(client))
            for _ in range(ROUNDS)
        ]
    last, first, bare = zip(*rounds, strict=True)
    rate, middle_rate, bare_rate = (middle(side[0] for side in sides) for sides in (last, first, bare))
    by_processor = middle(side[1] for side in last)
    longest = max(side[2] for side in (*last, *first))
    return [
        Figure("retry-all, counter last", rate, "jobs/s of script time", 200_000),
        Figure("retry-all, counter in the middle", middle_rate, "jobs/s of script time", 40_000),
        Figure("retry-all, counter last, everything counted", by_processor, "jobs/s of processor time"),
        Figure("longest call", longest, "ms", 25, "low"),
        Figure("bare move, RPOP count + LPUSH", bare_rate, "jobs/s of server time"),
        Figure("retry-all, counter last, beside the bare move", rate / bare_rate, "×"),
    ]


def retried(client: redis.Redis, job: Callable[[int], bytes]) -> Side:
    """Retry everything as the console does."""
    newest = filled(client, job)
    inspector = Inspector(client, defaults=Policy(), queues=[], server_label="bench", page_size=50)
    operator = Operator(client, inspector=inspector, actor=Actor("bench", Role.OPERATOR), defaults=Policy())
    with accounted(client) as spent:
        outcome = operator.retry_all(KEYS.queue, JOBS, digest(newest), secrets.token_hex(16))
    assert outcome.moved_count == JOBS == client.llen(KEYS.pending), outcome
    return JOBS / spent.seconds(*SCRIPTS), JOBS / spent.processor_seconds, spent.longest_ms(*SCRIPTS)


def moved(client: redis.Redis) -> Side:
    """Move everything by hand."""
    filled(client, counter_last)
    with accounted(client) as spent:
        while jobs := client.rpop(KEYS.dead, CHUNK):
            client.lpush(KEYS.pending, *jobs)
    assert client.llen(KEYS.pending) == JOBS
    commands = ("rpop", "lpush")
    return JOBS / spent.seconds(*commands), JOBS / spent.processor_seconds, spent.longest_ms(*commands)


def filled(client: redis.Redis, job: Callable[[int], bytes]) -> bytes:
    """Fill the dead list of an emptied server, oldest at the right; return the newest entry."""
    client.flushall()
    for start in range(0, JOBS, CHUNK):
        client.lpush(KEYS.dead, *(job(number) for number in range(start, start + CHUNK)))
    return job(JOBS - 1)


def counter_last(number: int) -> bytes:
    """A job as our producer writes it."""
    return padded({"id": f"job-{number:08d}", "payload": ""}, {"attempts": 4})


def counter_first(number: int) -> bytes:
    """A job with its counter in the middle, so that the object has to be walked."""
    return padded({"id": f"job-{number:08d}", "attempts": 4, "payload": ""}, {"queue": "mail"})


def padded(head: dict[str, object], tail: dict[str, object]) -> bytes:
    """The job with a payload that brings it to the size."""
    bare = len(json.dumps({**head, **tail}))
    return json.dumps({**head, "payload": "x" * (JOB_BYTES - bare), **tail}).encode()
