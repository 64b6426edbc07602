-- Purge: remove discarded jobs for ever, one by its trash id or the oldest ones.
-- KEYS  1 trash stream · 2 events stream · 3 answer of the act
-- ARGV  1 trash id, or '' for the oldest · 2 limit, entries · 3 act id or '' · 4 actor · 5 now or ''
-- Answers  {'purged', count, left} · {'repeated', …} · {'wrongtype', key, want, got}
-- Safe to run twice. Works with a full memory: XDEL and XTRIM are never refused.
--@include record
--@include trash

local trash, events, act_key = KEYS[1], KEYS[2], KEYS[3]
local trash_id, limit, act_id, actor, now = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], server_time(ARGV[5])

local wrong = wrong_type(trash, 'stream')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end

local purged = 0
if trash_id == '' then
  purged = redis.call('XTRIM', trash, 'MAXLEN', math.max(0, redis.call('XLEN', trash) - limit))
elseif trash_entry(trash, trash_id) then
  purged = redis.call('XDEL', trash, trash_id)
end
if purged > 0 then record_event(events, 'purged', 'by', actor, 'count', purged) end
remember(act_key, act_id, now, actor, 'purged', purged)
return {'purged', purged, redis.call('XLEN', trash)}
