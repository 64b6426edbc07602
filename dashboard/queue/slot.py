"""The page of memory that a worker's loop and whoever beats for it share, across a fork or between threads.

Owns: its layout. Refuses: locks and Redis; each field has one writer and is one aligned machine word, so
that a reader never sees half of it. Times are `time.monotonic()`, which all processes of a machine share;
0.0 means never.

A worker of several queues has a slot for each, all on one page: what is said of a queue is each slot's own,
what is said of the loop is common to them.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterable

WORDS_AT = 1024
WORDS_BYTES_MAX = 1000
QUEUES_AT = 2048
QUEUE_BYTES = 96


class Slot:
    """What is known of one worker, and of one queue of it, without asking Redis. Made before the fork."""

    def __init__(self, page: mmap.mmap | None = None, place: int = 0) -> None:
        # Anonymous and shared: gone by itself when the last of its processes ends.
        self._page = page or mmap.mmap(-1, QUEUES_AT + QUEUE_BYTES)
        at = QUEUES_AT + place * QUEUE_BYTES
        view = memoryview(self._page)
        self._times, self._counts = view[at : at + 32].cast("d"), view[at + 32 : at + QUEUE_BYTES].cast("Q")
        self._loop_times, self._loop_counts = view[:128].cast("d"), view[128:256].cast("Q")

    @classmethod
    def row(cls, count: int) -> list[Slot]:
        """Return the slots of one worker in `count` queues."""
        page = mmap.mmap(-1, QUEUES_AT + count * QUEUE_BYTES)
        return [cls(page, place) for place in range(count)]

    # Written by whoever beats, or tells the loop what to do.

    @property
    def is_quiet(self) -> bool:
        """The loop is to claim no more, in any queue, and to go on otherwise. Once true it stays so."""
        return self._loop_counts[4] == 1

    def quiet(self) -> None:
        """Tell the loop so."""
        self._loop_counts[4] = 1

    # Written by whoever beats, of this queue.

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

    # Written by the loop, of this queue.

    @property
    def busy_since(self) -> float:
        """When the running job, one of this queue, began; 0.0 when none of this queue runs."""
        return self._times[2]

    @busy_since.setter
    def busy_since(self, now: float) -> None:
        self._times[2] = self._loop_times[1] = now

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
    def done_count(self) -> int:
        """Jobs finished and not acknowledged: the oldest listed, as long as `settled_call` is the last."""
        return self._counts[3]

    @property
    def done_check(self) -> int:
        """A checksum of their bytes, oldest first; see `check_of`."""
        return self._counts[4]

    @property
    def settled_call(self) -> int:
        """The number of the last settle call that the server is known to have made; 0 when none is."""
        return self._counts[5]

    def note_done(self, raw: bytes) -> None:
        """Note a job as finished."""
        self._counts[4] = zlib.crc32(raw, self._counts[4] if self._counts[3] else 0)
        self._counts[3] += 1

    def note_settled(self, call: int) -> None:
        """Note that nothing finished is left to acknowledge, as of settle call number `call`."""
        self._counts[3] = 0
        self._counts[5] = call

    # Written by the loop, of all its queues.

    @property
    def pulse_at(self) -> float:
        """When the loop last came round; 0.0 until it begins."""
        return self._loop_times[0]

    @pulse_at.setter
    def pulse_at(self, now: float) -> None:
        self._loop_times[0] = now

    @property
    def running_since(self) -> float:
        """When the running job began, of whatever queue it is; 0.0 between jobs."""
        return self._loop_times[1]

    @property
    def runs_suspect(self) -> bool:
        """The running job has failed or crashed before, and runs alone for it."""
        return self._loop_counts[0] == 1

    @runs_suspect.setter
    def runs_suspect(self, value: bool) -> None:
        self._loop_counts[0] = value

    @property
    def has_finished_one(self) -> bool:
        """The loop has finished at least one job in its life."""
        return self._loop_counts[1] == 1

    @has_finished_one.setter
    def has_finished_one(self, value: bool) -> None:
        self._loop_counts[1] = value

    @property
    def has_left(self) -> bool:
        """The loop ended in order, and the process ends because of that, not in a job."""
        return self._loop_counts[2] == 1

    @has_left.setter
    def has_left(self, value: bool) -> None:
        self._loop_counts[2] = value

    @property
    def last_words(self) -> str:
        """The sentence that a child leaves when it cannot use its handler; "" otherwise."""
        length = self._loop_counts[3]
        return self._page[WORDS_AT : WORDS_AT + length].decode("utf-8", "replace")

    @last_words.setter
    def last_words(self, sentence: str) -> None:
        words = sentence.encode("utf-8", "replace")[:WORDS_BYTES_MAX]
        self._page[WORDS_AT : WORDS_AT + len(words)] = words
        self._loop_counts[3] = len(words)

    # Said of both.

    def server_time(self, monotonic: float) -> float:
        """Return the server's unix time at an instant of this machine; 0.0 before the first beat."""
        return monotonic + self._times[1] if self._times[0] else 0.0

    def is_wedged(self, now: float, threshold_seconds: float) -> bool:
        """Tell whether the loop has been silent outside a job for the threshold."""
        return 0.0 < self._loop_times[0] < now - threshold_seconds and not self.running_since


def check_of(raws: Iterable[bytes]) -> int:
    """Return the checksum of finished jobs, oldest first, as `Slot.done_check` has it."""
    check = 0
    for raw in raws:
        check = zlib.crc32(raw, check)
    return check
