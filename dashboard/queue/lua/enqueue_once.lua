-- Enqueue once: store one new job in pending or delayed, unless its dedup key is marked; mark it in the same step.
-- KEYS  1 pending list or delayed zset · 2 dedup string · 3 policy hash · 4 stats hash · 5 events stream
-- ARGV  1 raw · 2 '' for pending, or when it is due: unix seconds, or '+' and seconds from the server's now
--       3 mark · 4 ms that the mark stays · 5 now or ''
-- Answers  {'enqueued', mark} · {'duplicate', mark of the first}: nothing stored · {'delayed', ''}: exactly these bytes
--          are delayed already, nothing stored and nothing marked · {'wrongtype', key, want, got}
-- Safe to run twice while the mark stays: the second call finds it, and by its text whose it is. Marks the queue as
-- managed.
--@include record

local target, dedup, policy, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local raw, due, mark, mark_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local now = server_time(ARGV[5])

local wrong = wrong_type(target, due == '' and 'list' or 'zset') or wrong_type(dedup, 'string')
if wrong then return wrong end
if due ~= '' and not is_score(due) then return redis.error_reply('ERR a due time is no number, nothing was stored') end
local first = redis.call('GET', dedup)
if first then
  count(stats, 'duplicates', 1)
  return {'duplicate', first}
end

-- Changes nothing, as there is no such key: but a server that will refuse the mark does so here, before the job is
-- stored. A mark without a job would swallow the next one, so the mark comes last.
redis.call('SET', dedup, mark, 'XX', 'PX', mark_ms)
if due == '' then
  redis.call('LPUSH', target, raw)
else
  if due:sub(1, 1) == '+' then due = string.format('%.3f', now + tonumber(due)) end
  if redis.call('ZADD', target, 'NX', due, raw) == 0 then return {'delayed', ''} end
end
redis.call('SET', dedup, mark, 'PX', mark_ms)

redis.pcall('HSETNX', policy, 'managed', '1')
count(stats, 'enqueued', 1)
if due ~= '' then record_event(events, 'delayed', 'count', 1, 'due', due, 'jobs', redis.sha1hex(raw)) end
return {'enqueued', mark}
