"""Every scenario of the plan has a test of its number that runs on Valkey and on Debian's Redis."""

from __future__ import annotations

import pytest

from tests.contract.scenario_tests import modules, numbered, runs_on_both_servers

PLAN = [
    1, 2, 3, 6, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 32, 33,
    34, 35, 36, 37, 38, 39, 40, 42, 43, 44, 46, 47, 48, 57, 58, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69,
]  # fmt: skip
COME_WITH_STREAMS = [50, 51, 52, 53, 54]
"""The lesson's second exercise: a queue that is a stream."""

LEADING = {
    1: "scenarios/test_bytes.py::test_S1_a_reap_changes_the_top_level_counter_and_no_other_byte",
    2: "scenarios/test_starts_and_ends.py::"
    "test_S2_a_worker_process_whose_claim_was_lost_runs_the_job_once_within_a_beat",
    3: "faults/test_crossed_replies.py::test_S3_no_reply_reaches_another_command_however_it_is_cut",
    6: "queue/test_dedup.py::test_S6_with_a_dedup_key_a_lost_reply_ends_in_success_with_one_copy",
    8: "scenarios/test_starts_and_ends.py::"
    "test_S8_a_worker_that_starts_on_a_full_queue_beside_a_hasty_reaper_is_never_reaped",
    9: "queue/test_janitor.py::"
    "test_S9_a_list_without_heartbeat_in_a_managed_queue_is_found_adopted_and_reaped",
    10: "chaos/test_lone_worker.py::"
    "test_S10_the_job_of_a_killed_lone_worker_is_back_within_the_threshold_and_two_scans",
    11: "chaos/test_lone_worker.py::"
    "test_S11_a_frozen_worker_whose_job_was_given_away_goes_on_safely_when_it_wakes",
    13: "chaos/test_reapers.py::test_S13_a_list_of_10000_jobs_is_given_back_in_bounded_calls_and_in_order",
    14: "scenarios/test_races.py::test_S14_a_zombie_is_answered_lost_and_changes_no_job",
    15: "chaos/test_reapers.py::"
    "test_S15_ten_reapers_on_1000_stale_lists_give_each_job_back_once_whoever_of_them_is_killed",
    16: "scenarios/test_races.py::test_S16_a_sign_of_life_between_the_look_and_the_script_keeps_everything",
    17: "scenarios/test_long_jobs.py::test_S17_a_job_of_five_thresholds_under_a_healthy_worker_runs_once",
    18: "queue/test_supervisor.py::"
    "test_S18_a_job_that_holds_the_interpreters_lock_for_longer_than_the_threshold_keeps_its_heartbeat",
    19: "queue/test_worker.py::"
    "test_S19_a_worker_killed_and_restarted_under_its_name_gets_its_old_jobs_back_once",
    20: "queue/test_worker.py::test_S20_a_second_live_worker_under_one_name_refuses_and_steals_nothing",
    21: "scenarios/test_long_jobs.py::"
    "test_S21_beats_that_fail_for_two_thirds_of_the_threshold_and_recover_cost_nothing",
    22: "scenarios/test_outages.py::"
    "test_S22_without_redis_for_three_quarters_of_the_threshold_nothing_is_claimed_and_then_it_goes_on",
    23: "scenarios/test_outages.py::"
    "test_S23_a_failure_while_redis_is_away_is_stored_by_its_owner_or_recovered_once",
    24: "queue/test_lost_replies.py::"
    "test_S24_a_failure_whose_reply_is_lost_is_delayed_once_with_one_attempt_more",
    25: "queue/test_producer.py::"
    "test_S25_equal_bytes_delayed_again_are_reported_and_the_first_due_time_stays",
    26: "chaos/test_promoters.py::"
    "test_S26_100000_due_jobs_are_promoted_once_and_in_due_order_by_promoters_that_are_killed",
    28: "chaos/test_promoters.py::test_S28_a_delay_of_days_is_untouched_by_reaping_and_restarts",
    29: "scenarios/test_bad_bytes.py::"
    "test_S29_bytes_that_are_no_job_end_in_dead_from_pending_held_and_delayed_and_the_good_ones_run",
    30: "queue/test_supervisor.py::"
    "test_S30_jobs_past_the_grace_are_back_at_the_front_with_their_attempts_unchanged",
    31: "queue/test_stops.py::test_S31_a_job_has_run_or_is_pending_wherever_a_sigterm_strikes",
    32: "chaos/test_clocks.py::"
    "test_S32_whoevers_clock_is_an_hour_off_the_living_keep_their_jobs_and_the_dead_do_not",
    33: "queue/test_worker.py::test_S33_a_worker_that_cannot_say_farewell_leaves_its_heartbeat_and_its_jobs",
    34: "scenarios/test_forgetful_server.py::"
    "test_S34_scripts_forgotten_between_any_two_calls_change_no_answer",
    35: "actions/test_retry.py::test_S35_two_operators_retry_one_dead_job_and_get_one_copy",
    36: "scenarios/test_many.py::test_S36_after_fifty_thousand_deaths_all_are_in_dead_and_pages_stay_fast",
    37: "queue/test_lanes.py::test_S37_under_an_endless_high_stream_lower_queues_get_their_shares_by_weight",
    38: "scenarios/test_many.py::"
    "test_S38_with_a_million_waiting_each_script_takes_under_a_millisecond_of_the_servers_time",
    39: "queue/test_factory.py::test_S39_a_claim_blocks_for_longer_than_an_answer_may_take",
    40: "chaos/test_outage.py::"
    "test_S40_after_outages_of_1_s_10_s_and_10_thresholds_loops_resume_and_no_live_worker_is_reaped",
    42: "queue/test_factory_outage.py::"
    "test_S42_five_hundred_connections_of_four_processes_come_back_spread_over_most_of_a_second",
    43: "chaos/test_failover.py::test_S43_failovers_under_load_lose_nothing_at_all",
    44: "queue/test_forgotten_acks.py::"
    "test_S44_a_job_whose_acknowledgement_was_forgotten_is_acknowledged_again_and_not_run",
    46: "web/test_polls.py::test_S46_every_length_shown_is_that_of_the_instant",
    47: "queue/test_producer.py::test_S47_reserved_names_are_refused_and_odd_ones_work",
    48: "queue/test_sizes.py::"
    "test_S48_a_foreign_job_of_64_megabytes_is_reaped_with_its_other_bytes_as_they_are_and_flagged",
    57: "queue/test_acl.py::test_S57_with_exactly_the_documented_commands_everything_works_but_the_index",
    58: "scenarios/test_cluster.py::"
    "test_S58_a_queue_with_a_hash_tag_works_and_one_without_is_refused_with_a_clear_sentence",
    60: "web/test_other_servers.py::test_S60_on_a_replica_every_page_is_read_and_every_act_refused",
    61: "queue/test_lost_replies.py::"
    "test_S61_of_two_equal_jobs_both_run_when_the_reply_of_the_settle_between_them_is_lost",
    62: "scenarios/test_starts_and_ends.py::"
    "test_S62_a_list_that_is_read_while_claims_are_in_flight_makes_nothing_run_twice",
    63: "chaos/test_poison.py::"
    "test_S63_only_the_poison_dies_and_every_other_job_runs_and_gains_one_attempt_at_most",
    64: "chaos/test_ghost.py::test_S64_a_job_that_a_dead_childs_claim_still_takes_is_not_stranded",
    65: "scenarios/test_starts_and_ends.py::"
    "test_S65_children_of_a_supervisor_killed_under_load_finish_and_nothing_runs_twice",
    66: "queue/test_failures.py::test_S66_two_equal_jobs_that_fail_are_both_delayed",
    67: "lua/test_full_memory.py::test_S67_a_full_queue_drains_and_its_worker_stays_alive",
    68: "queue/test_janitor.py::test_S68_lists_of_other_software_are_never_touched",
    69: "scenarios/test_beside_the_lesson.py::test_S69_every_job_is_done_or_dead_whoever_is_killed",
}
"""The test of each number that holds most of it; others of the same number stand beside it or elsewhere."""
EXERCISE = "scenarios/test_exercise_1.py"


