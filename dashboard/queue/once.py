"""A guard around a handler whose effect should not repeat: it skips jobs that are known to be done.

Owns: `{q}:once:{id}`, written when a job of that id has ended well, read before one runs. Refuses: to promise
exactly-once, and to run a job while it cannot read whether it is done.

    from dashboard.queue.once import once

    @once("redis://127.0.0.1:6379/0", "mail", seconds=86_400)
    def send(job): ...

What it narrows: the run that follows when a worker was declared dead although its job was done, or when the
acknowledgement was lost. What stays: a crash between the effect and the mark runs the job again; so does one
that runs twice at the same time; and Redis may forget the mark early when it evicts keys or fails over. An
effect that must never repeat needs a key in the system where it happens.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable
from functools import update_wrapper
from typing import Any

from dashboard.queue import backoff
from dashboard.queue.connections import ClientFactory, Connections
from dashboard.queue.errors import ServerAway, ServerError, ServerRefused, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.handler import Handler
from dashboard.queue.job import Job, shown_id
from dashboard.queue.keys import QueueKeys, readable

log = logging.getLogger(__name__)

ONCE_SECONDS = 86_400.0
"""A day: what was lost in an outage has been run again by then."""
SECONDS_MIN, SECONDS_MAX = 1.0, 366 * 86_400.0

PATIENCE_SECONDS = 5.0
"""For so long an absent server is waited for, before and after the job."""


class Once:
    """A handler that runs a job only if none of its id has ended well in the last `seconds`.

    Call it with a job, in any process: clients are built on first use in each. Plain and async handlers are
    both fine, and what they raise is raised; a failed run leaves no mark. A job without an id runs as always.

    A job whose mark cannot be read within five seconds is not run: it raises ServerAway or ServerRefused and
    so counts as a failed run. A mark that cannot be written is logged, and the job counts as done.

    Jobs of one id within the time are taken for one job: ids must not be used anew for other work.
    """

    def __init__(
        self,
        handler: Handler,
        server: str | ClientFactory,
        queue: bytes | str,
        *,
        seconds: float = ONCE_SECONDS,
    ) -> None:
        """Guard `handler` for jobs of `queue` on `server`, a URL or a factory of clients.

        Raises BadName, and ValueError for a time that is not 1 s to 366 days.
        """
        if not SECONDS_MIN <= seconds <= SECONDS_MAX:
            raise ValueError(f"seconds is {seconds:g}; it is {SECONDS_MIN:g} to {SECONDS_MAX:,.0f}.")
        self._handler, self._q, self._seconds = handler, QueueKeys(queue), seconds
        self._factory = ServerFactory.from_url(server) if isinstance(server, str) else server
        self._connections: Connections | None = None
        self._process_id = 0
        # Without the attributes of a handler that is an object: they could replace those above.
        update_wrapper(self, handler, updated=())

    def __call__(self, job: Job) -> object:
        """Run the handler unless the job is done; what it returns for others to await is returned so."""
        if job.id is None:
            return self._handler(job)
        key, process_id = self._q.once(id_bytes(job.id)), os.getpid()
        done = self._ask(lambda client: client.get(key))
        if done is not None:
            log.warning(
                "job %s of queue %s was done before and is skipped: %s",
                shown_id(job.id), readable(self._q.queue), readable(done[:200]),
            )  # fmt: skip
            return None
        result = self._handler(job)
        if inspect.isawaitable(result):
            return self._after(result, key, process_id)
        # A generator has run nothing, and whoever called will say so.
        if not inspect.isgenerator(result) and not inspect.isasyncgen(result):
            self._mark(key, process_id)
        return result

    async def _after(self, result: Awaitable[object], key: bytes, process_id: int) -> object:
        value = await result
        # Blocks the event loop, in which nothing else runs but what the job itself left behind.
        self._mark(key, process_id)
        return value

    def _mark(self, key: bytes, process_id: int) -> None:
        """Write the mark, unless in a process that the handler forked: its parent goes on with the job."""
        if os.getpid() != process_id:
            return
        mark = json.dumps({"by": f"{socket.gethostname()}:{process_id}", "at": round(time.time(), 3)})
        try:
            self._ask(lambda client: client.set(key, mark, px=int(self._seconds * 1000)))
        except ServerError as error:
            log.warning(
                "%s is not marked as done, so a second run would not be skipped: %s", readable(key), error
            )

    def _ask(self, command: Callable[[Any], Any]) -> Any:
        """Give a command that may be repeated, for as long as patience lasts. Raises ServerError."""
        give_up_at, tries = time.monotonic() + PATIENCE_SECONDS, 0
        while True:
            try:
                with translated():
                    return command(self._client())
            except ServerAway as error:
                tries += 1
                pause = backoff.pause_seconds(tries)
                if time.monotonic() + pause > give_up_at:
                    raise ServerAway(f"{error} Whether the job was done before is not known.") from error
                time.sleep(pause)
            except ServerRefused as error:
                raise ServerRefused(error.code, f"The mark of a done job: {error}") from error

    def _client(self) -> Any:
        """Return the client of this process. A connection must not be shared over a fork."""
        if self._connections is None or self._process_id != os.getpid():
            self._connections, self._process_id = Connections(self._factory), os.getpid()
        return self._connections.of(self._q).command()


def once(
    server: str | ClientFactory, queue: bytes | str, *, seconds: float = ONCE_SECONDS
) -> Callable[[Handler], Once]:
    """Return a decorator that guards a handler; see `Once`."""
    return lambda handler: Once(handler, server, queue, seconds=seconds)


def id_bytes(job_id: object) -> bytes:
    """Return a job id as bytes, different for different ids: a text as it is, others as `=` and JSON."""
    if isinstance(job_id, str) and not job_id.startswith("="):
        return job_id.encode("utf-8", "surrogatepass")
    return b"=" + json.dumps(job_id, sort_keys=True, separators=(",", ":")).encode()
