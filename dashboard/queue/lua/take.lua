-- Take: an admin takes one job out of a live worker's list, because the worker is wedged. It may run twice.
-- KEYS  1 pending list · 2 processing list of the worker · 3 dead list · 4 policy hash · 5 events stream · 6 stats hash
--       7 answer of the act
-- ARGV  1 worker · 2 length · 3 digest · 4 hint from the right end · 5 max_attempts where the policy is silent
--       6 act id or '' · 7 actor · 8 now or ''
-- Answers  {'taken', 'pending' | 'dead'} · {'gone', ''} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice by its act id. The higher counter makes the worker's bytes old: its ack will answer lost.
--@include record
--@include counter
--@include address
--@include entries
--@include rules

local pending, processing, dead, policy, events, stats, act_key =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local worker, act_id, actor, now = ARGV[1], ARGV[6], ARGV[7], server_time(ARGV[8])

local wrong = wrong_type(pending, 'list') or wrong_type(processing, 'list') or wrong_type(dead, 'list')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end
local index, raw = find_in_list(processing, tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]))
if not index then return {'gone', ''} end

local new_raw, attempts = bump(raw)
local place = new_raw and attempts <= max_attempts_in_force(policy, ARGV[5]) and 'pending' or 'dead'
open_write_gate(stats)
if place == 'pending' then redis.call('RPUSH', pending, new_raw) else redis.call('LPUSH', dead, new_raw or raw) end
remove_at(processing, index)
if place == 'dead' then count(stats, 'dead', 1) end
record_event(events, 'taken', 'worker', worker, 'by', actor, 'place', place,
  'jobs', redis.sha1hex(raw) .. '>' .. redis.sha1hex(new_raw or raw))
remember(act_key, act_id, now, actor, 'taken', 1)
return {'taken', place}