def test_every_number_of_the_plan_has_a_leading_test_and_no_test_has_another_number() -> None:
    assert sorted(LEADING) == PLAN
    assert set(numbered()) - set(COME_WITH_STREAMS) == set(PLAN)


@pytest.mark.parametrize("number", PLAN)
def test_the_leading_test_of_a_number_is_there_and_runs_on_both_servers(number: int) -> None:
    assert LEADING[number] in numbered()[number]
    assert runs_on_both_servers(LEADING[number])


def test_scripts_are_also_tried_by_both_protocols_and_ways_of_decoding() -> None:
    fixtures = modules()["scenarios/conftest.py"].text
    assert "for protocol in (2, 3) for decode in (False, True)" in fixtures
    by_script = [module for module in modules().values() if "scripts: Scripts" in module.text]
    assert {"scenarios/test_bytes.py", "scenarios/test_races.py"} <= {module.name for module in by_script}


def test_the_first_exercise_of_the_lesson_runs_on_both_servers() -> None:
    names = [name for name in modules()[EXERCISE].functions if name.startswith("test_exercise_1_")]
    assert len(names) == 2
    assert all(runs_on_both_servers(f"{EXERCISE}::{name}") for name in names)


def test_a_test_that_knows_one_server_only_is_told_from_one_that_knows_both() -> None:
    assert not runs_on_both_servers("unit/test_keys.py::test_S47_reserved_segments_are_refused")
    assert runs_on_both_servers("queue/test_janitor.py::test_S68_lists_of_other_software_are_never_touched")
