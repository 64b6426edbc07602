"""The processes of a storm: what each role does, from its options to its exit code.

Owns: what each role is built from, and arming it with a named point. Refuses: to decide what happens to it
(`crew` and `storm` do), and to fork (`nursery` does).
"""

from __future__ import annotations

import logging
import os
import random
import secrets
import signal
import time
from collections.abc import Callable
from typing import Any

import redis

from dashboard.queue.connections import ClientFactory, Connections
from dashboard.queue.errors import OutcomeUnknown, QueueError, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.janitor import Janitor
from dashboard.queue.policy import Policy
from dashboard.queue.producer import Producer
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.worker import Worker
from tests.chaos import points
from tests.chaos.work import journal, order, perform

HANDLER = "tests.chaos.work:perform"
AWAY_SECONDS = 0.1
WAIT_MS = 200


def factory_of(url: str) -> ClientFactory:
    """The client factory for an address of the storm's server."""
    return ServerFactory.from_url(url)


def supervisor(url: str, queue: str, policy: Policy, **options: Any) -> int:
    """A supervisor, each of whose children says where it comes from."""
    os.register_at_fork(after_in_child=lambda: journal().write("life", os.getppid()))
    return Supervisor(factory_of(url), queue, HANDLER, defaults=policy, **options).run()


def worker(url: str, queue: str, policy: Policy, **options: Any) -> int:
    """A lone embedded worker; SIGTERM stops it."""
    one = Worker(Connections(factory_of(url)), queue, perform, defaults=policy, **options)
    signal.signal(signal.SIGTERM, lambda *_: one.stop())
    one.run()
    return 0


def janitor(url: str, queue: str, policy: Policy) -> int:
    """A janitor; SIGTERM stops it."""
    one = Janitor(Connections(factory_of(url)), queues=[queue.encode()], defaults=policy)
    signal.signal(signal.SIGTERM, lambda *_: one.stop())
    one.run()
    return 0


def producer(
    url: str,
    queue: str,
    policy: Policy,
    *,
    seed: int,
    per_second: float,
    longest_ms: int,
    raising: float = 0.04,
    replicas: int = 0,
) -> int:
    """Enqueue until SIGTERM, one in ten with a delay. Stored is what so many `replicas` confirm by WAIT."""
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    connections, chance, mark = Connections(factory_of(url)), random.Random(seed), secrets.token_hex(3)
    one, count = Producer(connections, queue, defaults=policy), 0
    client = connections.of(one.queue).command()
    while not stopped:
        count += 1
        job_id, payload = f"{mark}-{count}", order(chance, longest_ms, raising)
        journal().write("asked", job_id)
        try:
            before = connection_id(client) if replicas else 0
            if chance.random() < 0.1:
                one.enqueue_in(payload, chance.random(), id=job_id)
            else:
                one.enqueue(payload, id=job_id)
            if not replicas or is_confirmed(client, before, replicas):
                journal().write("stored", job_id)
        except OutcomeUnknown as error:
            logging.warning("%s", error)
        except QueueError as error:
            logging.warning("%s", error)
            time.sleep(AWAY_SECONDS)
        time.sleep(chance.expovariate(per_second))
    return 0


def connection_id(client: redis.Redis) -> int:
    """The server's id of the connection that the client uses."""
    with translated():
        return int(client.client_id())


def is_confirmed(client: redis.Redis, before: int, replicas: int) -> bool:
    """Whether so many replicas have what was written by the connection with the id `before`.

    WAIT speaks of its own connection: of a new one it would confirm what that never wrote.
    """
    with translated():
        return int(client.wait(replicas, WAIT_MS)) >= replicas and connection_id(client) == before


ROLES: dict[str, Callable[..., int]] = {
    "supervisor": supervisor,
    "worker": worker,
    "janitor": janitor,
    "producer": producer,
}


def main(role: str, orders: dict[str, Any]) -> int:
    """Play one role with the given options; `point` and `nth` arm it."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(message)s")
    point, nth = orders.pop("point", ""), orders.pop("nth", 0)
    if point:
        points.install(point, nth, role)
    journal().write("life", 0)
    return ROLES[role](**orders | {"policy": Policy(**orders["policy"])})
