"""A TCP proxy before a real server that loses, halves, holds up or forestalls the replies it is told to.

Owns: its listening socket and threads, all ended with the `with` block, and the number of each request.
Refuses: to change a byte of what it does let through.

Requests are numbered as they come, over all connections, from 1 and anew after `reset`; "the k-th reply"
is the one to request k. What the server says without having been asked has no number.
"""

from __future__ import annotations

import select
import socket
import threading
from collections import deque
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Self

from tests.support.resp import Frames, is_push, words_of

CHUNK = 1 << 16


class Fault(Enum):
    """What happens to one request and its reply."""

    WHOLE = "the reply is lost"
    """The server carries it out; its reply is dropped and the connection cut."""
    HALF = "half of the reply is lost"
    """As before, but the first half of the reply's bytes arrives."""
    BEFORE = "the request is lost"
    """The connection is cut before the server hears of it."""
    LATE = "the reply is late"
    """The reply comes after `late_seconds`."""


@dataclass(slots=True)
class Asked:
    """One request under way."""

    words: list[bytes]
    fault: Fault | None


class Proxy:
    """Forwards to a loopback port and counts.

    `keeps_dead_connections`: the server does not hear of it when a client closes or dies. `late_seconds`
    is how long a late reply is held back.
    """

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._closed, self._is_away = threading.Event(), threading.Event()
        self.keeps_dead_connections = False
        self.late_seconds = 0.3
        self.reset()

    @property
    def port(self) -> int:
        """The port by which a client comes through."""
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        """The URL by which a client comes through."""
        return f"redis://127.0.0.1:{self.port}/0"

    def reset(self) -> None:
        """Forget all faults and begin to count anew."""
        with self._lock:
            self.requests: list[list[bytes]] = []
            self.lost_count = 0
            self._places: dict[int, Fault] = {}
            self._needle, self._losses, self._fault = b"", 0, Fault.WHOLE

    def fail_reply(self, number: int, fault: Fault) -> None:
        """Let `fault` happen to request `number` and its reply."""
        with self._lock:
            self._places[number] = fault

    def lose_replies(self, *, to: bytes, count: int, fault: Fault = Fault.WHOLE) -> None:
        """Let `fault` happen to the next `count` requests one of whose words contains `to`."""
        with self._lock:
            self._needle, self._losses, self._fault = to, count, fault

    def go_away(self) -> None:
        """Cut every connection and take none, as if the server were gone, until `come_back`."""
        self._is_away.set()
        self.cut_all()

    def come_back(self) -> None:
        """Take connections again."""
        self._is_away.clear()

    def cut_all(self) -> None:
        """Cut every connection that there is now, both ways."""
        with self._lock:
            sockets = list(self._sockets)
        for one in sockets:
            shut(one)

    def lead_to(self, port: int) -> None:
        """Cut every connection, and lead new ones to another server."""
        self._server_port = port
        self.cut_all()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        shut(self._listener)
        self._listener.close()
        self.cut_all()

    def number(self, request: bytes) -> Asked:
        """Count one request and say what is to become of it."""
        words = words_of(request)
        with self._lock:
            self.requests.append(words)
            fault = self._places.pop(len(self.requests), None)
            if fault is None and self._losses and any(self._needle in word for word in words):
                fault, self._losses = self._fault, self._losses - 1
            self.lost_count += fault is not None
            return Asked(words, fault)

    def hold_back(self) -> None:
        """Wait as long as a late reply is late, or until the end of the proxy."""
        self._closed.wait(self.late_seconds)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._server_port))
        except OSError:
            client.close()
            return
        both = {client, server}
        for one in both:
            # Frames are sent one by one: without this the kernel holds the second one back for 40 ms.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._sockets |= both
        if self._closed.is_set() or self._is_away.is_set():
            shut(client)
        Line(self, client, server).carry()
        client.close()
        if self.keeps_dead_connections:
            drain(server)
        server.close()
        with self._lock:
            self._sockets -= both


class Line:
    """One connection through the proxy, both of its sides."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._requests, self._replies = Frames(), Frames()
        self._asked: deque[Asked] = deque()

    def carry(self) -> None:
        """Forward until one side ends or a fault cuts it. The sockets are the caller's to close."""
        try:
            while True:
                for ready in select.select([self._client, self._server], [], [])[0]:
                    chunk = ready.recv(CHUNK)
                    goes_on = self._ask(chunk) if ready is self._client else self._answer(chunk)
                    if not chunk or not goes_on:
                        return
        except (OSError, ValueError):
            return

    def _ask(self, chunk: bytes) -> bool:
        for request in self._requests.feed(chunk):
            asked = self._proxy.number(request)
            if asked.fault is Fault.BEFORE:
                return False
            self._asked.append(asked)
            self._server.sendall(request)
        return True

    def _answer(self, chunk: bytes) -> bool:
        for reply in self._replies.feed(chunk):
            fault = None if is_push(reply) or not self._asked else self._asked.popleft().fault
            if fault is Fault.HALF:
                self._client.sendall(reply[: len(reply) // 2])
            if fault in (Fault.WHOLE, Fault.HALF):
                return False
            if fault is Fault.LATE:
                self._proxy.hold_back()
            self._client.sendall(reply)
        return True


def drain(server: socket.socket) -> None:
    """Take what a server says to a client that is dead, until the server ends the connection."""
    try:
        while server.recv(CHUNK):
            pass
    except OSError:
        return


def shut(one: socket.socket) -> None:
    """End it both ways, whatever state it is in, and wake who waits on it."""
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
