-- Promote: move delayed jobs that are due to pending, in due order; or one given job now, to run next.
-- KEYS  1 delayed zset · 2 pending list · 3 events stream · 4 stats hash · 5 answer of the act
-- ARGV  1 mode: due | one · 2 limit, jobs · 3 act id or '' · 4 actor · 5 now or ''
--       for one: 6 length · 7 digest · 8 hint, its rank when seen · 9 score as text
-- Answers  {'promoted', count, next due or ''} · {'gone', 0, ''} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice: a moved job is no longer delayed. Without an act id (a daemon's) the stats keep the last run.
--@include record
--@include address

local delayed, pending, events, stats, act_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mode, limit, act_id, actor, now = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], server_time(ARGV[5])

local wrong = wrong_type(delayed, 'zset') or wrong_type(pending, 'list')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end

local promoted, bytes, trail = 0, 0, {}
local function move(raw, push)
  redis.call(push, pending, raw)
  redis.call('ZREM', delayed, raw)
  promoted, bytes = promoted + 1, bytes + #raw
  if #trail < 10 then trail[#trail + 1] = redis.sha1hex(raw) end
end

if mode == 'one' then
  local raw = find_in_zset(delayed, tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8]), ARGV[9])
  if not raw then return {'gone', 0, ''} end
  open_write_gate(stats)
  move(raw, 'RPUSH')
else
  open_write_gate(stats)
  while promoted < limit and bytes < CALL_BYTES do
    local due = redis.call('ZRANGE', delayed, '-inf', string.format('%.3f', now), 'BYSCORE', 'LIMIT', 0, 1)
    if not due[1] then break end
    move(due[1], 'LPUSH')
  end
  if act_id == '' then redis.pcall('HSET', stats, 'promoted_at', string.format('%.3f', now)) end
end

count(stats, 'promoted', promoted)
if promoted > 0 then
  record_event(events, 'promoted', 'by', actor, 'count', promoted, 'jobs', table.concat(trail, ' '))
end
remember(act_key, act_id, now, actor, 'promoted', promoted)
local next_due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
return {'promoted', promoted, next_due or ''}
