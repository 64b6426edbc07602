"""A TCP proxy before a real server that loses replies and keeps connections of the dead open.

Owns: its listening socket and threads, all ended with the `with` block. Refuses: to understand more of the
protocol than which bytes a request contains.
"""

from __future__ import annotations

import select
import socket
import threading
from types import TracebackType
from typing import Self

CHUNK = 1 << 16


class Proxy:
    """Forwards to a loopback port. A request is what one `recv` brings: small commands come whole."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._needle, self._losses = b"", 0
        self.lost_count = 0
        self.keeps_dead_connections = False
        self._sockets: list[socket.socket] = []
        self._is_open = True

    @property
    def url(self) -> str:
        """The URL by which a client comes through."""
        return f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"

    def lose_replies(self, *, to: bytes, count: int) -> None:
        """Carry the next `count` requests that contain `to` to the server, and cut when its reply comes."""
        with self._lock:
            self._needle, self._losses = to, count

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_open = False
        for one in [self._listener, *self._sockets]:
            close(one)

    def _accept(self) -> None:
        while self._is_open:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._sockets += [client, server]
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        losing = False
        try:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    chunk = ready.recv(CHUNK)
                    if ready is client:
                        if not chunk:
                            if not self.keeps_dead_connections:
                                close(server)
                            return
                        losing = self._takes_loss(chunk)
                        server.sendall(chunk)
                    elif losing or not chunk:
                        close(client)
                        close(server)
                        return
                    else:
                        client.sendall(chunk)
        except (OSError, ValueError):
            close(client)
            if not self.keeps_dead_connections:
                close(server)

    def _takes_loss(self, request: bytes) -> bool:
        with self._lock:
            if self._losses and self._needle in request:
                self._losses -= 1
                self.lost_count += 1
                return True
        return False


def close(one: socket.socket) -> None:
    """Close both ways, whatever state it is in, and wake who waits on it."""
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    one.close()
