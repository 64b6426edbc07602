-- Holders: the worker rows of a page as they are now: heartbeat, records, list length and the oldest job held.
-- Writes nothing.
-- KEYS  three a worker: heartbeats hash · workers hash · processing list
-- ARGV  1 first bytes of a job to answer · 2 '1' to read heartbeats too · then the workers' names, in order of KEYS
-- Answers  one a worker: {heartbeat or false, instance, busy, tombstone record or false each, jobs held,
--          length, first bytes, digest of the oldest job held}
--          Jobs held are -1 where the key is no list; without a job its length is -1.
--@include address

local preview, wants_beat, rows = tonumber(ARGV[1]), ARGV[2] == '1', {}

local function text_or_false(value) return type(value) == 'string' and value end

for at = 1, #KEYS, 3 do
  local worker = ARGV[(at + 2) / 3 + 2]
  local records = redis.pcall('HMGET', KEYS[at + 1], 'i:' .. worker, 'b:' .. worker, 't:' .. worker)
  if records.err then records = {false, false, false} end
  local held = redis.pcall('LLEN', KEYS[at + 2])
  if type(held) ~= 'number' then held = -1 end
  local raw = held > 0 and redis.call('LINDEX', KEYS[at + 2], -1)
  rows[#rows + 1] = {
    wants_beat and text_or_false(redis.pcall('HGET', KEYS[at], worker)), records[1], records[2], records[3], held,
    raw and #raw or -1, raw and raw:sub(1, preview) or '', raw and digest_of(raw) or '',
  }
end
return rows
