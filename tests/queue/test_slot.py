"""The shared page: seen across a fork, silent by default, and what counts as wedged."""

from __future__ import annotations

import os
import time

from dashboard.queue.slot import Slot


def test_a_fresh_slot_says_that_nothing_has_happened() -> None:
    slot = Slot()
    assert (slot.beat_at, slot.pulse_at, slot.busy_since) == (0, 0, 0)
    assert (slot.listed_count, slot.client_id, slot.hand_count, slot.last_words) == (0, 0, 0, "")
    assert (slot.runs_suspect, slot.has_finished_one, slot.has_left) == (False, False, False)
    assert slot.server_time(time.monotonic()) == 0
    assert not slot.is_wedged(time.monotonic(), 3)


def test_what_a_child_writes_its_parent_reads_and_the_other_way_round() -> None:
    slot = Slot()
    slot.write_beat(50.0, 1_800_000_050.0, 7)
    pid = os.fork()
    if pid == 0:
        seen = (slot.beat_at, slot.listed_count, slot.server_time(51.5)) == (50.0, 7, 1_800_000_051.5)
        slot.pulse_at, slot.busy_since, slot.client_id, slot.hand_count = 1.5, 2.5, 2**40, 100
        slot.runs_suspect = slot.has_finished_one = slot.has_left = True
        slot.last_words = "é" * 2000
        os._exit(0 if seen else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert (slot.pulse_at, slot.busy_since, slot.client_id, slot.hand_count) == (1.5, 2.5, 2**40, 100)
    assert slot.runs_suspect
    assert slot.has_finished_one
    assert slot.has_left
    assert slot.last_words == "é" * 500


def test_a_loop_is_wedged_when_it_is_silent_outside_a_job_for_the_threshold() -> None:
    slot = Slot()
    slot.pulse_at = 100.0
    assert not slot.is_wedged(102.9, 3)
    assert slot.is_wedged(103.1, 3)
    slot.busy_since = 101.0
    assert not slot.is_wedged(1000.0, 3), "a long job is no wedge"


def test_the_slots_of_several_queues_share_what_is_said_of_the_loop_and_nothing_else() -> None:
    high, low = Slot.row(2)
    high.write_beat(50.0, 1_800_000_050.0, 7)
    high.client_id, high.hand_count = 11, 3
    low.pulse_at, low.busy_since = 1.5, 2.5
    low.runs_suspect = low.has_finished_one = low.has_left = True
    low.last_words = "so long"
    assert (low.beat_at, low.listed_count, low.client_id, low.hand_count) == (0, 0, 0, 0)
    assert (high.pulse_at, high.busy_since, high.running_since) == (1.5, 0, 2.5)
    assert (high.runs_suspect, high.has_finished_one, high.has_left) == (True, True, True)
    assert high.last_words == "so long"
    assert not high.is_wedged(1000.0, 3), "a job of the other queue runs"
    low.busy_since = 0.0
    assert (high.running_since, high.is_wedged(1000.0, 3)) == (0, True)
    assert (high.client_id, high.hand_count, high.listed_count) == (11, 3, 7)
