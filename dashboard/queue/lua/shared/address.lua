-- Shared: one exact entry of a list or sorted set, found by length and digest near where it was seen.

local DIGEST_WHOLE_MAX, DIGEST_EDGE = 65536, 32768   -- as in job.py
local NEAR = 128                  -- entries looked at on each side of the hint; the caller walks on beyond them
local STEP = 16                   -- entries fetched at a time
local NEAR_BYTES = 4194304        -- looking ends after these: about 10 ms
local SAME_SCORE = 1000           -- members of one score looked at

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
  local distance, step = 0, 1
  while not index and distance < NEAR and seen < NEAR_BYTES do
    index, raw = look(hint + distance + 1, hint + distance + step)
    if not index and hint - distance > 0 then
      index, raw = look(hint - distance - step, hint - distance - 1)
    end
    distance, step = distance + step, math.min(step * 2, STEP, NEAR - distance - step)
  end
  return index, raw
end

-- Sorted set: the member, or nothing. `hint` is its rank when it was drawn, `score` the text Redis gave.
local function find_in_zset(key, length, digest, hint, score)
  local there = redis.call('ZRANGE', key, hint, hint)[1]
  if is_it(there, length, digest) and redis.call('ZSCORE', key, there) == score then return there end
  local seen, at, step = 0, 0, 1
  while at < SAME_SCORE and seen < NEAR_BYTES do
    local raws = redis.call('ZRANGE', key, score, score, 'BYSCORE', 'LIMIT', at, step)
    for _, raw in ipairs(raws) do
      seen = seen + #raw
      if is_it(raw, length, digest) then return raw end
    end
    if #raws < step then return nil end
    at, step = at + step, math.min(step * 2, STEP)
  end
end
