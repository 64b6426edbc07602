"""Wrong passwords cost their address time, and nobody else."""

from __future__ import annotations

from dashboard.web.slow_down import ADDRESSES_MAX, FORGET_SECONDS, FREE_TRIES, LONGEST_WAIT_SECONDS, SlowDown


class Clock:
    """A clock that is moved by hand."""

    now = 1000.0

    def __call__(self) -> float:
        """The instant."""
        return self.now


def test_the_first_tries_are_free_and_each_one_after_doubles_the_wait() -> None:
    clock = Clock()
    slow = SlowDown(clock)
    waits = []
    for _ in range(FREE_TRIES + 8):
        slow.wrong("10.0.0.1")
        waits.append(slow.wait_seconds("10.0.0.1"))
    assert waits[: FREE_TRIES - 1] == [0.0] * (FREE_TRIES - 1)
    assert waits[FREE_TRIES - 1 : FREE_TRIES + 3] == [1.0, 2.0, 4.0, 8.0]
    assert waits[-1] == LONGEST_WAIT_SECONDS
    clock.now += LONGEST_WAIT_SECONDS
    assert slow.wait_seconds("10.0.0.1") == 0.0


def test_other_addresses_do_not_wait() -> None:
    slow = SlowDown(Clock())
    for _ in range(10):
        slow.wrong("10.0.0.1")
    assert slow.wait_seconds("10.0.0.2") == 0.0


def test_the_right_password_and_a_quiet_while_forget_the_wrong_ones() -> None:
    clock = Clock()
    slow = SlowDown(clock)
    for _ in range(10):
        slow.wrong("a")
        slow.wrong("b")
    slow.right("a")
    assert slow.wait_seconds("a") == 0.0
    clock.now += FORGET_SECONDS + 1
    slow.wrong("b")
    assert slow.wait_seconds("b") == 0.0


def test_it_remembers_a_bounded_number_of_addresses() -> None:
    slow = SlowDown(Clock())
    for number in range(ADDRESSES_MAX + 500):
        slow.wrong(str(number))
    assert len(slow._wrong) == ADDRESSES_MAX
