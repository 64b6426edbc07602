-- Counter probe: what the shared counter makes of each job. For tests; touches no key.
-- ARGV  jobs
-- Answers  for each: {new bytes, count} of bump or {}, {new bytes} of reset or {}
--@include counter

local answer = {}
for place, raw in ipairs(ARGV) do
  local bumped, attempts = bump(raw)
  local renewed = reset(raw)
  answer[place] = {
    bumped and {bumped, string.format('%.17g', attempts)} or {},
    renewed and {renewed} or {},
  }
end
return answer
