"""A process that starts a worker again and again and gets a SIGTERM at a random instant of each life.

`python -m tests.queue.stops supervisor|worker URL ROUNDS SEED`: each round has a queue of its own with three
jobs, whose ids tell the round. Exits when all rounds are over; whether anything is lost is looked at from
outside.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from typing import Any

import redis

from dashboard.queue.connections import Connections
from dashboard.queue.factory import ServerFactory
from dashboard.queue.job import encode
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.worker import Worker
from tests.queue.handlers import perform
from tests.queue.running import POLICY

JOBS = 3
SOON_SECONDS = 0.0005
LATER, SOONER = 1.2, 0.8
"""How the time that a life gets is fitted to the machine: claims are what the signals are to strike."""


def queue_of(number: int) -> str:
    """The queue of a round."""
    return f"round{number}"


def job_of(number: int, place: int) -> str:
    """The id of a round's job."""
    return f"{number}.{place}"


def live_once(kind: str, url: str, number: int) -> None:
    """One worker from its start to its end."""
    queue = queue_of(number)
    if kind == "supervisor":
        supervisor = Supervisor(
            ServerFactory.from_url(url),
            queue,
            "tests.queue.handlers:perform",
            batch=2,
            defaults=POLICY,
            block_seconds=0.05,
        )
        if supervisor.run():
            raise SystemExit(f"round {number}: the supervisor gave up")
        return
    worker = Worker(Connections.from_url(url), queue, perform, batch=2, defaults=POLICY, block_seconds=0.05)
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    try:
        worker.run()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def main(kind: str, url: str, rounds: int, seed: int) -> None:
    """Live `rounds` times, with one SIGTERM in each life."""
    dice, span_seconds = random.Random(seed), 0.1
    client: Any = redis.Redis.from_url(url, protocol=2)
    for number in range(rounds):
        raws = [encode(job_of(number, place), {"sleep": 0.002}) for place in range(JOBS)]
        client.lpush(f"{queue_of(number)}:pending", *raws)
    # A real timer and a real signal: they strike between any two steps, in system calls too.
    signal.signal(signal.SIGALRM, strike)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for number in range(rounds):
        signal.setitimer(signal.ITIMER_REAL, max(SOON_SECONDS, dice.random() * span_seconds))
        live_once(kind, url, number)
        left_count = client.llen(f"{queue_of(number)}:pending")
        span_seconds *= {0: SOONER, JOBS: LATER}.get(left_count, 1.0)


def strike(*_: object) -> None:
    """Send the one SIGTERM of a life, as soon as somebody listens."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        signal.setitimer(signal.ITIMER_REAL, SOON_SECONDS)
    else:
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
