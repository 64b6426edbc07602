-- Survey: what one queue tells of its workers, packed so that the reader parses two texts a hash. Writes nothing.
-- KEYS  1 heartbeats hash · 2 policy hash · 3 watch hash · 4 workers hash · 5 stats hash · 6 pending list
--       7 delayed zset · 8 dead list
-- ARGV  1 most workers to answer here · 2 first bytes of a job to answer, 0 for no jobs · then, from 4, fields: 3 says how many
--       are the policy's, the others are the stats'
-- Answers  {workers, heartbeats, watches, tombstones, policy values, stats values, {length, first bytes} of the
--          next pending job, due time of the soonest delayed job or '', {length, first bytes} of the newest dead one}
--          No job is {0, empty}.
--          A packed hash is {'n,n,…', bytes}: lengths of field, value, field, …, and all of them in a row;
--          -1 in its place is a key of another type, -2 more workers than may be answered (then the caller walks).

local heartbeats, policy, watch, workers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local stats, pending, delayed, dead = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local most, preview, policy_count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local TOMBSTONES_LOOKED_AT = 1000

local function packed(list)
  if list.err then return -1 end
  local lengths = {}
  for at = 1, #list do lengths[at] = #list[at] end
  return {table.concat(lengths, ','), table.concat(list)}
end

local function hash(key)
  local count = redis.pcall('HLEN', key)
  if type(count) ~= 'number' then return -1, -1 end
  if count > most then return -2, count end
  return packed(redis.pcall('HGETALL', key)), count
end

local function values(key, first, last)
  local list = redis.pcall('HMGET', key, unpack(ARGV, first, last))
  return list.err and -1 or list
end

local function first_bytes(key, index)
  local raw = preview > 0 and redis.pcall('LINDEX', key, index)
  if type(raw) ~= 'string' then raw = '' end
  return {#raw, raw:sub(1, preview)}
end

local beats, count = hash(heartbeats)
local graves = redis.pcall('HSCAN', workers, 0, 'MATCH', 't:*', 'COUNT', TOMBSTONES_LOOKED_AT)
local soonest = preview > 0 and redis.pcall('ZRANGE', delayed, 0, 0, 'WITHSCORES') or {}
return {
  count, beats, (hash(watch)), graves.err and -1 or packed(graves[2]),
  values(policy, 4, 3 + policy_count), values(stats, 4 + policy_count, #ARGV), first_bytes(pending, -1),
  soonest.err and '' or soonest[2] or '', first_bytes(dead, 0),
}
