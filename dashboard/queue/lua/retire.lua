-- Retire: take a worker that stopped cleanly off the list, unless it still holds jobs.
-- KEYS  1 heartbeats hash · 2 processing list of the worker · 3 workers hash · 4 events stream · 5 stats hash · 6 watch hash
-- ARGV  1 worker · 2 instance token · 3 why, one line · 4 now or ''
-- Answers  {'retired', 0} · {'holding', held}: the heartbeat stays, so that a reaper finds the jobs
--          {'wrongtype', key, want, got}
-- Safe to run twice. A worker that another instance has replaced under the same name is left alone: {'alive', held}.
--@include record
--@include worker

local heartbeats, processing, workers, events, stats, watch = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local worker, token, why, now = ARGV[1], ARGV[2], ARGV[3], server_time(ARGV[4])

local wrong = wrong_type(heartbeats, 'hash') or wrong_type(processing, 'list')
if wrong then return wrong end
local held = redis.call('LLEN', processing)
local owner = redis.pcall('HGET', workers, 'k:' .. worker)
if token ~= '' and type(owner) == 'string' and owner ~= token then return {'alive', held} end
if held > 0 then return {'holding', held} end

open_write_gate(stats)
if forget_worker(heartbeats, watch, workers, worker) == 1 then
  -- What a requeue wrote of a child that crashed says more, and stays.
  local before = redis.pcall('HGET', workers, 't:' .. worker)
  if not (type(before) == 'string' and before:find('"child-exit"', 1, true)) then
    remember_end(workers, worker, {state = 'stopped', at = string.format('%.3f', now), held = 0, why = why})
  end
  record_event(events, 'stopped', 'worker', worker, 'why', why)
end
return {'retired', 0}
