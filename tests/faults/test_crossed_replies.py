"""S3: whatever is cut midway, no reply ever reaches another command.

Every question here has an answer of its own, so that a reply which belongs to another one is seen.
"""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import redis

from dashboard.queue.connections import Connections
from dashboard.queue.errors import OutcomeUnknown, ServerAway, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.job import encode
from dashboard.queue.keys import QueueKeys
from dashboard.queue.producer import Producer
from dashboard.queue.scripts import Scripts
from tests.queue.running import ids, pending
from tests.support.proxy import Fault, Proxy
from tests.support.server import ValkeyServer

CUTS = 1000
PATIENCE_SECONDS = 0.05
THREADS = 4


def impatient(url: str) -> Connections:
    """Connections that wait for an answer for a twentieth of a second only: late ones are given up."""
    factory = ServerFactory.from_url(url, timeout_seconds=PATIENCE_SECONDS)

    def build(role: str, block_seconds: float = 0) -> redis.Redis:
        # A claim would wait for longer.
        return factory("command")

    return Connections(build)


class Questions:
    """Asks in every way that the library asks, one number at a time."""

    def __init__(self, client: redis.Redis) -> None:
        self.client, self.scripts = client, Scripts(client)

    def ask(self, number: int) -> None:
        """Ask about `number`; AssertionError when the answer is another number's. Raises ServerAway."""
        ways = [self.echo, self.peek, self.pipeline, self.peek_many, self.claim]
        ways[number % len(ways)](number)

    def echo(self, number: int) -> None:
        with translated():
            assert self.client.echo(f"{number}") == b"%d" % number

    def peek(self, number: int) -> None:
        (entry,) = self.scripts.peek(b"list:%d" % (number % 100), 0, 0, 100).entries
        assert entry.preview == b"entry %d" % (number % 100)

    def pipeline(self, number: int) -> None:
        with translated(), self.client.pipeline(transaction=False) as pipe:
            for part in range(3):
                pipe.echo(f"{number} {part}")
            assert pipe.execute() == [b"%d %d" % (number, part) for part in range(3)]

    def peek_many(self, number: int) -> None:
        wanted = [(b"list:%d" % ((number + step) % 100), 0, 0, 100) for step in range(3)]
        found = [one.unwrap().entries[0].preview for one in self.scripts.peek_many(wanted)]
        assert found == [b"entry %d" % ((number + step) % 100) for step in range(3)]

    def claim(self, number: int) -> None:
        """A claim of a queue of its own, which only gets the job that was put there."""
        q = QueueKeys(f"queue {number}")
        self.scripts.enqueue(q, [encode(number, None)])
        (raw,) = self.scripts.claim(q, b"w", 1).raws
        assert ids([raw]) == [str(number)]


@pytest.fixture
def server(each_server: ValkeyServer) -> ValkeyServer:
    """Each server, with a hundred lists that tell their own number."""
    with each_server.client() as client:
        for number in range(100):
            client.rpush(f"list:{number}", f"entry {number}")
    return each_server


@pytest.mark.parametrize("role", ["command", "claim"])
def test_S3_no_reply_reaches_another_command_however_it_is_cut(server: ValkeyServer, role: str) -> None:
    rng = random.Random(3)
    with Proxy(server.port) as proxy:
        proxy.late_seconds = PATIENCE_SECONDS * 1.2
        connections = impatient(proxy.url)
        client = connections.claim(0) if role == "claim" else connections.command()
        questions, cut_count, number = Questions(client), 0, 0
        while cut_count < CUTS:
            number += 1
            # A late reply costs its time: one cut in twenty.
            fault = rng.choice([Fault.WHOLE, Fault.HALF, Fault.BEFORE]) if number % 20 else Fault.LATE
            proxy.reset()
            proxy.fail_reply(rng.randint(1, 3), fault)
            try:
                questions.ask(number)
            except ServerAway:
                cut_count += 1
        connections.close()


def test_S3_threads_that_share_a_client_get_their_own_replies(server: ValkeyServer) -> None:
    rng = random.Random(4)
    with Proxy(server.port) as proxy:
        connections = impatient(proxy.url)
        client, cuts, wrong = connections.command(), [0] * THREADS, list[BaseException]()

        def work(thread: int) -> None:
            questions, number = Questions(client), thread * 1_000_000
            while cuts[thread] < CUTS // THREADS and not wrong:
                number += 1
                proxy.lose_replies(to=b"", count=1, fault=rng.choice([Fault.WHOLE, Fault.HALF, Fault.BEFORE]))
                try:
                    questions.ask(number)
                except ServerAway:
                    cuts[thread] += 1
                except BaseException as error:
                    wrong.append(error)

        threads = [threading.Thread(target=work, args=(one,)) for one in range(THREADS)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(60)
        assert wrong == []
        assert sum(cuts) >= CUTS
        connections.close()


class Interrupted(BaseException):
    """What a handler raises when its own alarm rings, wherever it stands."""


@contextmanager
def alarms() -> Iterator[Callable[[float], None]]:
    """`ring(seconds)`: Interrupted is raised in the main thread after that time."""

    def rings(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, rings)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds) and None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("role", ["command", "claim"])
def test_S3_a_command_interrupted_from_outside_leaves_no_reply_for_the_next(
    server: ValkeyServer, role: str
) -> None:
    rng = random.Random(5)
    connections = Connections.from_url(server.url)
    client = connections.claim(0) if role == "claim" else connections.command()
    questions, cut_count, number = Questions(client), 0, 0
    with alarms() as ring:
        while cut_count < CUTS:
            number += 1
            try:
                ring(rng.uniform(0.00002, 0.0006))
                questions.ask(number)
                ring(0)
            except Interrupted:
                cut_count += 1
            except ServerAway:
                continue
    connections.close()


def test_S3_a_producer_that_was_cut_a_thousand_times_knows_what_it_stored(server: ValkeyServer) -> None:
    rng = random.Random(6)
    surely, perhaps = set(), set()
    with Proxy(server.port) as proxy, server.client() as client:
        connections = impatient(proxy.url)
        producer = Producer(connections, "q")
        for number in range(CUTS):
            proxy.reset()
            proxy.fail_reply(1, rng.choice([Fault.WHOLE, Fault.HALF, Fault.BEFORE]))
            try:
                assert producer.enqueue(None, id=number) == number
                surely.add(str(number))
            except OutcomeUnknown:
                perhaps.add(str(number))
            except ServerAway:
                continue
        connections.close()
        stored = ids(pending(client))
    assert len(set(stored)) == len(stored)
    assert surely <= set(stored) <= surely | perhaps
    assert len(perhaps) > CUTS / 3
