"""What is refused before a worker of several queues begins."""

from __future__ import annotations

import pytest

from dashboard.queue.assignment import Assignment
from dashboard.queue.errors import BadAssignment, BadName, ReservedName


def test_one_queue_or_several_by_text_or_bytes_are_taken_in_their_order() -> None:
    assert [one.queue for one in Assignment.of("mail", None).queues] == [b"mail"]
    several = Assignment.of([b"\xff\x00", "bulk mail"], [3, 1])
    assert [one.queue for one in several.queues] == [b"\xff\x00", b"bulk mail"]
    assert several.weights == (3, 1)
    assert several.names == "\\xff\x00, bulk mail"


@pytest.mark.parametrize(
    ("queues", "weights", "sentence"),
    [
        ([], None, "at least one queue"),
        (["a", "b", b"a"], None, "The queue a is named twice"),
        (["a", "b"], [1], "The number of weights, 1, is not that of the queues, 2"),
        ("a", [1, 2], "The number of weights, 2, is not that of the queues, 1"),
        (["a", "b"], [1, 0], "A weight is a whole number from 1 to 1000; 0 is none"),
        (["a", "b"], [1001, 1], "1001 is none"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    queues: str | list[str | bytes], weights: list[int] | None, sentence: str
) -> None:
    with pytest.raises(BadAssignment, match=sentence):
        Assignment.of(queues, weights)


def test_names_are_checked_as_everywhere() -> None:
    with pytest.raises(ReservedName):
        Assignment.of(["a", "b:dead"], None)
    with pytest.raises(BadName):
        Assignment.of(["a", ""], None)
