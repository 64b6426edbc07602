-- Shared: the server's clock, key types, counters, the flight recorder and the answers of acts.
-- Counters and events may be lost; they never decide where a job is, so a failure to write them is passed over.

local EVENTS_KEPT = 20000          -- about 4 MB a queue
local ACT_SECONDS = 86400          -- a double click, a reload or a retried request comes within a day
local CALL_BYTES = 1048576         -- a call moves about this much and then answers, so that others get their turn

local function server_time(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1000000
end

local function wrong_type(key, want)
  local got = redis.call('TYPE', key).ok
  if got ~= want and got ~= 'none' then return {'wrongtype', key, want, got} end
end

-- Whether a sorted set takes the text as a score: any number, infinities too, but not nan.
local function is_score(text)
  local number = type(text) == 'string' and not text:find('[^%w%.+-]') and tonumber(text)
  return number and number == number
end

-- After one write that is never refused for memory the server lets a script finish. Removing a field that
-- cannot exist is such a write.
local function open_write_gate(hash) redis.pcall('HDEL', hash, '') end

local function count(stats, what, by)
  if by > 0 then redis.pcall('HINCRBY', stats, what, by) end
end

local function record_event(events, what, ...)
  redis.pcall('XADD', events, 'MAXLEN', '~', EVENTS_KEPT, '*', 'event', what, ...)
end

-- The first answer given under a one-time id: {'repeated', at, by, code, count}, or nothing, also where what is
-- stored was not written by us.
local function recall(act_key, act_id)
  if act_id == '' then return nil end
  local first = redis.pcall('GET', act_key)
  if type(first) ~= 'string' then return nil end
  local is_json, answer = pcall(cjson.decode, first)
  if not is_json or type(answer) ~= 'table' then return nil end
  for _, part in ipairs({'at', 'by', 'code', 'count'}) do
    if type(answer[part]) ~= 'string' then return nil end
  end
  return {'repeated', answer.at, answer.by, answer.code, answer.count}
end

local function remember(act_key, act_id, now, actor, code, moved)
  if act_id == '' then return end
  local answer = cjson.encode({at = string.format('%.3f', now), by = actor, code = code, count = tostring(moved)})
  redis.pcall('SET', act_key, answer, 'EX', ACT_SECONDS)
end
