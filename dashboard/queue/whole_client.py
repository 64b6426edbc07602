"""A client that never reads the reply to a command which was cut from outside.

Owns: leaving all connections behind when a signal's exception (a time limit, Ctrl-C, a handler's own alarm)
struck while a command was under way. redis-py closes the connection where it notices; between sending and
reading, and while it connects, it does not, and the next command would get the reply to this one. Refuses:
to catch anything, and to touch connections after redis-py's own errors, which have put them in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis
from redis.client import Pipeline

IN_ORDER = (redis.RedisError, OSError)
"""What redis-py raises itself, with the connection closed where its state is not known."""


UNDECODED = {"NEVER_DECODE": True}
"""The options of a reply that is taken as it comes."""


class WholeClient(redis.Redis):
    """A client whose commands are answered by their own replies, whatever cut the ones before."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Give one command and return its reply."""
        try:
            if self.connection is not None and options == UNDECODED:
                return _exchanged(self.connection, args)
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        except IN_ORDER:
            raise
        except BaseException:
            if self.connection is not None:
                leave([self.connection])
            else:
                leave_all(self.connection_pool)
            raise

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> WholePipeline:
        """Return a pipeline of which the same holds."""
        return WholePipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


class WholePipeline(Pipeline):
    """Several commands in one round trip, answered by their own replies."""

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Give the commands and return their replies."""
        try:
            return super().execute(raise_on_error)
        except IN_ORDER:
            raise
        except BaseException:
            leave_all(self.connection_pool)
            raise


def _exchanged(connection: Any, command: Sequence[Any]) -> Any:
    """Return the reply, as it comes, on a connection that is one thread's alone.

    The path of every job: no lock, no retries and no measurements, which took redis-py a tenth of a worker's
    time. Both calls close the connection where its state is not known.
    """
    connection.send_command(*command)
    return connection.read_response(disable_decoding=True)


def leave_all(pool: Any) -> None:
    """Close every connection of a pool and begin with none.

    Those that other threads use just now end with an error of redis-py's. A connection that was on its way
    from the pool to the command would be missing from it for ever, hence the new beginning.
    """
    leave(list(getattr(pool, "_connections", ())))
    pool.reset()


def leave(connections: list[Any]) -> None:
    """Close connections, also those that were cut while they connected."""
    for connection in connections:
        try:
            connection.disconnect()
        except Exception:  # noqa: S112
            # Half-built: it is closed as far as it was open, or goes with the last reference to it.
            continue
