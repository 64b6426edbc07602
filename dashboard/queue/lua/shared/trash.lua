-- Shared: one entry of the trash.

-- Its fields, or nothing where the text is no id of an entry: an instant alone would match all entries of it.
local function trash_entry(trash, trash_id)
  local instant, place = trash_id:match('^(%d+)%-(%d+)$')
  if not instant or #instant > 19 or #place > 19 then return nil end
  local entry = redis.call('XRANGE', trash, trash_id, trash_id)[1]
  if not entry or entry[1] ~= trash_id then return nil end
  local fields = {}
  for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
  return fields
end
