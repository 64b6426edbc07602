"""The page of memory that a worker's loop and whoever beats for it share, across a fork or between threads.

Owns: its layout. Refuses: locks and Redis; each field has one writer and is one aligned machine word, so
that a reader never sees half of it. Times are `time.monotonic()`, which all processes of a machine share;
0.0 means never.
"""

from __future__ import annotations

import mmap

PAGE_BYTES = 4096
WORDS_AT = 1024
WORDS_BYTES_MAX = 1000


class Slot:
    """What is known of one worker without asking Redis. Made before the fork."""

    def __init__(self) -> None:
        # Anonymous and shared: gone by itself when the last of its processes ends.
        self._page = mmap.mmap(-1, PAGE_BYTES)
        self._times = memoryview(self._page)[:128].cast("d")
        self._counts = memoryview(self._page)[128:256].cast("Q")

    # Written by whoever beats.

    @property
    def beat_at(self) -> float:
        """When the last successful beat was sent."""
        return self._times[0]

    @property
    def server_offset_seconds(self) -> float:
        """What to add to this machine's monotonic time to get the server's unix time, by the last beat."""
        return self._times[1]

    @property
    def listed_count(self) -> int:
        """The length of the worker's processing list at the last beat."""
        return self._counts[0]

    def write_beat(self, sent_at: float, server_now: float, listed_count: int) -> None:
        """Note a beat that succeeded."""
        self._times[1] = server_now - sent_at
        self._counts[0] = listed_count
        self._times[0] = sent_at

    # Written by the loop.

    @property
    def pulse_at(self) -> float:
        """When the loop last came round; 0.0 until it begins."""
        return self._times[2]

    @pulse_at.setter
    def pulse_at(self, now: float) -> None:
        self._times[2] = now

    @property
    def busy_since(self) -> float:
        """When the running job began; 0.0 between jobs."""
        return self._times[3]

    @busy_since.setter
    def busy_since(self, now: float) -> None:
        self._times[3] = now

    @property
    def client_id(self) -> int:
        """The server's id of the claim connection; 0 while there is none."""
        return self._counts[1]

    @client_id.setter
    def client_id(self, value: int) -> None:
        self._counts[1] = value

    @property
    def hand_count(self) -> int:
        """Jobs in the loop's hands: running, waiting in the batch, finished but not settled."""
        return self._counts[2]

    @hand_count.setter
    def hand_count(self, value: int) -> None:
        self._counts[2] = value

    @property
    def runs_suspect(self) -> bool:
        """The running job has failed or crashed before, and runs alone for it."""
        return self._counts[3] == 1

    @runs_suspect.setter
    def runs_suspect(self, value: bool) -> None:
        self._counts[3] = value

    @property
    def has_finished_one(self) -> bool:
        """The loop has finished at least one job in its life."""
        return self._counts[5] == 1

    @has_finished_one.setter
    def has_finished_one(self, value: bool) -> None:
        self._counts[5] = value

    @property
    def has_left(self) -> bool:
        """The loop ended in order, and the process ends because of that, not in a job."""
        return self._counts[6] == 1

    @has_left.setter
    def has_left(self, value: bool) -> None:
        self._counts[6] = value

    @property
    def last_words(self) -> str:
        """The sentence that a child leaves when it cannot use its handler; "" otherwise."""
        length = self._counts[4]
        return self._page[WORDS_AT : WORDS_AT + length].decode("utf-8", "replace")

    @last_words.setter
    def last_words(self, sentence: str) -> None:
        words = sentence.encode("utf-8", "replace")[:WORDS_BYTES_MAX]
        self._page[WORDS_AT : WORDS_AT + len(words)] = words
        self._counts[4] = len(words)

    # Said of both.

    def server_time(self, monotonic: float) -> float:
        """Return the server's unix time at an instant of this machine; 0.0 before the first beat."""
        return monotonic + self._times[1] if self._times[0] else 0.0

    def is_wedged(self, now: float, threshold_seconds: float) -> bool:
        """Tell whether the loop has been silent outside a job for the threshold."""
        return 0.0 < self._times[2] < now - threshold_seconds and not self._times[3]
