"""Bugs planted in the scripts where they move jobs: what is removed when, and from whom."""

from __future__ import annotations

from tests.mutants.mutant import LUA, Mutant

IN_MOVES = [
    # Remove before push: a refused push loses the job.
    Mutant(
        "fail removes before it pushes",
        LUA + "fail.lua",
        "open_write_gate(stats)\nlocal answer\n",
        "open_write_gate(stats)\nredis.call('LREM', processing, -1, raw)\nlocal answer\n",
        "tests/lua/test_refusals.py::test_a_user_who_may_not_give_one_of_the_commands_loses_no_job",
    ),
    Mutant(
        "requeue removes before it pushes",
        LUA + "requeue.lua",
        "  redis.call(may_run and 'RPUSH' or 'LPUSH', may_run and pending or dead, new_raw or raw)\n"
        "  redis.call('LPOP', processing)\n",
        "  redis.call('LPOP', processing)\n"
        "  redis.call(may_run and 'RPUSH' or 'LPUSH', may_run and pending or dead, new_raw or raw)\n",
        "tests/lua/test_refusals.py::test_a_user_who_may_not_give_one_of_the_commands_loses_no_job",
    ),
    Mutant(
        "promote removes before it pushes",
        LUA + "promote.lua",
        "  redis.call(push, pending, raw)\n  redis.call('ZREM', delayed, raw)\n",
        "  redis.call('ZREM', delayed, raw)\n  redis.call(push, pending, raw)\n",
        "tests/lua/test_refusals.py::test_a_user_who_may_not_give_one_of_the_commands_loses_no_job",
    ),
    Mutant(
        "revive removes before it pushes",
        LUA + "revive.lua",
        "  redis.call('RPUSH', pending, new_raw)\n  remove_at(dead, index)\n",
        "  remove_at(dead, index)\n  redis.call('RPUSH', pending, new_raw)\n",
        "tests/lua/test_refusals.py::test_a_user_who_may_not_give_one_of_the_commands_loses_no_job",
    ),
    Mutant(
        "enqueue under a key marks before it stores",
        LUA + "enqueue_once.lua",
        "redis.call('SET', dedup, mark, 'XX', 'PX', mark_ms)\n",
        "redis.call('SET', dedup, mark, 'PX', mark_ms)\n",
        "tests/lua/test_enqueue_once.py::test_a_user_who_may_not_mark_or_not_push_leaves_neither_a_job_nor_a_mark",
    ),
    # Who holds what.
    Mutant(
        "fail does not ask whether the job is held",
        LUA + "fail.lua",
        "if not redis.call('LPOS', processing, raw) then return {'lost'} end\n",
        "",
        "tests/lua/test_fail.py::test_S14_a_failure_told_after_a_reap_is_lost",
    ),
    Mutant(
        "release does not ask whether the job is held",
        LUA + "release.lua",
        "  if redis.call('LPOS', processing, raw) then\n",
        "  if raw then\n",
        "tests/lua/test_release.py::test_S14_a_release_after_a_reap_changes_nothing",
    ),
    Mutant(
        "requeue does not compare the heartbeat with the one that was seen",
        LUA + "requeue.lua",
        "if not has_evidence or beat ~= evidence then",
        "if not has_evidence then",
        "tests/lua/test_requeue_zombies.py::test_S16_a_worker_whose_clock_is_an_hour_behind_and_that_beat_after_"
        "the_look_keeps_its_jobs",
    ),
    Mutant(
        "requeue does not see that the worker settled after the look",
        LUA + "shared/rules.lua",
        "  return at > (number_of(",
        "  return false and at > (number_of(",
        "tests/lua/test_requeue_zombies.py::test_S16_a_worker_that_settled_or_claimed_after_the_look_keeps_its_"
        "jobs_although_it_did_not_beat",
    ),
    Mutant(
        "requeue believes any supervisor",
        LUA + "requeue.lua",
        "    return type(owner) ~= 'table' and owner ~= evidence and 'alive' or nil\n",
        "    return nil\n",
        "tests/lua/test_requeue.py::test_another_token_reaps_nothing",
    ),
    Mutant(
        "requeue does not ask the watch",
        LUA + "shared/rules.lua",
        "  return number_of(first and value == beat and first or callers)\n",
        "  return nil\n",
        "tests/lua/test_requeue_evidence.py::test_a_watch_that_is_younger_than_the_threshold_holds_the_daemon_"
        "back_but_not_an_operator",
    ),
    Mutant(
        "requeue reaps a list without a heartbeat at once",
        LUA + "requeue.lua",
        "    return why == 'stale' and 'adopted' or nil\n",
        "    return nil\n",
        "tests/lua/test_requeue.py::test_a_list_without_heartbeat_is_adopted_by_the_daemon",
    ),
    Mutant(
        "requeue removes the heartbeat while jobs are left",
        LUA + "requeue.lua",
        "left == 0 and why ~= 'child-exit' and forget_worker(",
        "why ~= 'child-exit' and forget_worker(",
        "tests/lua/test_requeue.py::test_a_call_is_bounded_and_the_heartbeat_stays_until_the_list_is_empty",
    ),
    Mutant(
        "requeue forgets a dead child before its ghost is gone",
        LUA + "requeue.lua",
        "left == 0 and why ~= 'child-exit' and forget_worker(",
        "left == 0 and forget_worker(",
        "tests/lua/test_requeue.py::test_the_supervisors_token_reaps_at_once_and_keeps_the_heartbeat_for_a_ghost",
    ),
    Mutant(
        "retire removes the heartbeat with jobs held",
        LUA + "retire.lua",
        "if held > 0 then return {'holding', held} end\n",
        "",
        "tests/lua/test_retire.py::test_S33_a_worker_that_holds_jobs_keeps_its_heartbeat",
    ),
    Mutant(
        "discard takes a job from a live worker",
        LUA + "discard.lua",
        "if place == 'processing' and is_held_by_the_living() then return {'alive'} end\n",
        "",
        "tests/lua/test_discard.py::test_a_job_of_a_worker_that_lives_or_tells_nothing_is_refused",
    ),
    Mutant(
        "take leaves the counter, and so the worker's old bytes valid",
        LUA + "take.lua",
        "if place == 'pending' then redis.call('RPUSH', pending, new_raw)",
        "if place == 'pending' then redis.call('RPUSH', pending, raw)",
        "tests/lua/test_take.py::test_a_job_with_attempts_left_runs_next_elsewhere",
    ),
]
