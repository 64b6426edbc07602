-- Fail: put a job that raised aside, delayed for its next run or dead, with the worker's new bytes for it.
-- KEYS  1 processing list of the worker · 2 delayed zset · 3 dead list · 4 events stream · 5 stats hash
-- ARGV  1 worker · 2 raw as held · 3 new raw · 4 delay in ms, or '' for dead · 5 error, one line · 6 now or ''
-- Answers  {'delayed', due} · {'dead'} · {'lost'}: no longer held, nothing changed · {'wrongtype', key, want, got}
-- Safe to run twice: the second call finds the job no longer held (unless an equal copy is).
--@include record

local processing, delayed, dead, events, stats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local worker, raw, new_raw, delay_ms, error_line = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local now = server_time(ARGV[6])

local wrong = wrong_type(processing, 'list') or wrong_type(delayed, 'zset') or wrong_type(dead, 'list')
if wrong then return wrong end
if not redis.call('LPOS', processing, raw) then return {'lost'} end

open_write_gate(stats)
local answer
if delay_ms == '' then
  redis.call('LPUSH', dead, new_raw)
  answer = {'dead'}
else
  local due = string.format('%.3f', now + tonumber(delay_ms) / 1000)
  while redis.call('ZADD', delayed, 'NX', due, new_raw) == 0 do
    new_raw = new_raw .. ' '   -- equal members would collapse into one
  end
  answer = {'delayed', due}
end
redis.call('LREM', processing, -1, raw)

count(stats, 'failed', 1)
if delay_ms == '' then count(stats, 'dead', 1) end
record_event(events, answer[1] == 'dead' and 'dead' or 'failed', 'worker', worker, 'error', error_line,
  'from', redis.sha1hex(raw), 'to', redis.sha1hex(new_raw), 'due', answer[2] or '')
return answer
