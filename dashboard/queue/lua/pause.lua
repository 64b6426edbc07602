-- Pause: workers of ours claim nothing more from the queue. What they hold they finish.
-- KEYS  1 policy hash · 2 events stream · 3 answer of the act
-- ARGV  1 act id or '' · 2 actor · 3 now or ''
-- Answers  {'paused', changed 0 | 1} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice. Works with a full memory: the field is small.
--@include record

local policy, events, act_key = KEYS[1], KEYS[2], KEYS[3]
local act_id, actor, now = ARGV[1], ARGV[2], server_time(ARGV[3])

local wrong = wrong_type(policy, 'hash')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end
local changed = redis.call('HGET', policy, 'paused') ~= '1' and 1 or 0
open_write_gate(policy)
redis.call('HSET', policy, 'paused', '1')
if changed == 1 then record_event(events, 'paused', 'by', actor) end
remember(act_key, act_id, now, actor, 'paused', changed)
return {'paused', changed}
