-- Find: entries of a list or sorted set that may be the job looked for. Writes nothing.
-- KEYS  1 the list or sorted set
-- ARGV  1 text that its bytes contain, '' for any, a NUL for none · 2 first and 3 last index, as for LRANGE or ZRANGE
--       4 bytes of preview · 5 most answers · 6 length and 7 digest of exact bytes that count as well, or 0 and ''
-- Answers  {entries in all, entries looked at, {index, length, preview, digest, score or ''}…}
--          {-1, 0}: neither a list nor a sorted set
-- At most 16 MB are looked at in one call.
--@include address

local key, needle, first, last = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local preview, most, length, digest = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local LOOK_BYTES, STEP = 16777216, 100

local kind = redis.call('TYPE', key).ok
if kind == 'none' then return {0, 0} end
if kind ~= 'list' and kind ~= 'zset' then return {-1, 0} end
local is_zset = kind == 'zset'
local total = redis.call(is_zset and 'ZCARD' or 'LLEN', key)
last = math.min(last, total - 1)

local answer, bytes, at = {total, 0}, 0, first
while at <= last and bytes < LOOK_BYTES and #answer < most + 2 do
  local stop = math.min(at + STEP - 1, last)
  local raws = is_zset and redis.call('ZRANGE', key, at, stop, 'WITHSCORES') or redis.call('LRANGE', key, at, stop)
  local width = is_zset and 2 or 1
  for place = 1, #raws, width do
    local raw = raws[place]
    bytes = bytes + #raw
    local named = needle ~= '\0' and raw:find(needle, 1, true)
    if #answer < most + 2 and (named or is_it(raw, length, digest)) then
      answer[#answer + 1] = {at + (place - 1) / width, #raw, raw:sub(1, preview), digest_of(raw), is_zset and raws[place + 1] or ''}
    end
  end
  at = stop + 1
end
answer[2] = at - first
return answer
