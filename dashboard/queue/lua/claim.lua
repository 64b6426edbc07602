-- Claim: move up to n jobs from pending into the worker's own list, oldest first.
-- KEYS  1 pending list · 2 processing list of the worker · 3 policy hash · 4 stats hash
-- ARGV  1 n, jobs
-- Answers  {'claimed', raw…} · {'paused'} · {'wrongtype', key, want, got}
-- Not safe to run twice: a repeated call claims more. Nothing is lost, the list holds what was claimed.
--@include record

local pending, processing, policy, stats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local wanted = tonumber(ARGV[1])

local wrong = wrong_type(pending, 'list') or wrong_type(processing, 'list')
if wrong then return wrong end
if redis.pcall('HGET', policy, 'paused') == '1' then return {'paused'} end

open_write_gate(stats)
local answer, bytes = {'claimed'}, 0
while #answer <= wanted and bytes < CALL_BYTES do
  local raw = redis.call('LMOVE', pending, processing, 'RIGHT', 'LEFT')
  if not raw then break end
  answer[#answer + 1] = raw
  bytes = bytes + #raw
end
return answer
