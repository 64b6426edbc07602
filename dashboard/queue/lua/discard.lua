-- Discard: move one job out of the queue into the trash, from where it can be restored.
-- KEYS  1 the list or zset it stands in · 2 trash stream · 3 heartbeats hash · 4 policy hash · 5 events stream
--       6 stats hash · 7 answer of the act
-- ARGV  1 place: pending | dead | delayed | processing · 2 worker or '' · 3 length · 4 digest · 5 hint · 6 score or ''
--       7 stale_after in seconds where the policy is silent · 8 entries the trash keeps · 9 act id or '' · 10 actor
--       11 now or ''
-- Answers  {'discarded', trash id} · {'gone'} · {'alive'}: held by a live worker · {'repeated', …} · {'wrongtype', …}
-- Safe to run twice by its act id. With a full memory the trash refuses first, and nothing moves.
--@include record
--@include address
--@include entries
--@include rules

local source, trash, heartbeats, policy = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local events, stats, act_key = KEYS[5], KEYS[6], KEYS[7]
local place, worker, length, digest, hint, score = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]
local act_id, actor, now = ARGV[9], ARGV[10], server_time(ARGV[11])

local wrong = wrong_type(source, place == 'delayed' and 'zset' or 'list') or wrong_type(trash, 'stream')
  or place == 'processing' and wrong_type(heartbeats, 'hash')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end

local function is_held_by_the_living()
  local beat = redis.call('HGET', heartbeats, worker)
  if not beat then return false end
  local stamp = told_at(beat, now)
  return not stamp or now - stamp <= stale_after_in_force(policy, ARGV[7])
end
if place == 'processing' and is_held_by_the_living() then return {'alive'} end

local index, raw
if place == 'delayed' then
  raw = find_in_zset(source, length, digest, hint, score)
else
  index, raw = find_in_list(source, length, digest, hint)
end
if not raw then return {'gone'} end

local trash_id = redis.call('XADD', trash, 'MAXLEN', '~', ARGV[8], '*', 'raw', raw, 'place', place, 'due', score,
  'worker', worker, 'by', actor, 'at', string.format('%.3f', now))
if index then remove_at(source, index) else redis.call('ZREM', source, raw) end
count(stats, 'discarded', 1)
record_event(events, 'discarded', 'by', actor, 'place', place, 'worker', worker, 'jobs', redis.sha1hex(raw))
remember(act_key, act_id, now, actor, 'discarded', 1)
return {'discarded', trash_id}
