-- Locate: where one exact entry of a list or sorted set stands now, and its bytes. Writes nothing.
-- KEYS  1 the list or sorted set
-- ARGV  1 length · 2 digest · 3 hint · 4 score, or '' for a list · 5 most bytes to return
-- Answers  {'located', hint now, length, bytes, score or ''} · {'gone'} · {'wrongtype', key, want, got}
--@include record
--@include address

local key, length, digest, hint = KEYS[1], tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local score, most = ARGV[4], tonumber(ARGV[5])

local wrong = wrong_type(key, score ~= '' and 'zset' or 'list')
if wrong then return wrong end
if score ~= '' then
  local raw = find_in_zset(key, length, digest, hint, score)
  if not raw then return {'gone'} end
  return {'located', redis.call('ZRANK', key, raw), #raw, raw:sub(1, most), score}
end
local index, raw = find_in_list(key, length, digest, hint)
if not index then return {'gone'} end
return {'located', -index - 1, #raw, raw:sub(1, most), ''}
