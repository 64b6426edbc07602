"""Signals in processes that a handler forks: they are no workers, and must not act like one.

Owns: what a fork inherits of a worker's signal handlers. Refuses: processes that execute another program,
which get the defaults by themselves.

A fork would answer a SIGTERM by stopping the worker that it was forked from: through the shared pipe of a
supervised child, or by giving back the running job of a named one. And it would not end, as
`multiprocessing.Process.terminate` expects it to.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable

TO_DEFAULT = (signal.SIGTERM, signal.SIGUSR1)
HEARD = (*TO_DEFAULT, signal.SIGINT)


class _Mask(threading.local):
    """The signals that a forking thread blocked before the fork; threads may fork at the same time."""

    before: Iterable[int] = ()


_mask = _Mask()


def part_from_forks() -> None:
    """Have forks of this process end by SIGTERM and SIGUSR1, and pass over a terminal's SIGINT.

    Once in a process, for its life; it cannot be undone.
    """
    os.register_at_fork(before=_block, after_in_parent=_unblock, after_in_child=_part)


def _block() -> None:
    # Between the fork and the defaults a signal would still be taken for one to the worker.
    _mask.before = signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)


def _unblock() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _mask.before)


def _part() -> None:
    signal.set_wakeup_fd(-1)
    for number in TO_DEFAULT:
        signal.signal(number, signal.SIG_DFL)
    # The job of a worker that a terminal stops has its grace, and so has what it forked.
    signal.signal(signal.SIGINT, lambda *_: None)
    _unblock()
