"""A server that listens on a Unix socket only.

Owns: the path of the socket. Refuses: a port.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import redis

from tests.support.server import Kind, ValkeyServer


class SocketServer(ValkeyServer):
    """A server on a socket in its own folder."""

    def __init__(self, kind: Kind = "valkey", **options: str | int) -> None:
        super().__init__(kind, unixsocketperm="700", **options)

    @property
    def path(self) -> Path:
        """The socket."""
        return self.folder / "redis.sock"

    @property
    def url(self) -> str:
        """The URL of database 0, password included."""
        secret = f":{self.password}@" if self.password else ""
        return f"unix://{secret}{quote(str(self.path))}?db=0"

    def client(self, **options: object) -> redis.Redis:
        """A client over the socket."""
        return super().client(unix_socket_path=str(self.path), **options)

    def _command(self) -> list[str]:
        self.port = 0
        return [*super()._command(), "--unixsocket", str(self.path)]
