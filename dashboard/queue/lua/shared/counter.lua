-- Shared: the counter of a job, its last top-level "attempts", found and replaced byte for byte. job.py has the same
-- rules.
--@include walk

local WHOLE_DIGITS_MAX = 4300     -- longest whole number that Python's json reads; as in job.py

local function is_counter_key(key)
  if key == 'attempts' then return true end
  if not find(key, '\\u', 1, true) then return false end
  return key:gsub('\\u00(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end) == 'attempts'
end

-- Where the counter's value stands: first, last. A job without one: nil, position of its closing brace, whether
-- it has no members at all. No object: nil.
local function walk_to_counter(raw)
  local from, to
  local at = find(raw, '[^ \t\n\r]', sub(raw, 1, 3) == '\239\187\191' and 4 or 1)
  if not at or byte(raw, at) ~= OPEN_OBJECT then return nil end
  at = find(raw, '[^ \t\n\r]', at + 1)
  local is_empty = at and byte(raw, at) == CLOSE_OBJECT
  while at and not is_empty do
    if byte(raw, at) ~= QUOTE then return nil end
    local key_end = after_string(raw, at)
    local colon = key_end and find(raw, '[^ \t\n\r]', key_end)
    if not colon or byte(raw, colon) ~= COLON then return nil end
    local value = find(raw, '[^ \t\n\r]', colon + 1)
    local value_end = value and after_value(raw, value)
    if not value_end then return nil end
    if is_counter_key(sub(raw, at + 1, key_end - 2)) then from, to = value, value_end - 1 end
    at = find(raw, '[^ \t\n\r]', value_end)
    if not at then return nil end
    if byte(raw, at) == CLOSE_OBJECT then break end
    if byte(raw, at) ~= COMMA then return nil end
    at = find(raw, '[^ \t\n\r]', at + 1)
  end
  if not at or find(raw, '[^ \t\n\r]', at + 1) then return nil end
  if from then return from, to end
  return nil, at, is_empty
end

-- Where "attempts" stands if it may be the key of the counter that closes the job.
local function last_key(raw)
  local key = find(raw, '"attempts"', -40, true)
  if not key or byte(raw, 1) ~= OPEN_OBJECT then return nil end
  local before = byte(raw, key - 1)
  if before == SPACE then before = byte(raw, key - 2) end
  return (before == COMMA or before == OPEN_OBJECT) and key or nil
end

-- A counter that closes the job is seen at once: in valid JSON nothing else can look like that.
local function find_counter(raw)
  local key = last_key(raw)
  if key then
    local _, _, from, digits = find(raw, '^"attempts"[ \t\n\r]*:[ \t\n\r]*()(%-?%d+)[ \t\n\r]*}[ \t\n\r]*$', key)
    if from then return from, from + #digits - 1 end
  end
  return walk_to_counter(raw)
end

local function is_whole(digits)
  local magnitude = digits:match('^%-?([1-9]%d*)$')
  return magnitude and #magnitude <= WHOLE_DIGITS_MAX or digits == '0' or digits == '-0'
end

-- One more than a whole number of any length, as text.
local function plus_one(digits)
  if #digits <= 15 then return string.format('%.0f', tonumber(digits) + 1) end
  local sign, magnitude = digits:match('^(%-?)(%d+)$')
  local turning, turned, step = '9', '0', 1
  if sign == '-' then turning, turned, step = '0', '9', -1 end
  local last = #magnitude
  while last > 0 and sub(magnitude, last, last) == turning do last = last - 1 end
  local run = turned:rep(#magnitude - last)
  if last == 0 then return '1' .. run end
  local head = sub(magnitude, 1, last - 1) .. (byte(magnitude, last) - 48 + step)
  return sign .. ((head .. run):gsub('^0+(%d)', '%1'))
end

-- The bytes with the counter one higher, and the new count; nil where it cannot be read.
local function bump(raw)
  local from, to, is_empty = find_counter(raw)
  if not from then
    if not to then return nil end
    return sub(raw, 1, to - 1) .. (is_empty and '' or ',') .. '"attempts":1' .. sub(raw, to), 1
  end
  local digits = sub(raw, from, to)
  if not is_whole(digits) then return nil end
  local more = plus_one(digits)
  if #more > WHOLE_DIGITS_MAX and byte(more) ~= MINUS then return nil end
  return sub(raw, 1, from - 1) .. more .. sub(raw, to + 1), tonumber(more)
end

-- The bytes with the counter at 0; a job without one stays as it is; nil where it cannot be read.
local function reset(raw)
  -- Jobs as most producers write them, without the detours: a bulk retry spends its time here.
  local key = last_key(raw)
  local _, _, first = find(raw, '^"attempts" ?: ?()[1-9]%d?%d?%d?}$', key or #raw + 1)
  if first then return sub(raw, 1, first - 1) .. '0}' end
  local from, to = find_counter(raw)
  if not from then return to and raw or nil end
  if not is_whole(sub(raw, from, to)) then return nil end
  return sub(raw, 1, from - 1) .. '0' .. sub(raw, to + 1)
end
