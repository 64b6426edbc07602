"""What a demo offers the console: signals to the worker processes that it started itself.

Owns: the shape of that object. Refuses: to signal anything; the demo does, and only its own processes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Protocol

Signal = Literal["SIGKILL", "freeze", "thaw"]
SIGNALS: tuple[Signal, ...] = ("SIGKILL", "freeze", "thaw")


class DemoHook(Protocol):
    """Given to `create_app(…, demo=…)`; absent in every real console."""

    def processes(self) -> Collection[bytes]:
        """Names of the workers that run now in processes of the demo."""

    def signal(self, worker: bytes, what: Signal) -> None:
        """Send the signal; LookupError when that worker is not (or no longer) one of the demo's."""
