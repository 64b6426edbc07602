"""The deadlines of a supervisor's end."""

from __future__ import annotations

import math

from dashboard.queue.closing import Closing


def test_before_a_signal_nothing_is_due() -> None:
    closing = Closing(20)
    assert not closing.has_begun
    assert not closing.grace_is_over(1e9)
    assert not closing.has_given_up(1e9)
    assert closing.next_due(5) == math.inf


def test_a_first_signal_gives_the_grace_and_then_a_little_for_the_farewell() -> None:
    closing = Closing(20)
    assert "second signal" in closing.begin(100)
    assert (closing.grace_is_over(119), closing.grace_is_over(120)) == (False, True)
    assert (closing.has_given_up(124), closing.has_given_up(125)) == (False, True)
    assert [closing.next_due(at) for at in (100, 120, 125)] == [120, 125, math.inf]


def test_a_second_signal_ends_the_grace_at_once_and_never_lengthens_it() -> None:
    closing = Closing(20)
    closing.begin(100)
    assert closing.begin(101) == "ends at once"
    assert closing.grace_is_over(101)
    assert closing.has_given_up(102)
