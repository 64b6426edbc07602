-- Restore: put a discarded job back to where it came from: the newest end of pending or dead, or delayed with its old
-- due time (now, where that is no number). A job discarded from a dead worker's list comes back to dead, where an operator decides.
-- KEYS  1 trash stream · 2 pending list · 3 delayed zset · 4 dead list · 5 events stream · 6 stats hash
--       7 answer of the act
-- ARGV  1 trash id · 2 act id or '' · 3 actor · 4 now or ''
-- Answers  {'restored', place} · {'gone', ''} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice: the second call finds the trash entry gone.
--@include record
--@include trash

local trash, pending, delayed, dead, events, stats, act_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local trash_id, act_id, actor, now = ARGV[1], ARGV[2], ARGV[3], server_time(ARGV[4])

local wrong = wrong_type(trash, 'stream') or wrong_type(pending, 'list') or wrong_type(delayed, 'zset')
  or wrong_type(dead, 'list')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end
local discarded = trash_entry(trash, trash_id)
if not discarded or not discarded.raw then return {'gone', ''} end
local raw, place = discarded.raw, discarded.place
local due = is_score(discarded.due) and discarded.due or string.format('%.3f', now)
open_write_gate(stats)
if place == 'delayed' then
  while redis.call('ZADD', delayed, 'NX', due, raw) == 0 do
    raw = raw .. ' '   -- equal members would collapse into one
  end
elseif place == 'pending' then
  redis.call('LPUSH', pending, raw)
else
  place = 'dead'
  redis.call('LPUSH', dead, raw)
end
redis.call('XDEL', trash, trash_id)
count(stats, 'restored', 1)
record_event(events, 'restored', 'by', actor, 'place', place, 'jobs', redis.sha1hex(raw))
remember(act_key, act_id, now, actor, 'restored', 1)
return {'restored', place}
