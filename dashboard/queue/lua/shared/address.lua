-- Shared: one exact entry of a list or sorted set, found by length and digest near where it was seen.

local DIGEST_WHOLE_MAX, DIGEST_EDGE = 65536, 32768   -- as in job.py
local NEAR = 128                  -- entries looked at on each side of the hint; the caller walks on beyond them
local STEP = 16                   -- entries fetched at a time
local NEAR_BYTES = 4194304        -- and no more bytes than these
local SAME_SCORE = 1000           -- members of one score looked at
local MARK = '\0watchkeeper:removed'

local function digest_of(raw)
  if #raw <= DIGEST_WHOLE_MAX then return redis.sha1hex(raw) end
  return redis.sha1hex(#raw .. ':' .. raw:sub(1, DIGEST_EDGE) .. raw:sub(-DIGEST_EDGE))
end

local function is_it(raw, length, digest) return raw and #raw == length and digest_of(raw) == digest end

-- List: the entry's negative index and bytes, or nothing. `hint` counts from the right end, which is stable.
local function find_in_list(key, length, digest, hint)
  local seen = 0
  local function look(first, last)
    local raws = redis.call('LRANGE', key, -last - 1, -math.max(first, 0) - 1)
    for place, raw in ipairs(raws) do
      seen = seen + #raw
      if is_it(raw, length, digest) then return place - #raws - math.max(first, 0) - 1, raw end
    end
  end
  local index, raw = look(hint, hint)
  for distance = 0, NEAR - STEP, STEP do
    if index or seen > NEAR_BYTES then break end
    index, raw = look(hint + distance + 1, hint + distance + STEP)
    if not index and hint - distance > 0 then
      index, raw = look(hint - distance - STEP, hint - distance - 1)
    end
  end
  return index, raw
end

-- Sorted set: the member, or nothing. `hint` is its rank when it was drawn, `score` the text Redis gave.
local function find_in_zset(key, length, digest, hint, score)
  local near = redis.call('ZRANGE', key, math.max(0, hint - 8), hint + 8)
  for _, raw in ipairs(near) do
    if is_it(raw, length, digest) and redis.call('ZSCORE', key, raw) == score then return raw end
  end
  for _, raw in ipairs(redis.call('ZRANGE', key, score, score, 'BYSCORE', 'LIMIT', 0, SAME_SCORE)) do
    if is_it(raw, length, digest) then return raw end
  end
end

-- Takes out the one entry at a negative index, also among equal ones.
local function remove_at(key, index)
  local length = redis.call('LLEN', key)
  if index == -1 then
    redis.call('RPOP', key)
  elseif index == -length then
    redis.call('LPOP', key)
  else
    redis.call('LSET', key, index, MARK)
    redis.call('LREM', key, -index * 2 > length and 1 or -1, MARK)
  end
end
