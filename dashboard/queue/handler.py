"""What a worker calls for each job, and what is kept of a call that raised.

Owns: loading `module:function`, running async functions, and the error members of a failed job. Refuses: to
decide whether the job runs again.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import traceback
from collections.abc import Callable
from typing import Any

from dashboard.queue.errors import BadHandler
from dashboard.queue.job import Job

Handler = Callable[[Job], object]
"""Called with each job. What it returns is ignored, an exception is a failure. It may be async."""

TRACEBACK_BYTES_MAX = 4096
ERROR_CHARACTERS_MAX = 500


def load(path: str) -> Handler:
    """Return the callable at `module:function`, or raise BadHandler with one sentence."""
    module_name, colon, attributes = path.partition(":")
    if not (module_name and colon and attributes):
        raise BadHandler(f"The handler {path!r} is not of the form module:function.")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
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
    """Calls a handler; coroutines run to their end in one event loop for the runner's life."""

    def __init__(self, handler: Handler) -> None:
        self._loop: asyncio.Runner | None = None
        self._handler = handler
        is_async = inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
            getattr(handler, "__call__", None)  # noqa: B004 - an object whose __call__ is async
        )
        self.call: Handler = self._call_async if is_async else handler

    def _call_async(self, job: Job) -> object:
        if self._loop is None:
            self._loop = asyncio.Runner()
        coroutine: Any = self._handler(job)
        return self._loop.run(coroutine)

    def close(self) -> None:
        """End the event loop, if there was one."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None


def describe(error: BaseException) -> str:
    """Return "type: message" in one line of at most 500 characters, also when the message cannot be had."""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "(its message could not be read)"
    name = type(error).__qualname__
    return (f"{name}: {message}" if message else name)[:ERROR_CHARACTERS_MAX]


def traceback_of(error: BaseException) -> str:
    """Return the traceback from the handler's first line on: its last 4 KB, cut at a line."""
    try:
        # The first frame is the worker's own.
        inner = error.__traceback__.tb_next if error.__traceback__ else None
        lines = traceback.format_exception(type(error), error, inner or error.__traceback__)
    except Exception:
        return describe(error)
    text = "".join(lines).encode("utf-8", "backslashreplace")
    if len(text) > TRACEBACK_BYTES_MAX:
        text = text[-TRACEBACK_BYTES_MAX:]
        text = text.partition(b"\n")[2] or text
    return text.decode("utf-8", "ignore")
