-- Sample: write down how deep the queue is, who works there and what was counted so far, once in each bucket of time.
-- KEYS  1 pending list · 2 delayed zset · 3 dead list · 4 stats hash · 5 samples of ten seconds (stream)
--       6 one of each minute (stream) · 7 one of each quarter of an hour (stream)
-- ARGV  1 now or '' · then pairs of name and figure that the caller knows: jobs held, workers by state
-- Answers  {'sampled', entries added} · {'wrongtype', key, want, got}
-- Safe to run twice: an entry's id is the beginning of its bucket, and a bucket that has one keeps it. Counters are
-- written as they stand, so that a rate is a difference and the coarser streams copy. With a full memory it is refused.
--@include record

local pending, delayed, dead, stats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now = server_time(ARGV[1])
local SERIES = {
  {key = KEYS[5], step_ms = 10000, kept_ms = 7200000},
  {key = KEYS[6], step_ms = 60000, kept_ms = 86400000},
  {key = KEYS[7], step_ms = 900000, kept_ms = 2592000000},
}
local COUNTERS = {'enqueued', 'duplicates', 'acked', 'failed', 'dead', 'reaped', 'released', 'promoted', 'retried', 'discarded', 'restored'}
local AHEAD_MS = 3600000          -- entries further ahead than this were written under a wrong clock, and would end the series

local wrong = wrong_type(pending, 'list') or wrong_type(delayed, 'zset') or wrong_type(dead, 'list')
for _, series in ipairs(SERIES) do wrong = wrong or wrong_type(series.key, 'stream') end
if wrong then return wrong end

local figures = {
  'at', string.format('%.3f', now), 'pending', redis.call('LLEN', pending), 'delayed', redis.call('ZCARD', delayed),
  'overdue', redis.call('ZCOUNT', delayed, '-inf', string.format('%.3f', now)), 'dead', redis.call('LLEN', dead),
}
for place = 2, #ARGV do figures[#figures + 1] = ARGV[place] end
local counted = redis.pcall('HMGET', stats, unpack(COUNTERS))
for place, name in ipairs(counted.err and {} or COUNTERS) do
  figures[#figures + 1] = 'total_' .. name
  figures[#figures + 1] = counted[place] or 0
end

local added = 0
for _, series in ipairs(SERIES) do
  local bucket_ms = math.floor(now * 1000 / series.step_ms) * series.step_ms
  local newest = redis.call('XREVRANGE', series.key, '+', '-', 'COUNT', 1)[1]
  local newest_ms = newest and tonumber(newest[1]:match('^%d+')) or 0
  if newest_ms > bucket_ms + AHEAD_MS then
    redis.call('DEL', series.key)
    newest_ms = 0
  end
  if newest_ms < bucket_ms then
    local kept_since = string.format('%d', math.max(0, bucket_ms - series.kept_ms))
    redis.call('XADD', series.key, 'MINID', '~', kept_since, string.format('%d-0', bucket_ms), unpack(figures))
    added = added + 1
  end
end
return {'sampled', added}
