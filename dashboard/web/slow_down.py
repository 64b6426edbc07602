"""Wrong passwords cost time: each address waits longer after each one.

Owns: the waits, in this process. Refuses: to lock a name, which would let anybody lock anybody out; to
grow without bound.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

FREE_TRIES = 3
LONGEST_WAIT_SECONDS = 60.0
# An address that has been quiet for so long begins anew.
FORGET_SECONDS = 900.0
ADDRESSES_MAX = 2048


class SlowDown:
    """Counts wrong passwords by address; `clock` is in seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_seconds(self, address: str) -> float:
        """How long this address has still to wait before its next try; 0 when it may."""
        with self._lock:
            count, at = self._wrong.get(address, (0, 0.0))
            since = self._clock() - at
            if count < FREE_TRIES or since > FORGET_SECONDS:
                return 0.0
            return max(0.0, min(2.0 ** (count - FREE_TRIES), LONGEST_WAIT_SECONDS) - since)

    def wrong(self, address: str) -> None:
        """Note a wrong password; the address that was quiet longest is forgotten when there are too many."""
        with self._lock:
            count, at = self._wrong.pop(address, (0, 0.0))
            now = self._clock()
            self._wrong[address] = (1 if now - at > FORGET_SECONDS else count + 1, now)
            if len(self._wrong) > ADDRESSES_MAX:
                self._wrong.popitem(last=False)

    def right(self, address: str) -> None:
        """Forget an address that gave the right password."""
        with self._lock:
            self._wrong.pop(address, None)
