-- Shared: reading a list from its oldest end, and taking entries out of its middle. Needs record.

local READ_STEP = 8               -- times as many entries are read at once as were read before, up to READ_MAX:
local READ_MAX = 64               -- what they weigh on average is known by then, and a reading stays near READ_BYTES
local READ_BYTES = 131072
local MARK = '\0watchkeeper:removed'

-- Up to `size` entries left of the `skip` rightmost ones, oldest first, about CALL_BYTES of them; and their bytes.
local function read_oldest(key, skip, size)
  local raws, bytes = {}, 0
  while #raws < size and bytes < CALL_BYTES do
    local first = skip + #raws
    local room = math.floor(READ_BYTES * #raws / math.max(bytes, 1))
    local step = math.min(math.max(1, math.min(#raws * READ_STEP, READ_MAX, room)), size - #raws)
    local found = redis.call('LRANGE', key, -first - step, -first - 1)
    for place = #found, 1, -1 do
      raws[#raws + 1] = found[place]
      bytes = bytes + #found[place]
    end
    if #found == 0 then break end
  end
  return raws, bytes
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

-- Takes out the entries at several negative indexes near the right end.
local function remove_all_at(key, places)
  for _, index in ipairs(places) do redis.call('LSET', key, index, MARK) end
  redis.call('LREM', key, -#places, MARK)
end
