-- Release: give claimed jobs back unharmed, their counters untouched, so that the oldest runs next.
-- KEYS  1 pending list · 2 processing list of the worker · 3 events stream · 4 stats hash
-- ARGV  1 worker · 2… raws as held, oldest first
-- Answers  {'released', count, {places of raws that were not held}} · {'wrongtype', key, want, got}
-- Safe to run twice: what is no longer held stays where it is.
--@include record

local pending, processing, events, stats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local worker = ARGV[1]

local wrong = wrong_type(pending, 'list') or wrong_type(processing, 'list')
if wrong then return wrong end

open_write_gate(stats)
local released, lost, trail = 0, {}, {}
for place = #ARGV, 2, -1 do
  local raw = ARGV[place]
  if redis.call('LPOS', processing, raw) then
    redis.call('RPUSH', pending, raw)
    redis.call('LREM', processing, 1, raw)
    released = released + 1
    if #trail < 10 then trail[#trail + 1] = redis.sha1hex(raw) end
  else
    lost[#lost + 1] = place - 2
  end
end

count(stats, 'released', released)
if released > 0 then
  record_event(events, 'released', 'worker', worker, 'count', released, 'jobs', table.concat(trail, ' '))
end
return {'released', released, lost}
