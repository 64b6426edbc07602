-- Enqueue at: store new jobs in delayed, each with its own due time.
-- KEYS  1 delayed zset · 2 policy hash · 3 stats hash · 4 events stream
-- ARGV  pairs: due in unix seconds, or '+' and seconds from the server's now · raw. The last one is now or ''
-- Answers  {'enqueued', count, {places of raws that are delayed already}} · {'wrongtype', key, want, got}
-- Safe to run twice: equal bytes are one member, and the first due time stays. Marks the queue as managed.
--@include record

local delayed, policy, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now = server_time(ARGV[#ARGV])

local wrong = wrong_type(delayed, 'zset')
if wrong then return wrong end
local dues, stored, conflicts, trail, first_due = {}, 0, {}, {}, nil
for place = 1, #ARGV - 1, 2 do
  local due = ARGV[place]
  if not is_score(due) then return redis.error_reply('ERR a due time is no number, nothing was stored') end
  dues[place] = due:sub(1, 1) == '+' and string.format('%.3f', now + tonumber(due)) or due
end
for place = 1, #ARGV - 1, 2 do
  local due, raw = dues[place], ARGV[place + 1]
  if redis.call('ZADD', delayed, 'NX', due, raw) == 1 then
    stored, first_due = stored + 1, first_due or due
    if #trail < 10 then trail[#trail + 1] = redis.sha1hex(raw) end
  else
    conflicts[#conflicts + 1] = (place - 1) / 2
  end
end
redis.pcall('HSETNX', policy, 'managed', '1')
count(stats, 'enqueued', stored)
if stored > 0 then
  record_event(events, 'delayed', 'count', stored, 'due', first_due, 'jobs', table.concat(trail, ' '))
end
return {'enqueued', stored, conflicts}
