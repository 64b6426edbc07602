"""Looking further for an entry that is no longer near the place where it was shown.

Owns: the walk outward from that place in bounded reads, and its budget. Refuses: to act, and to take an entry
for another one: length and digest (and the score, in delayed) have to be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dashboard.queue.address import Address
from dashboard.queue.answers import Entry
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts

WINDOW = 256
"""Entries of one read: about a millisecond of the server's time when they are small."""
WINDOW_OF_LARGE = 16
"""Entries of one read when they are large, since each of them is hashed."""
LARGE_BYTES = 8192
READS_MAX = 400
"""Reads of one act, so that it looks at about 100,000 entries at most and never stays for ever."""


@dataclass(slots=True)
class Finder:
    """Finds entries again for one act; all of them share one budget of reads."""

    scripts: Scripts
    keys: QueueKeys
    reads_left: int = READS_MAX

    def find(self, address: Address) -> Address | None:
        """The same entry with the place where it stands now, or None when it was not met.

        Raises WrongKeyType and ServerError.
        """
        window = WINDOW_OF_LARGE if address.length > LARGE_BYTES else WINDOW
        for entry in self._outward(key_of(self.keys, address), address.hint, window):
            if is_at(entry, address):
                return replace(address, hint=entry.hint)
        return None

    def find_digest(self, key: bytes, digest: str, below: int) -> int | None:
        """Where the list's entry with this digest stands now, nearest to `below` on the way to the right end.

        The answer is an index from the right, under `below`, or None.
        """
        upper = below
        while upper > 0 and self.reads_left > 0:
            first = max(0, upper - WINDOW)
            entries, _ = self._read(key, first, upper - first)
            for entry in entries:
                if entry.digest == digest:
                    return entry.hint
            upper = first
        return None

    def _outward(self, key: bytes, hint: int, window: int) -> Iterator[Entry]:
        """Entries around `hint`, window by window, in turns towards the stable end and away from it."""
        middle = max(0, hint - window // 2)
        upper, lower, total = middle, middle, middle + 1
        while self.reads_left > 0 and (lower > 0 or upper < total):
            if upper < total:
                entries, total = self._read(key, upper, window)
                yield from entries
                upper += window
            if lower > 0 and self.reads_left > 0:
                first = max(0, lower - window)
                entries, total = self._read(key, first, lower - first)
                yield from entries
                lower = first

    def _read(self, key: bytes, first: int, count: int) -> tuple[list[Entry], int]:
        """The entries whose hints begin at `first`, and how many there are in all."""
        self.reads_left -= 1
        is_set = key == self.keys.delayed
        start, stop = (first, first + count - 1) if is_set else (-first - count, -first - 1)
        peeked = self.scripts.peek(key, start, stop, 0)
        return peeked.entries, peeked.total_count


def is_at(entry: Entry, address: Address) -> bool:
    """Whether an entry is the addressed one, wherever it stands."""
    proof = (address.digest, address.length, address.score)
    return (entry.digest, entry.length, entry.score) == proof


def key_of(keys: QueueKeys, address: Address) -> bytes:
    """The key that an address points into."""
    if address.place == "processing":
        return keys.processing(address.worker or b"")
    by_place = {"pending": keys.pending, "dead": keys.dead, "delayed": keys.delayed}
    return by_place[address.place]
