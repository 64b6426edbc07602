-- Trash: one page of discarded jobs, the latest first, each job cut to its first bytes. Writes nothing.
-- KEYS  1 trash stream
-- ARGV  1 id to begin at, '+' for the latest · 2 most entries · 3 first bytes of a job to answer
-- Answers  {entries in all, id of the page before or '', {id, length, first bytes, digest, field, value, …}…}
--          {'wrongtype', key, want, got}
-- The page before is '' at the start; one entry more than asked follows when there is a page after.
--@include record
--@include address

local trash, at, most, preview = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local STEP = 10

local wrong = wrong_type(trash, 'stream')
if wrong then return wrong end

local answer = {redis.call('XLEN', trash), ''}
if at ~= '+' then
  local newer = redis.call('XRANGE', trash, '(' .. at, '+', 'COUNT', most)
  if #newer == most then answer[2] = newer[most][1] end
end
local from = at
while #answer < most + 3 do
  local entries = redis.call('XREVRANGE', trash, from, '-', 'COUNT', math.min(STEP, most + 3 - #answer))
  for _, entry in ipairs(entries) do
    local row = {entry[1], -1, '', ''}
    for place = 1, #entry[2], 2 do
      local value = entry[2][place + 1]
      if entry[2][place] == 'raw' then
        row[2], row[3], row[4] = #value, value:sub(1, preview), digest_of(value)
      else
        row[#row + 1], row[#row + 2] = entry[2][place], value:sub(1, preview)
      end
    end
    answer[#answer + 1] = row
  end
  if #entries < STEP then break end
  from = '(' .. entries[#entries][1]
end
return answer
