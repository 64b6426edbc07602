"""What a worker calls for each job, and what is kept of a call that raised.

Owns: loading `module:function`, running async functions, ending the processes that a handler forks, and the
error members of a failed job. Refuses: to decide whether the job runs again.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from dashboard.queue.errors import BadHandler
from dashboard.queue.job import Job
from dashboard.queue.time_limit import TimeLimit

log = logging.getLogger(__name__)

Handler = Callable[[Job], object]
"""Called with each job. What it returns is ignored, an exception is a failure; an awaitable is awaited."""

AROUND_HANDLERS = (f"{Path(__file__).parent}/", f"{Path(asyncio.__file__).parent}/")
"""Folders of the code that calls handlers."""
TRACEBACK_BYTES_MAX = 4096
ERROR_CHARACTERS_MAX = 500


def load(path: str) -> Handler:
    """Return the callable at `module:function`, or raise BadHandler with one sentence."""
    module_name, colon, attributes = path.partition(":")
    if not (module_name and colon and attributes):
        raise BadHandler(f"The handler {path!r} is not of the form module:function.")
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise BadHandler(
            f"The handler {path!r} cannot be loaded: importing {module_name} raised {describe(error)}."
        ) from error
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            raise BadHandler(
                f"The handler {path!r} does not exist: {module_name} has no {attributes}."
            ) from None
    if not callable(found):
        raise BadHandler(f"The handler {path!r} cannot be called: it is a {type(found).__name__}.")
    handler: Handler = found
    return handler


class Runner:
    """Calls a handler in the process that made the runner, and sees that what it began has run.

    Awaitables run to their end in one event loop for the runner's life. A generator has run nothing, and so
    is a failure. With a time limit it belongs to the main thread, and raises BadTimeLimit elsewhere.
    """

    def __init__(self, handler: Handler, time_limit_seconds: float | None = None) -> None:
        self._handler = handler
        self._limit = None if time_limit_seconds is None else TimeLimit(time_limit_seconds)
        self._process_id = os.getpid()
        self._loop: asyncio.Runner | None = None

    def call(self, job: Job) -> None:
        """Run the handler for one job; raises what it raises, and TimeLimitExceeded.

        A process that it forked never returns.
        """
        try:
            if self._limit is None:
                self._run(job)
            else:
                self._limit.keep(lambda: self._run(job))
        except BaseException as error:
            if os.getpid() != self._process_id:
                _leave(error)
            raise
        if os.getpid() != self._process_id:
            _leave(None)

    def close(self) -> None:
        """End the event loop, if there was one."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def _run(self, job: Job) -> None:
        result = self._handler(job)
        if result is not None:
            self._finish(result)

    def _finish(self, result: object) -> None:
        if inspect.isawaitable(result):
            if self._loop is None:
                self._loop = asyncio.Runner()
            self._loop.run(_awaited(result, self._limit))
        elif inspect.isgenerator(result) or inspect.isasyncgen(result):
            raise TypeError("the handler returned a generator, of which nothing has run")


async def _awaited(result: Awaitable[object], limit: TimeLimit | None) -> None:
    with limit.cancelling() if limit else nullcontext():
        await result


def _leave(error: BaseException | None) -> NoReturn:
    """End a process that a handler forked: its parent works on, with the same job and connection."""
    code = 0 if error is None else 1
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    elif error is not None:
        log.error("a process that a handler forked failed: %s", describe(error))
    flush_streams()
    os._exit(code & 0xFF)


def flush_streams() -> None:
    """Write out what was printed, before an end that skips the interpreter's own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass


def describe(error: BaseException) -> str:
    """Return "type: message" in one line of at most 500 characters, also when the message cannot be had."""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "(its message could not be read)"
    name = type(error).__qualname__
    line = f"{name}: {message}" if message else name
    # What Redis and JSON are given is UTF-8, and a lone surrogate is none.
    return line.encode("utf-8", "backslashreplace").decode()[:ERROR_CHARACTERS_MAX]


def traceback_of(error: BaseException) -> str:
    """Return the traceback from the handler's first line on: its last 4 KB, cut at a line."""
    try:
        lines = traceback.format_exception(type(error), error, _within_handler(error.__traceback__))
    except Exception:
        return describe(error)
    text = "".join(lines).encode("utf-8", "backslashreplace")
    if len(text) > TRACEBACK_BYTES_MAX:
        text = text[-TRACEBACK_BYTES_MAX:]
        text = text.partition(b"\n")[2] or text
    return text.decode("utf-8", "ignore")


def _within_handler(frames: TracebackType | None) -> TracebackType | None:
    """Return the frames without the first ones, which are the worker's own and the event loop's."""
    inner = frames
    while inner and inner.tb_frame.f_code.co_filename.startswith(AROUND_HANDLERS):
        inner = inner.tb_next
    return inner or frames
