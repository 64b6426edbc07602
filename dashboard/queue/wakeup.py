"""Signals as bytes in a pipe, so that a loop can sleep and miss none.

Owns: the signal handlers of the main thread while it is open, and the pipe. Refuses: to decide what a signal
means.
"""

from __future__ import annotations

import os
import select
import signal

HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGUSR1)


class Wakeup:
    """Hears SIGTERM, SIGINT, SIGCHLD and SIGUSR1 from its making to `close`. For the main thread."""

    def __init__(self) -> None:
        self._told, self._tell = os.pipe()
        os.set_blocking(self._told, False)
        os.set_blocking(self._tell, False)
        self._fd_before = signal.set_wakeup_fd(self._tell, warn_on_full_buffer=False)
        # The handlers do nothing: the interpreter writes each signal's number to the pipe.
        self._before = {number: signal.signal(number, lambda *_: None) for number in HEARD}

    def wait(self, seconds: float) -> list[int]:
        """Sleep for `seconds` or until a signal; return the numbers of those that came."""
        ready, _, _ = select.select([self._told], [], [], seconds)
        return list(os.read(self._told, 4096)) if ready else []

    def close(self) -> None:
        """Put the former handlers back."""
        signal.set_wakeup_fd(self._fd_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._told)
        os.close(self._tell)
