"""Work that may be held up: a generator that yields how many seconds to wait before it goes on.

Owns: the type. Refuses: to sleep; whoever drives the generator decides what is done meanwhile, so that one
queue that is held up holds up no other.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

Steps = Generator[float, None, T]
"""Yields seconds, returns a `T`. Closed early, it leaves what is in hand where it is."""
