-- Depths: how long the lists of many queues are, at one instant. Writes nothing.
-- KEYS  four a queue: pending list · delayed zset · dead list · heartbeats hash
-- ARGV  1 now in unix seconds, or '' for the server's clock
-- Answers  {now as text, 'pending,delayed,overdue,dead,workers;…'}: one group a queue, in order of KEYS.
--          -1 stands for a key of another type, -2 for a figure that was not asked.
-- At most four commands a queue: heartbeats are counted only where nothing is delayed, so nothing is overdue.

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%s.%06d', time[1], tonumber(time[2]))
end

local function figure(...)
  local answer = redis.pcall(...)
  return type(answer) == 'number' and answer or -1
end

local groups = {}
for at = 1, #KEYS, 4 do
  local delayed, overdue, workers = figure('ZCARD', KEYS[at + 1]), 0, -2
  if delayed > 0 then
    overdue = figure('ZCOUNT', KEYS[at + 1], '-inf', now)
  else
    overdue, workers = delayed, figure('HLEN', KEYS[at + 3])
  end
  groups[#groups + 1] = table.concat(
    {figure('LLEN', KEYS[at]), delayed, overdue, figure('LLEN', KEYS[at + 2]), workers}, ',')
end
return {now, table.concat(groups, ';')}
