"""Connections that find their server anew whenever they connect, and the client that uses them.

Owns: leaving a server that says it is not the right one (any more). Refuses: to repeat a command whose
outcome is not known; what a server refused because another owns the slot was not carried out.
"""

from __future__ import annotations

from typing import Any

import redis
from redis.exceptions import ClusterDownError, MovedError, ReadOnlyError

from dashboard.queue.finding import Finder
from dashboard.queue.whole_client import WholeClient

MISPLACED = (ReadOnlyError, MovedError, ClusterDownError)
"""Refusals of a server that was demoted, that owns the slot no longer, or that lost the others."""


class SeekingConnection(redis.Connection):
    """A TCP connection to whatever server `finder` finds at that moment.

    After a refusal as in MISPLACED it is left when somebody next asks for it; the refusal itself is raised.
    """

    def __init__(self, finder: Finder, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self._finder, self._is_misplaced = finder, False

    def _connect(self) -> Any:
        self.host, self.port = self._finder.find()
        self._is_misplaced = False
        return super()._connect()  # type: ignore[no-untyped-call]

    def connect(self) -> None:
        """Connect, also when this was connected to what turned out to be the wrong server."""
        if self._is_misplaced:
            self.disconnect()  # type: ignore[no-untyped-call]
        super().connect()  # type: ignore[no-untyped-call]

    def read_response(self, *args: Any, **options: Any) -> Any:
        """Read an answer, and note when it says that this is the wrong server."""
        try:
            return super().read_response(*args, **options)
        except MISPLACED:
            # Not left at once: more answers of a pipeline may follow, or of a transaction.
            self._is_misplaced = True
            raise


class SeekingTlsConnection(SeekingConnection, redis.SSLConnection):
    """The same over TLS."""


class SeekingClient(WholeClient):
    """A client of a server that is found, not given. A command follows its slot to a new owner, once."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Give a command; once more where a cluster says that another node owns the slot."""
        try:
            return super().execute_command(*args, **options)
        except MovedError:
            if self.connection is not None:
                # Of a claim: others know it by its id, so whoever holds it makes the next one.
                raise
            return super().execute_command(*args, **options)
