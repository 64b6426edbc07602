"""Bugs planted in what workers, supervisors, janitors and producers do."""

from __future__ import annotations

from tests.mutants.mutant import QUEUE, Mutant

TESTS = "tests/queue/"

IN_WORKERS = [
    # A reply that never came.
    Mutant(
        "a missing number counts as a settle that did not happen",
        QUEUE + "claims.py",
        "    if stored_call is None or stored_call >= call:\n",
        "    if stored_call is not None and stored_call >= call:\n",
        TESTS + "test_claims.py::test_a_forgotten_settle_runs_everything_again",
    ),
    Mutant(
        "copies are looked up and not counted",
        QUEUE + "claims.py",
        "    missing = Counter(hand)\n    missing.subtract(listed)\n",
        "    missing = Counter(raw for raw in hand if raw not in listed)\n",
        TESTS + "test_claims.py::test_an_acknowledgement_that_is_repeated_half_done_is_not_done_twice",
    ),
    Mutant(
        "clients try again by themselves",
        QUEUE + "factory.py",
        "retry=Retry(NoBackoff(), 0),",
        "retry=Retry(NoBackoff(), 3),",
        TESTS + "test_producer.py::test_S6_a_lost_reply_is_an_unknown_outcome_with_one_copy",
    ),
    Mutant(
        "a settle whose reply was lost is sent again",
        QUEUE + "claim_line.py",
        "            return (yield from self._settle_in_doubt(error, done, rest))\n",
        "            self._drop()\n            return (yield from self.settle(done, rest, n))\n",
        TESTS + "test_lost_replies.py::test_a_settle_whose_reply_is_lost_runs_every_job_once",
    ),
    Mutant(
        "a failure whose reply was lost is told again without a look",
        QUEUE + "claim_line.py",
        "            if repeated and not still_held(self._listed(), [raw, *others], [raw]):\n",
        "            if repeated and raw not in self._listed():\n",
        TESTS
        + "test_doubts.py::test_of_two_equal_jobs_one_that_failed_with_its_reply_lost_is_not_told_for_the_"
        "other",
    ),
    Mutant(
        "a lost claim is not ended before the list is read",
        QUEUE + "claim_line.py",
        "self._end_ghost(self._slot.client_id)\n",
        "pass\n",
        TESTS
        + "test_doubts.py::test_S62_a_claim_that_was_lost_is_ended_on_the_server_before_the_list_is_read",
    ),
    Mutant(
        "acknowledgements are not remembered",
        QUEUE + "settle_calls.py",
        "        if acks:\n            self._remember((number, begun_at, bytes_count, acks, None))\n",
        "",
        TESTS
        + "test_forgotten_acks.py::test_S44_a_job_whose_acknowledgement_was_forgotten_is_acknowledged_again_"
        "and_not_run",
    ),
    # Batches, fences, failures.
    Mutant(
        "a batch runs with its suspects",
        QUEUE + "batch.py",
        "    if len(batch) < 2 or not has_suspects:\n",
        "    if True:\n",
        TESTS + "test_job_loop.py::test_suspects_leave_the_batch_before_a_clean_job_starts",
    ),
    Mutant(
        "a suspect at the front runs with others",
        QUEUE + "batch.py",
        "        if place == 0 if suspect_first else not suspects[place]:\n",
        "        if place == 0 or not suspects[place]:\n",
        TESTS + "test_job_loop.py::test_a_suspect_at_the_front_runs_alone",
    ),
    Mutant(
        "a worker without a beat claims on",
        QUEUE + "lane.py",
        "        if self._fence.seconds_left() <= 0:\n            yield from self.settle_up()\n",
        "        if self._fence.seconds_left() <= -1e9:\n            yield from self.settle_up()\n",
        TESTS + "test_job_loop.py::test_without_a_recent_beat_nothing_is_claimed",
    ),
    Mutant(
        "a worker without a beat begins the next job of its batch",
        QUEUE + "lane.py",
        "            if self._fence.seconds_left() <= 0:\n                held =",
        "            if self._fence.seconds_left() <= -1e9:\n                held =",
        TESTS
        + "test_job_loop.py::test_jobs_of_a_batch_do_not_start_without_a_recent_beat_and_those_given_away_"
        "not_at_all",
    ),
    Mutant(
        "a job that comes late into an idle worker's list is not looked for",
        QUEUE + "lane.py",
        "        return bool(self._slot.listed_count) and",
        "        return self._slot.listed_count < 0 and",
        TESTS
        + "test_job_loop.py::test_a_job_delivered_late_into_an_idle_workers_list_is_found_by_the_beats_count",
    ),
    Mutant(
        "a stopped loop runs its batch to the end",
        QUEUE + "lane.py",
        "                yield from self._give_back([raw for raw, _ in batch])\n                break\n",
        "                self._slot.pulse_at = time.monotonic()\n",
        TESTS + "test_job_loop.py::test_a_loop_that_is_stopped_in_a_batch_gives_the_rest_back_in_order",
    ),
    Mutant(
        "a job that raised dies one run early",
        QUEUE + "failure.py",
        "None if attempts > max_attempts else",
        "None if attempts >= max_attempts else",
        TESTS + "test_failures.py::test_a_job_with_as_many_attempts_as_are_allowed_runs_once_more",
    ),
    Mutant(
        "an error is written behind the counter",
        QUEUE + "job.py",
        'b",".join([*new, *kept])',
        'b",".join([*kept, *new])',
        "tests/unit/test_job.py::test_a_member_stands_right_after_the_brace_and_replaces_its_older_selves",
    ),
    Mutant(
        "scripts get the time of the caller's clock",
        QUEUE + "scripts.py",
        'self._now = "" if now is None else repr(now)',
        'self._now = repr(__import__("time").time() if now is None else now)',
        TESTS + "test_clocks.py::test_S32_a_clock_that_is_hours_off_changes_nothing_that_is_written",
    ),
    Mutant(
        "a server that forgot a script is not told it again",
        QUEUE + "script_runner.py",
        "            except NoScriptError:\n",
        "            except ZeroDivisionError:\n",
        TESTS + "test_producer.py::test_a_server_that_forgot_its_scripts_is_told_again",
    ),
]

