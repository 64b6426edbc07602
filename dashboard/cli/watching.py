"""Watching heartbeats from the command line, for queues that no janitor and no console watches.

Owns: looking again and again for as long as the threshold, with a progress bar, and the sentence about
workers that were not watched for that long. Refuses: to judge; the reader does, by what it has seen itself.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

import click

from dashboard.cli.output import counted

if TYPE_CHECKING:
    from dashboard.inspector import Inspector

LOOK_SECONDS: Final = 1.0
MARGIN_SECONDS: Final = 3
"""Looks on top of the threshold: a pass of the reader may be two seconds old."""


def watch(inspector: Inspector, queue: bytes | None) -> None:
    """Look at the silent workers until each has been watched for its threshold, or nobody is silent."""
    looks = int(inspector.workers(queue).stale_after_seconds[1]) + MARGIN_SECONDS
    with click.progressbar(length=looks, label="Watching heartbeats", file=sys.stderr) as bar:
        for _ in range(looks):
            if not silent_holders(inspector, queue):
                break
            time.sleep(LOOK_SECONDS)
            bar.update(1)


def silent_holders(inspector: Inspector, queue: bytes | None) -> int:
    """Return how many workers hold jobs and are silent, but not yet stale; those of the first page."""
    return sum(bool(row.held_count) for row in inspector.workers(queue, "silent").rows)


def unwatched_sentence(count: int) -> str:
    """Return what is to be said about them."""
    return (
        f"{counted(count, 'worker is', 'workers are')} silent and holding jobs, but not watched for the "
        "threshold yet: give --watch, or reap by name."
    )
