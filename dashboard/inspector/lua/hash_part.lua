-- Hash part: one step over a large hash, packed. Writes nothing.
-- KEYS  1 the hash
-- ARGV  1 cursor, '0' to begin · 2 how many to look at
-- Answers  {next cursor, 'n,n,…', bytes}: lengths of field, value, field, …, and all of them in a row

local step = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local lengths = {}
for at = 1, #step[2] do lengths[at] = #step[2][at] end
return {step[1], table.concat(lengths, ','), table.concat(step[2])}
