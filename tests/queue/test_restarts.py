"""When a supervisor starts a successor, and when it gives up."""

from __future__ import annotations

from dashboard.queue.restarts import Restarts


def quick(restarts: Restarts, *, ran_suspect: bool = False) -> None:
    restarts.note_death(0.2, finished_one=False, ran_suspect=ran_suspect)


def test_the_pause_grows_with_each_quick_death_and_the_tenth_ends_it() -> None:
    restarts = Restarts()
    assert restarts.pause_seconds == 0
    pauses = []
    for _ in range(10):
        assert not restarts.is_hopeless
        quick(restarts)
        pauses.append(restarts.pause_seconds)
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 2.0
    assert restarts.is_hopeless


def test_a_child_that_finished_a_job_or_lived_a_while_begins_the_count_anew() -> None:
    for lived, finished in ((0.2, True), (6.0, False)):
        restarts = Restarts()
        for _ in range(9):
            quick(restarts)
        restarts.note_death(lived, finished_one=finished, ran_suspect=False)
        assert (restarts.quick_count, restarts.pause_seconds) == (0, 0)


def test_a_job_that_ends_its_worker_again_and_again_counts_once() -> None:
    restarts = Restarts()
    for _ in range(9):
        quick(restarts)
        for _ in range(3):
            quick(restarts, ran_suspect=True)
    assert restarts.quick_count == 9
    assert not restarts.is_hopeless
