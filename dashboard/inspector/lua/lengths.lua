-- Lengths: how many jobs each processing list holds. Writes nothing.
-- KEYS  the lists
-- Answers  'n,n,…' in the order of KEYS; -1 stands for a key of another type.

local lengths = {}
for at = 1, #KEYS do
  local length = redis.pcall('LLEN', KEYS[at])
  lengths[at] = type(length) == 'number' and length or -1
end
return table.concat(lengths, ',')
