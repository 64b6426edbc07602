-- Beat: say that a worker lives, and learn the time, how many jobs its list holds, and whether the queue is paused.
-- KEYS  1 heartbeats hash · 2 processing list of the worker · 3 workers hash · 4 policy hash · 5 stats hash
-- ARGV  1 worker · 2 instance token or '' · 3 instance record (JSON) or '' · 4 busy record (JSON) or '' · 5 now or ''
-- Answers  {'beat', now, held, paused 0 | 1} · {'wrongtype', key, want, got}
-- Safe to run twice. Marks the queue as managed: daemons may act on what our own workers serve.
--@include record

local heartbeats, processing, workers, policy, stats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local worker, token, instance, busy, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], server_time(ARGV[5])

local wrong = wrong_type(heartbeats, 'hash') or wrong_type(processing, 'list')
if wrong then return wrong end

open_write_gate(stats)
redis.call('HSET', heartbeats, worker, string.format('%d', math.floor(now)))
if token ~= '' then redis.pcall('HSET', workers, 'k:' .. worker, token) end
if instance ~= '' then redis.pcall('HSET', workers, 'i:' .. worker, instance) end
if busy ~= '' then redis.pcall('HSET', workers, 'b:' .. worker, busy) end
redis.pcall('HSETNX', policy, 'managed', '1')
local paused = redis.pcall('HGET', policy, 'paused') == '1'
return {'beat', string.format('%.3f', now), redis.call('LLEN', processing), paused and 1 or 0}
