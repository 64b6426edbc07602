"""The numbers of one worker's settle calls, and what each of them acknowledged.

Owns: the next number, and the memory of acknowledgements for a server that forgets them: after a failover to
a replica that lagged, or a crash between two syncs of the append-only file. Refuses: Redis; `ClaimLine` asks
when a server turns out to know less than it once confirmed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from dashboard.queue.slot import Slot

ACKS_MAX = 10_000
"""Two seconds of the fastest workers, many minutes of slow ones."""
BYTES_MAX = 4 * 1024 * 1024
AGE_MAX_SECONDS = 300.0
"""A server that comes back with less than it knew this long ago is no failover but a backup."""


Call = tuple[int, float, int, tuple[bytes, ...], int | None]
"""Number, when it was begun, bytes of its acknowledgements, these, and the number after which they count.

A plain tuple of plain values: ten thousand of them are kept, and of these the garbage collector walks none.
"""


class SettleCalls:
    """Calls begun and confirmed, with growing numbers.

    The oldest acknowledgements fall out when more than 10,000 or 4 MB are remembered, or after five minutes:
    a job of theirs that comes back then runs again. `slot` is told what of the finished jobs is settled, for
    whoever cleans up after this process.
    """

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        # Above every number that an earlier instance under the same name can have left behind.
        self.number = int(time.time() * 1000)
        self._begun: list[Call] = []
        self._confirmed: deque[Call] = deque()
        self._acks_count = self._bytes_count = 0

    def begin(self, acks: Sequence[bytes], *, after: int | None = None) -> int:
        """Return the number of a call that is about to be sent and acknowledges `acks`.

        With `after` it acknowledges again what calls after that number had, and takes their place.
        """
        self.number += 1
        self._begun.append((self.number, time.monotonic(), sum(map(len, acks)), tuple(acks), after))
        return self.number

    def confirm(self, number: int, lost: Sequence[int] = ()) -> None:
        """Note that this call happened, and none of those begun after it; `lost` are places in its acks."""
        self._slot.note_settled(number)
        begun, self._begun = self._begun, []
        call = next((one for one in begun if one[0] == number), None)
        if call is None:
            return
        _, begun_at, bytes_count, acks, after = call
        if after is not None:
            self._forget_after(after)
        if lost:
            acks = tuple(raw for place, raw in enumerate(acks) if place not in lost)
            bytes_count = sum(map(len, acks))
        if acks:
            self._remember((number, begun_at, bytes_count, acks, None))

    def forgotten_by(self, known: int | None) -> list[bytes]:
        """Return what confirmed calls after number `known` acknowledged, oldest first; [] for None."""
        if known is None:
            return []
        return [raw for number, _, _, acks, _ in self._confirmed if number > known for raw in acks]

    def dismiss(self, known: int | None) -> None:
        """Note that none of the begun calls happened, and that nothing is left of those after `known`."""
        self._slot.note_settled(known or 0)
        self._begun.clear()
        self._forget_after(known)

    def _forget_after(self, known: int | None) -> None:
        while known is not None and self._confirmed and self._confirmed[-1][0] > known:
            self._drop(self._confirmed.pop())

    def _remember(self, call: Call) -> None:
        _, begun_at, bytes_count, acks, _ = call
        self._confirmed.append(call)
        self._acks_count += len(acks)
        self._bytes_count += bytes_count
        while self._confirmed and (
            self._acks_count > ACKS_MAX
            or self._bytes_count > BYTES_MAX
            or self._confirmed[0][1] < begun_at - AGE_MAX_SECONDS
        ):
            self._drop(self._confirmed.popleft())

    def _drop(self, call: Call) -> None:
        _, _, bytes_count, acks, _ = call
        self._acks_count -= len(acks)
        self._bytes_count -= bytes_count