IN_DAEMONS = [
    Mutant(
        "a supervisor beats for a stopped child",
        QUEUE + "rounds.py",
        "                if not child.is_frozen and not heartbeat",
        "                if not heartbeat",
        TESTS + "test_supervisor.py::test_a_frozen_child_is_not_beaten_for_and_goes_on_when_it_is_thawed",
    ),
    Mutant(
        "a wedged loop is beaten for",
        QUEUE + "heartbeat.py",
        "if not self._heartbeat.slot.is_wedged(time.monotonic(), policy.stale_after_seconds):\n",
        "if self._heartbeat:\n",
        TESTS + "test_heartbeat.py::test_S21_the_thread_beats_and_is_silent_while_the_loop_is_wedged",
    ),
    Mutant(
        "a dead child's claim is neither ended nor waited for",
        QUEUE + "departure.py",
        "        if not self._ghost or time.monotonic() >= self._ghost_gone_at:\n            return True\n",
        "        return True\n",
        "tests/chaos/test_ghost.py::test_S64_the_claim_of_a_dead_child_is_ended_before_it_takes_anything",
    ),
    Mutant(
        "children of a dead supervisor are silent",
        QUEUE + "child.py",
        "                    self._beat_alone()\n",
        "",
        TESTS
        + "test_supervisor.py::test_S65_children_of_a_killed_supervisor_finish_their_jobs_retire_and_leave",
    ),
    Mutant(
        "a living twin's name is taken over",
        QUEUE + "naming.py",
        "        if self._first is not None and self._value not in (self._first, None):\n",
        "        if self._first is not None and self._value is self:\n",
        TESTS + "test_worker.py::test_S20_a_second_live_worker_under_one_name_refuses_and_steals_nothing",
    ),
    Mutant(
        "a loop that has just claimed is reaped",
        QUEUE + "reaper.py",
        "                    if worker not in self._empty and worker not in spared:\n",
        "                    if worker not in spared:\n",
        TESTS
        + "test_reaper.py::test_S16_an_idle_loop_that_beats_only_after_its_claim_gets_one_sweep_to_do_so",
    ),
    Mutant(
        "nobody waits when most workers fall silent together",
        QUEUE + "breaker.py",
        "        if wave < FEWEST_WORKERS or 2 * wave <= holder_count:\n",
        "        if wave:\n",
        TESTS
        + "test_breaker.py::test_most_workers_that_fall_silent_together_are_waited_for_and_that_is_said",
    ),
    Mutant(
        "a watch that nobody kept up is trusted",
        QUEUE + "liveness.py",
        "    if watch is None or not _was_kept_up(watch, now, policy.stale_after_seconds):\n",
        "    if watch is None:\n",
        TESTS + "test_liveness.py::test_a_watch_that_nobody_kept_up_begins_anew",
    ),
    Mutant(
        "after an outage the old watches go on",
        QUEUE + "janitor.py",
        "        for one in self._rounds.values():\n            one.anew = True\n",
        "",
        TESTS + "test_janitor.py::test_after_an_absent_server_every_watch_begins_anew",
    ),
    Mutant(
        "a janitor serves queues that it merely found",
        QUEUE + "janitor.py",
        "            if name in given or policy.managed:\n",
        "            if name:\n",
        TESTS + "test_janitor.py::test_a_registered_queue_is_served_only_while_its_policy_says_managed",
    ),
    Mutant(
        "a manual queue is reaped",
        QUEUE + "reaper.py",
        '        if policy.reaping == "automatic":\n',
        "        if policy.reaping:\n",
        TESTS + "test_reaper.py::test_a_manual_queue_is_watched_and_nothing_is_reaped",
    ),
    Mutant(
        "a repeated enqueue under a key does not know its own mark",
        QUEUE + "dedup.py",
        "answer.code is Code.ENQUEUED or answer.marked == mark)",
        "answer.code is Code.ENQUEUED)",
        TESTS + "test_dedup.py::test_S6_with_a_dedup_key_a_lost_reply_ends_in_success_with_one_copy",
    ),
    Mutant(
        "a producer sends again what may have been stored",
        QUEUE + "producer.py",
        "                scripts.enqueue(self.queue, call)\n            except ServerAway as error:\n",
        "                scripts.enqueue(self.queue, call)\n            except ServerAway as error:\n"
        "                scripts.enqueue(self.queue, call)\n",
        TESTS + "test_producer.py::test_S6_a_lost_reply_is_an_unknown_outcome_with_one_copy",
    ),
    Mutant(
        "a guard marks a job before it has run",
        QUEUE + "once.py",
        "        result = self._handler(job)\n        if inspect",
        "        self._mark(key, process_id)\n        result = self._handler(job)\n        if inspect",
        TESTS + "test_once.py::test_a_failed_run_leaves_no_mark_and_the_next_one_runs",
    ),
]
