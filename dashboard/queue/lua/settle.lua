-- Settle: acknowledge finished jobs, count them, and claim the next n, in one round trip.
-- KEYS  1 pending list · 2 processing list of the worker · 3 workers hash · 4 policy hash · 5 stats hash
-- ARGV  1 worker · 2 number of this call · 3 n, jobs to claim · 4 now, or '' for the server's clock
--       5… the raws to acknowledge, oldest first
-- Answers  {'settled' | 'paused', acked, {places of raws that were not held}, {raws claimed}}
--          {'wrongtype', key, want, got}: pending matters only to who wants jobs
-- Never safe to run twice: a repeated call claims again. Its number, stored last, tells a worker whose reply was
-- lost whether the call happened.
--@include record

local pending, processing, workers, policy, stats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local worker, call, wanted, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), server_time(ARGV[4])

local wrong = wrong_type(processing, 'list') or wanted > 0 and wrong_type(pending, 'list')
if wrong then return wrong end

-- An LREM opens the gate as well.
if #ARGV < 5 then open_write_gate(stats) end
local acked, lost = 0, {}
for place = 5, #ARGV do
  if redis.call('LREM', processing, -1, ARGV[place]) == 1 then
    acked = acked + 1
  else
    lost[#lost + 1] = place - 5
  end
end

local code, claimed, bytes = 'settled', {}, 0
if wanted > 0 and redis.pcall('HGET', policy, 'paused') == '1' then
  code, wanted = 'paused', 0
end
while #claimed < wanted and bytes < CALL_BYTES do
  local raw = redis.call('LMOVE', pending, processing, 'RIGHT', 'LEFT')
  if not raw then break end
  claimed[#claimed + 1] = raw
  bytes = bytes + #raw
end

redis.pcall('HSET', workers, 's:' .. worker, call .. ' ' .. string.format('%.3f', now))
count(stats, 'acked', acked)
return {code, acked, lost, claimed}
