-- Shared: over a JSON string or value to what stands behind it. The walk is iterative, skips strings and balanced
-- brackets, and is no validator. spans.py has the same rules.

local byte, find, sub = string.byte, string.find, string.sub
local QUOTE, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, COMMA, COLON, SPACE, MINUS = 34, 123, 125, 91, 44, 58, 32, 45

local function after_string(raw, at)
  at = at + 1
  while true do
    local hit = find(raw, '["\\]', at)
    if not hit then return nil end
    if byte(raw, hit) == QUOTE then return hit + 1 end
    at = hit + 2
  end
end

local function after_value(raw, at)
  local first = byte(raw, at)
  if first == QUOTE then return after_string(raw, at) end
  if first ~= OPEN_OBJECT and first ~= OPEN_ARRAY then
    local stop = find(raw, '[%s,%]}"{%[:]', at)
    return stop ~= at and stop or nil
  end
  local depth = 0
  repeat
    at = find(raw, '["%[%]{}]', at)
    if not at then return nil end
    local mark = byte(raw, at)
    if mark == QUOTE then
      at = after_string(raw, at)
      if not at then return nil end
    else
      depth = depth + ((mark == OPEN_OBJECT or mark == OPEN_ARRAY) and 1 or -1)
      at = at + 1
    end
  until depth == 0
  return at
end
