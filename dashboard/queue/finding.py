"""Finding the server of a connection whenever one is made: by Sentinels, or by the nodes of a cluster.

Owns: whom to ask, in which order, and the question. Refuses: to remember the answer. A switch is noticed by
the next connection then, and the cost is one short question a connection.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import redis

from dashboard.queue.errors import Unfound
from dashboard.queue.server_address import Place, shown

T = TypeVar("T")
Layout = list[tuple[range, Place]]
"""Which slots belong to whom."""
Trouble = tuple[Place, Exception]
"""Who was asked, and why no answer came."""
Open = Callable[[Place], Any]
"""Makes an unconnected redis-py connection to one Sentinel or node."""


class Finder(Protocol):
    """Finds the host and port of the server to connect to. Raises redis.ConnectionError."""

    def find(self) -> Place:
        """Ask now."""
        ...


@dataclass
class SentinelFinder:
    """Asks the Sentinels, one after the other, who the primary of a service is.

    `sentinels` is put in order: who answered stands first.
    """

    sentinels: list[Place]
    service: str
    open: Open = field(repr=False)

    def find(self) -> Place:
        """Return the primary that the first Sentinel that knows one names."""
        troubles: list[Trouble] = []
        for sentinel in list(self.sentinels):
            try:
                answer = _ask(self.open, sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.service)
            except (redis.RedisError, OSError) as error:
                troubles.append((sentinel, error))
                continue
            if answer:
                self.sentinels[:] = [sentinel, *(one for one in self.sentinels if one != sentinel)]
                return _text(answer[0]), int(answer[1])
            troubles.append((sentinel, redis.ResponseError(f"it knows no service {self.service!r}")))
        raise _unfound("no Sentinel names the primary", troubles)


@dataclass
class SlotFinder:
    """Asks the nodes of a cluster, in any order, who owns a slot.

    `nodes` becomes those of the URL and those that own slots by the last answer.
    """

    given: tuple[Place, ...]
    nodes: list[Place]
    slot: int
    open: Open = field(repr=False)

    def find(self) -> Place:
        """Return the owner of the slot that the first node that knows one names."""
        return self._ask_until(
            lambda layout: next((owner for slots, owner in layout if self.slot in slots), None)
        )

    def owners(self) -> list[int]:
        """Return one slot of each node that owns any: together they stand for the whole cluster."""

        def read(layout: Layout) -> list[int]:
            firsts: dict[Place, int] = {}
            for slots, owner in layout:
                firsts.setdefault(owner, slots.start)
            return list(firsts.values())

        return self._ask_until(read)

    def _ask_until(self, read: Callable[[Layout], T | None]) -> T:
        """Return what `read` makes of the first layout from which it makes anything."""
        troubles: list[Trouble] = []
        nodes = list(self.nodes)
        for node in random.sample(nodes, len(nodes)):
            try:
                layout = _layout(_ask(self.open, node, "CLUSTER", "SLOTS"), node)
            except (redis.RedisError, OSError) as error:
                troubles.append((node, error))
                continue
            found = read(layout)
            if found:
                self.nodes[:] = dict.fromkeys([*self.given, *(owner for _, owner in layout)])
                return found
            troubles.append((node, redis.ResponseError("it knows no owner of the slot")))
        if troubles and all(isinstance(error, redis.AuthenticationError) for _, error in troubles):
            raise troubles[0][1]
        raise _unfound("no node of the cluster names the owner of the slot", troubles)


def _layout(answer: Any, asked: Place) -> Layout:
    # A node that does not know its own name leaves it empty.
    return [
        (range(int(first), int(last) + 1), (_text(owner[0] or b"") or asked[0], int(owner[1])))
        for first, last, owner, *_ in answer
    ]


def _ask(open_: Open, place: Place, *words: str) -> Any:
    connection = open_(place)
    try:
        connection.connect()
        connection.send_command(*words)
        return connection.read_response()
    finally:
        connection.disconnect()


def _unfound(what: str, troubles: list[Trouble]) -> Unfound:
    said = "; ".join(f"{shown(place)}: {str(error).rstrip('.')}" for place, error in troubles)
    unfound = Unfound(what, said)
    # A refusal of TLS is no matter of waiting: whoever translates the error looks at its cause.
    unfound.__cause__ = next((error for _, error in troubles), None)
    return unfound


def _text(name: bytes | str) -> str:
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
