-- Peek: what a page shows of a list or sorted set: length, first bytes and digest of each entry. Writes nothing.
-- KEYS  1 the list or sorted set
-- ARGV  1 first and 2 last index, as for LRANGE or ZRANGE · 3 bytes of preview
-- Answers  {'peeked', number of entries in all, {length, preview, digest, score or ''}…}
--          {'wrongtype', key, want, got}: neither a list nor a sorted set
-- About 16 MB are looked at in one call, one entry at least; those beyond are {-1, '', '', 'nan' in a zset}.
--@include record
--@include address

local key, first, last, preview = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local LOOK_BYTES = 16777216       -- about 30 ms, a large entry more
local STEP_MAX = 4                -- entries fetched at a time: how large the next ones are is not known before

local kind = redis.call('TYPE', key).ok
local is_zset = kind == 'zset'
if not is_zset then
  local wrong = wrong_type(key, 'list')
  if wrong then return wrong end
end
local total = redis.call(is_zset and 'ZCARD' or 'LLEN', key)
if first < 0 then first = math.max(0, total + first) end
if last < 0 then last = total + last end
last = math.min(last, total - 1)

local answer, bytes, step, at = {'peeked', total}, 0, 1, first
while at <= last and bytes < LOOK_BYTES do
  local stop = math.min(at + step - 1, last)
  local raws = is_zset and redis.call('ZRANGE', key, at, stop, 'WITHSCORES') or redis.call('LRANGE', key, at, stop)
  for place = 1, #raws, is_zset and 2 or 1 do
    local raw = raws[place]
    answer[#answer + 1] = {#raw, raw:sub(1, preview), digest_of(raw), is_zset and raws[place + 1] or ''}
    bytes = bytes + #raw
  end
  step = bytes < 65536 * step and STEP_MAX or 1
  at = stop + 1
end
while at <= last do
  answer[#answer + 1] = {-1, '', '', is_zset and 'nan' or ''}   -- a score comes with its member only
  at = at + 1
end
return answer
