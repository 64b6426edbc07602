-- Shared: the end of a worker's entry. What it told of itself goes with its heartbeat; how it ended stays.

local function forget_worker(heartbeats, watch, workers, worker)
  local was_there = redis.call('HDEL', heartbeats, worker)
  redis.pcall('HDEL', watch, worker)
  redis.pcall('HDEL', workers, 'k:' .. worker, 'b:' .. worker, 's:' .. worker)
  return was_there
end

local function remember_end(workers, worker, tombstone)
  redis.pcall('HSET', workers, 't:' .. worker, cjson.encode(tombstone))
end
