"""What a worker holds when a reply was lost: counted by copies, decided by the stored call number."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.queue.claims import call_number, in_both, reconcile, still_held, without

A, B, C = b"a", b"b", b"c"
copies = st.lists(st.sampled_from([A, B, C]), max_size=6)


def test_a_settle_that_happened_leaves_what_is_listed_to_run() -> None:
    outcome = reconcile([B, C], 7, 7, done=[A], rest=[B])
    assert (outcome.acks, outcome.todo) == ([], [B, C])


def test_a_settle_that_did_not_happen_acknowledges_the_finished_and_runs_the_rest() -> None:
    outcome = reconcile([A, B], 6, 7, done=[A], rest=[B])
    assert (outcome.acks, outcome.todo) == ([A], [B])


def test_a_forgotten_settle_runs_everything_again() -> None:
    outcome = reconcile([A, B], None, 7, done=[A], rest=[B])
    assert (outcome.acks, outcome.todo) == ([], [A, B])


def test_an_equal_job_claimed_by_the_settle_in_doubt_is_run_and_not_acknowledged() -> None:
    # The finished copy was acknowledged and its twin claimed: one copy is listed, as before the call.
    assert reconcile([A], 7, 7, done=[A], rest=[]).todo == [A]


def test_an_acknowledgement_that_is_repeated_half_done_is_not_done_twice() -> None:
    # Both copies were finished, the first LREM happened before the second cut.
    outcome = reconcile([A, B], 6, 7, done=[A, A], rest=[B])
    assert (outcome.acks, outcome.todo) == ([A], [B])


def test_what_was_reaped_meanwhile_is_neither_run_nor_acknowledged() -> None:
    outcome = reconcile([], 6, 7, done=[A], rest=[B])
    assert (outcome.acks, outcome.todo) == ([], [])


def test_S44_what_is_listed_again_although_it_was_acknowledged_is_acknowledged_again() -> None:
    outcome = reconcile([A, B, C], 3, 7, done=[B], rest=[C], remembered=[A])
    assert (outcome.acks, outcome.todo) == ([B, A], [C])


def test_S44_an_equal_copy_in_hand_is_not_taken_for_the_acknowledged_one() -> None:
    outcome = reconcile([A, B], 3, 7, done=[B], rest=[A], remembered=[A])
    assert (outcome.acks, outcome.todo) == ([B], [A])
    outcome = reconcile([A, B, A], 3, 7, done=[B], rest=[A], remembered=[A])
    assert (outcome.acks, outcome.todo) == ([B, A], [A])


def test_S44_an_acknowledged_job_that_is_not_listed_again_is_left_alone() -> None:
    outcome = reconcile([B], 3, 7, done=[], rest=[], remembered=[A])
    assert (outcome.acks, outcome.todo) == ([], [B])


@given(listed=copies, done=copies, rest=copies, stored=st.sampled_from([None, 6, 7]), remembered=copies)
def test_every_listed_copy_is_run_or_acknowledged_exactly_once(
    listed: list[bytes], done: list[bytes], rest: list[bytes], stored: int | None, remembered: list[bytes]
) -> None:
    outcome = reconcile(listed, stored, 7, done, rest, remembered)
    assert Counter(outcome.acks) + Counter(outcome.todo) == Counter(listed)
    assert not Counter(outcome.acks) - Counter(done) - Counter(remembered)
    # What waits in hand and is still listed waits on.
    assert not (Counter(rest) & (Counter(listed) - Counter(done))) - Counter(outcome.todo)


@given(wanted=copies, present=copies)
def test_a_copy_stands_for_one(wanted: list[bytes], present: list[bytes]) -> None:
    assert Counter(in_both(wanted, present)) == Counter(wanted) & Counter(present)


@given(hand=copies, part=copies, gone=copies)
def test_a_command_is_repeated_only_for_copies_that_are_still_listed(
    hand: list[bytes], part: list[bytes], gone: list[bytes]
) -> None:
    whole = [*hand, *part]
    listed = without(whole, gone)
    repeated = Counter(still_held(listed, whole, part))
    for raw in (A, B, C):
        happened = whole.count(raw) - listed.count(raw)
        assert repeated[raw] == max(0, part.count(raw) - happened)


@pytest.mark.parametrize(
    ("stored", "number"), [(b"17 1800000000.125", 17), (b"", None), (None, None), (b"x 1", None)]
)
def test_the_number_of_the_last_settle_is_read_from_its_record(
    stored: bytes | None, number: int | None
) -> None:
    assert call_number(stored) == number
