-- Bury: move one pending job to dead, unchanged.
-- KEYS  1 pending list · 2 dead list · 3 events stream · 4 stats hash · 5 answer of the act
-- ARGV  1 length · 2 digest · 3 hint from the right end · 4 act id or '' · 5 actor · 6 now or ''
-- Answers  {'buried', 1} · {'gone', 0} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice by its act id; without one an equal copy would move too.
--@include record
--@include address
--@include entries

local pending, dead, events, stats, act_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local act_id, actor, now = ARGV[4], ARGV[5], server_time(ARGV[6])

local wrong = wrong_type(pending, 'list') or wrong_type(dead, 'list')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end
local index, raw = find_in_list(pending, tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]))
if not index then return {'gone', 0} end

open_write_gate(stats)
redis.call('LPUSH', dead, raw)
remove_at(pending, index)
count(stats, 'dead', 1)
record_event(events, 'buried', 'by', actor, 'jobs', redis.sha1hex(raw))
remember(act_key, act_id, now, actor, 'buried', 1)
return {'buried', 1}
