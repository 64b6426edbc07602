"""One server for the state machine: the clients that call scripts, and a look at every key in one round trip.

Owns: the connections. Refuses: to interpret what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import redis

from tests.support.monitor import Monitor, undeclared
from tests.support.server import ValkeyServer
from tests.support.standing_queue import QUEUE

WORKERS = (b"w1", b"w 2\n", b"\xff3")
LOOK: list[tuple[Any, ...]] = [
    *(("LRANGE", key, 0, -1) for key in (QUEUE.pending, QUEUE.dead, *map(QUEUE.processing, WORKERS))),
    ("ZRANGE", QUEUE.delayed, 0, -1, "WITHSCORES"),
    ("HGETALL", QUEUE.heartbeats),
    ("XRANGE", QUEUE.trash, "-", "+"),
    ("XLEN", QUEUE.events),
    ("KEYS", "*"),
]


class Bench:
    """`callers` call scripts, `client` sets up. With a `monitor` it is known which keys scripts touched."""

    def __init__(
        self, client: redis.Redis, callers: Sequence[redis.Redis], monitor: Monitor | None = None
    ) -> None:
        self.client, self.callers, self._monitor = client, callers, monitor
        self.step_count = 0
        pool: Any = client.connection_pool
        self._line = pool.get_connection()
        # Written once: a look after every step would spend most of its time on that.
        self._question = b"".join(self._line.pack_commands(LOOK))

    def look(self) -> list[Any]:
        """The answers to LOOK, as RESP2 gives them."""
        self.step_count += 1
        self._line.send_packed_command([self._question])
        return [self._line.read_response() for _ in LOOK]

    def undeclared(self) -> list[tuple[bytes, bytes]]:
        """Commands and keys that scripts used since the last call without having declared them."""
        return undeclared(self._monitor.seen()) if self._monitor else []


@contextmanager
def bench_of(server: ValkeyServer, *, listens: bool) -> Iterator[Bench]:
    """A bench with clients of both protocols, with and without text where Redis can give it."""
    with ExitStack() as stack:
        client = stack.enter_context(server.client())
        callers = [
            stack.enter_context(server.client(protocol=protocol, decode_responses=decode))
            for protocol in (2, 3)
            for decode in (False, True)
        ]
        yield Bench(client, callers, stack.enter_context(Monitor(client)) if listens else None)


def pairs(flat: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """What RESP2 gives as one list, two by two."""
    return zip(flat[::2], flat[1::2], strict=True)
