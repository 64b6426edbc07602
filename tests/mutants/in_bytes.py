"""Bugs planted in the scripts around moves: bytes, order, bounds, answers, memory and keys."""

from __future__ import annotations

from tests.mutants.mutant import LUA, Mutant

MACHINE = (
    "tests/model/test_machine.py::test_every_job_stays_in_one_place_whatever_happens_in_whatever_order"
    "[redis-60-True]"
)

IN_BYTES = [
    # Bytes and counters.
    Mutant(
        "the counter is written by cjson",
        LUA + "shared/counter.lua",
        "local function bump(raw)\n",
        "local function bump(raw)\n"
        "  local is_json, job = pcall(cjson.decode, raw)\n"
        "  if is_json and type(job) == 'table' and type(job.attempts) == 'number' then\n"
        "    job.attempts = job.attempts + 1\n"
        "    return cjson.encode(job), job.attempts\n"
        "  end\n",
        "tests/lua/test_requeue_bytes.py::test_S1_one_number_changes",
    ),
    Mutant(
        "a job dies one run early",
        LUA + "requeue.lua",
        "attempts <= max_attempts\n",
        "attempts < max_attempts\n",
        "tests/lua/test_requeue_bytes.py::test_a_dying_job_carries_its_last_attempt",
    ),
    Mutant(
        "a release counts as an attempt",
        LUA + "release.lua",
        "    redis.call('RPUSH', pending, raw)\n",
        "    redis.call('RPUSH', pending, (raw:gsub('\"attempts\":0', '\"attempts\":1')))\n",
        "tests/lua/test_release.py::test_jobs_come_back_in_the_order_they_would_have_run",
    ),
    Mutant(
        "fail lets equal members collapse",
        LUA + "fail.lua",
        "redis.call('ZADD', delayed, 'NX', due, new_raw) == 0 do",
        "redis.call('ZADD', delayed, 'NX', due, new_raw) == 2 do",
        "tests/lua/test_fail.py::test_S66_equal_jobs_that_fail_stay_two",
    ),
    Mutant(
        "enqueue at overwrites an earlier due time",
        LUA + "enqueue_at.lua",
        "redis.call('ZADD', delayed, 'NX', due, raw)",
        "redis.call('ZADD', delayed, due, raw)",
        "tests/lua/test_enqueue_at.py::test_S25_the_same_bytes_again_are_reported_and_the_first_due_time_stays",
    ),
    Mutant(
        "an entry among equal ones is removed by its value",
        LUA + "shared/entries.lua",
        "    redis.call('LSET', key, index, MARK)\n"
        "    redis.call('LREM', key, -index * 2 > length and 1 or -1, MARK)\n",
        "    redis.call('LREM', key, 1, redis.call('LINDEX', key, index))\n",
        "tests/lua/test_revive_one.py::test_the_exact_place_of_equal_jobs_is_preferred",
    ),
    # Order and bounds.
    Mutant(
        "release pushes the oldest first",
        LUA + "release.lua",
        "for place = #ARGV, 2, -1 do",
        "for place = 2, #ARGV do",
        "tests/lua/test_release.py::test_jobs_come_back_in_the_order_they_would_have_run",
    ),
    Mutant(
        "promote pushes due jobs before what waits",
        LUA + "promote.lua",
        "    move(due[1], 'LPUSH')\n",
        "    move(due[1], 'RPUSH')\n",
        "tests/lua/test_promote.py::test_a_daemon_moves_what_is_due_and_the_stats_keep_its_pass",
    ),
    Mutant(
        "requeue takes the holder's oldest job first",
        LUA + "requeue.lua",
        "  local raw = redis.call('LINDEX', processing, 0)\n",
        "  local raw = redis.call('LMOVE', processing, processing, 'RIGHT', 'LEFT')\n",
        "tests/lua/test_requeue_bytes.py::test_each_kind_of_job_keeps_its_place_in_the_order",
    ),
    Mutant(
        "a bulk retry goes beyond its bound",
        LUA + "revive.lua",
        "math.min(CHUNK_MAX, limit - moved - unreadable, bound - moved - skip - unreadable)",
        "math.min(CHUNK_MAX, limit - moved - unreadable)",
        "tests/lua/test_revive_oldest.py::test_what_died_after_the_bound_was_drawn_stays",
    ),
    Mutant(
        "requeue moves a list in one call, however long",
        LUA + "requeue.lua",
        "while moved + died < limit and bytes < CALL_BYTES do",
        "while moved + died < limit do",
        "tests/lua/test_requeue.py::test_a_call_moves_about_a_megabyte",
    ),
    # Acts, pauses, memory, keys.
    Mutant(
        "the answer of an act is not remembered",
        LUA + "shared/record.lua",
        "  redis.pcall('SET', act_key, answer, 'EX', ACT_SECONDS)\n",
        "",
        "tests/lua/test_revive_one.py::test_S35_a_double_click_moves_one_of_two_equal_jobs",
    ),
    Mutant(
        "settle claims from a paused queue",
        LUA + "settle.lua",
        "  code, wanted = 'paused', 0\n",
        "  code = 'paused'\n",
        "tests/lua/test_settle.py::test_a_paused_queue_acknowledges_but_gives_nothing",
    ),
    Mutant(
        "settle counts before it acknowledges",
        LUA + "settle.lua",
        "if #ARGV < 5 then open_write_gate(stats) end\nlocal acked, lost = 0, {}\n",
        "redis.call('HINCRBY', stats, 'calls', 1)\nlocal acked, lost = 0, {}\n",
        "tests/lua/test_full_memory.py::test_S67_a_full_queue_drains_and_its_worker_stays_alive",
    ),
    Mutant(
        "beat opens no gate for a full memory",
        LUA + "beat.lua",
        "open_write_gate(stats)\n",
        "",
        "tests/lua/test_full_memory.py::test_S67_a_full_queue_drains_and_its_worker_stays_alive",
    ),
    Mutant(
        "settle does not tell its number",
        LUA + "settle.lua",
        "redis.pcall('HSET', workers, 's:' .. worker, call",
        "redis.pcall('HGET', workers, 's:' .. worker, call",
        "tests/lua/test_settle.py::test_a_repeated_call_claims_again_and_only_the_number_tells",
    ),
    Mutant(
        "restore leaves the job in the trash",
        LUA + "restore.lua",
        "redis.call('XDEL', trash, trash_id)\n",
        "",
        "tests/lua/test_restore.py::test_a_dead_job_comes_back_to_the_newest_end",
    ),
    Mutant(
        "a move is not told in the flight recorder",
        LUA + "take.lua",
        "record_event(events, 'taken',",
        "type('taken',",
        "tests/lua/test_take.py::test_a_job_with_attempts_left_runs_next_elsewhere",
    ),
    Mutant(
        "a script touches a key that it did not declare",
        LUA + "claim.lua",
        "local wanted = tonumber(ARGV[1])\n",
        "local wanted = tonumber(ARGV[1])\nredis.call('LLEN', pending .. ':elsewhere')\n",
        MACHINE,
    ),
]
