"""When a dead child's successor starts, and when there is no point in starting another.

Owns: the count of quick deaths in a row. Refuses: processes and clocks.
"""

from __future__ import annotations

QUICK_SECONDS = 5.0
"""A child that dies younger than this, with nothing finished, did not die of its work."""
QUICK_DEATHS_MAX = 10
FIRST_PAUSE_SECONDS = 0.1
PAUSE_CAP_SECONDS = 2.0


class Restarts:
    """The quick deaths of one supervisor's children."""

    def __init__(self) -> None:
        self.quick_count = 0

    def note_death(self, lived_seconds: float, *, finished_one: bool, ran_suspect: bool) -> None:
        """Count a death. `finished_one`: it had finished a job in its life. `ran_suspect`: it died in a job
        that had failed or crashed before and so ran alone.

        A job that ends its worker takes several children with it before it is dead. Only its first victim
        counts: the others were expected, and ten such jobs in a row still end the supervisor.
        """
        if finished_one or lived_seconds >= QUICK_SECONDS:
            self.quick_count = 0
        elif not ran_suspect:
            self.quick_count += 1

    @property
    def is_hopeless(self) -> bool:
        """Ten in a row: the next would die as well."""
        return self.quick_count >= QUICK_DEATHS_MAX

    @property
    def pause_seconds(self) -> float:
        """How long the next start waits: not at all at first, then 0.1 s doubling to 2 s."""
        if not self.quick_count:
            return 0.0
        pause: float = FIRST_PAUSE_SECONDS * 2 ** (self.quick_count - 1)
        return min(PAUSE_CAP_SECONDS, pause)
