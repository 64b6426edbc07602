-- Reschedule: give one delayed job another due time.
-- KEYS  1 delayed zset · 2 events stream · 3 answer of the act
-- ARGV  1 length · 2 digest · 3 hint, its rank when seen · 4 score as text · 5 new due, unix seconds
--       6 act id or '' · 7 actor · 8 now or ''
-- Answers  {'rescheduled', 1} · {'gone', 0} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice: only the score changes, and only of a member that is there.
--@include record
--@include address

local delayed, events, act_key = KEYS[1], KEYS[2], KEYS[3]
local due, act_id, actor, now = ARGV[5], ARGV[6], ARGV[7], server_time(ARGV[8])

local wrong = wrong_type(delayed, 'zset')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end
local raw = find_in_zset(delayed, tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4])
if not raw then return {'gone', 0} end

redis.call('ZADD', delayed, 'XX', due, raw)
record_event(events, 'rescheduled', 'by', actor, 'jobs', redis.sha1hex(raw), 'due', due)
remember(act_key, act_id, now, actor, 'rescheduled', 1)
return {'rescheduled', 1}
