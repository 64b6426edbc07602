-- Requeue, the reap: give the jobs of a dead worker back to pending, their counters one higher, or to dead.
-- KEYS  1 pending list · 2 processing list of the worker · 3 heartbeats hash · 4 dead list · 5 policy hash
--       6 watch hash · 7 workers hash · 8 events stream · 9 stats hash · 10 answer of the act
-- ARGV  1 why: stale | child-exit | operator · 2 worker · 3 '1' when evidence follows, '0' for a list without heartbeat
--       4 evidence: the heartbeat value as seen, or the instance token · 5 limit, jobs · 6 max_attempts
--       7 stale_after in seconds (6 and 7 count where the policy is silent) · 8 act id or '' · 9 actor · 10 detail
--       11 since when the caller itself saw the value unchanged, or '' · 12 now or ''
-- Answers  {'reaped', moved, dead, left} · {'alive', held} · {'watched', held}: not silent for long enough yet
--          {'adopted', held}: a list without heartbeat got one · {'gone', held} · {'repeated', …} · {'wrongtype', …}
-- Safe to run twice: the second call finds an empty list, a newer heartbeat or the act's answer. The holder's list is
-- taken from its newest end, so that its oldest job runs next.
--@include record
--@include counter
--@include rules
--@include worker

local pending, processing, heartbeats, dead, policy = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local watch, workers, events, stats, act_key = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local why, worker, has_evidence, evidence, limit = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4], tonumber(ARGV[5])
local act_id, actor, detail, now = ARGV[8], ARGV[9], ARGV[10], server_time(ARGV[12])

local wrong = wrong_type(pending, 'list') or wrong_type(processing, 'list') or wrong_type(heartbeats, 'hash')
  or wrong_type(dead, 'list')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end

local max_attempts = max_attempts_in_force(policy, ARGV[6])
local held = redis.call('LLEN', processing)
local beat = redis.call('HGET', heartbeats, worker)

local function refusal()
  if why == 'child-exit' then
    local owner = redis.pcall('HGET', workers, 'k:' .. worker)
    -- Where tokens cannot be stored, nobody else can have one: an error is no other owner.
    return type(owner) ~= 'table' and owner ~= evidence and 'alive' or nil
  end
  if not beat then
    if held == 0 or has_evidence then return 'gone' end
    return why == 'stale' and 'adopted' or nil
  end
  if not has_evidence or beat ~= evidence then return 'alive' end
  local stale_after, is_daemon = stale_after_in_force(policy, ARGV[7]), why == 'stale'
  if has_settled_since(workers, worker, watch, is_daemon, now - stale_after, now) then return 'alive' end
  local since = unchanged_since(watch, worker, beat, ARGV[11])
  return sign_of_life(beat, since, stale_after, now, not is_daemon)
end

local code = refusal()
if code == 'adopted' then
  open_write_gate(stats)
  redis.call('HSET', heartbeats, worker, string.format('%d', math.floor(now)))
  record_event(events, 'adopted', 'worker', worker, 'by', actor, 'count', held)
end
if code then return {code, held} end

open_write_gate(stats)
local moved, died, bytes, trail = 0, 0, 0, {}
while moved + died < limit and bytes < CALL_BYTES do
  local raw = redis.call('LINDEX', processing, 0)
  if not raw then break end
  local new_raw, attempts = bump(raw)
  local may_run = new_raw and attempts <= max_attempts
  redis.call(may_run and 'RPUSH' or 'LPUSH', may_run and pending or dead, new_raw or raw)
  redis.call('LPOP', processing)
  moved, died, bytes = moved + (may_run and 1 or 0), died + (may_run and 0 or 1), bytes + #raw
  if #trail < 10 then trail[#trail + 1] = redis.sha1hex(raw) .. '>' .. redis.sha1hex(new_raw or raw) end
end

local left = held - moved - died
local is_forgotten = left == 0 and why ~= 'child-exit' and forget_worker(heartbeats, watch, workers, worker) == 1
if moved + died > 0 then
  remember_end(workers, worker, {state = 'reaped', at = string.format('%.3f', now), beat = beat or '', held = held,
    by = actor, why = why, detail = detail})
  count(stats, 'reaped', moved)
  count(stats, 'dead', died)
  record_event(events, 'reaped', 'worker', worker, 'by', actor, 'why', why, 'detail', detail, 'moved', moved,
    'dead', died, 'jobs', table.concat(trail, ' '))
elseif is_forgotten then
  record_event(events, 'forgotten', 'worker', worker, 'by', actor, 'why', why)
end
remember(act_key, act_id, now, actor, 'reaped', moved + died)
return {'reaped', moved, died, left}
