-- Revive: move dead jobs back to pending, one exact entry to run next, or the oldest ones behind what waits.
-- KEYS  1 dead list · 2 pending list · 3 events stream · 4 stats hash · 5 answer of the act
-- ARGV  1 mode: one | oldest · 2 '1' to keep attempts, '0' to set them to 0 · 3 act id or '' · 4 actor · 5 now or ''
--       for one: 6 length · 7 digest · 8 hint from the right end
--       for oldest: 6 bound: entries from the right end that belong to the set · 7 skip: entries at the right end that
--       earlier calls left as unreadable · 8 limit, jobs · 9 digest of the leftmost entry inside the bound, or ''
-- Answers  {'retried', moved, unreadable, seen} · {'unreadable', 0, 1, 1} · {'repeated', …}
--          {'gone', 0, 0, 0}: not near the hint; for oldest: another entry stands at the bound, so nothing was moved
--          {'wrongtype', key, want, got}
-- Safe to run twice: one entry by its act id, the oldest ones because what moved is no longer inside the bound that
-- the caller lowers by it. Unreadable jobs stay where they are.
--@include record
--@include counter
--@include address
--@include entries

local dead, pending, events, stats, act_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mode, keeps_attempts, act_id, actor, now = ARGV[1], ARGV[2] == '1', ARGV[3], ARGV[4], server_time(ARGV[5])
local CHUNK_MAX = 250   -- entries moved at once: a limit of Lua's stack lies at about 8,000

local wrong = wrong_type(dead, 'list') or wrong_type(pending, 'list')
if wrong then return wrong end
local repeated = recall(act_key, act_id)
if repeated then return repeated end

local function renewed(raw)
  local new_raw = reset(raw)
  return new_raw and (keeps_attempts and raw or new_raw)
end

local function revive_one()
  local index, raw = find_in_list(dead, tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8]))
  if not index then return {'gone', 0, 0, 0} end
  local new_raw = renewed(raw)
  if not new_raw then return {'unreadable', 0, 1, 1} end
  open_write_gate(stats)
  redis.call('RPUSH', pending, new_raw)
  remove_at(dead, index)
  record_event(events, 'retried', 'by', actor, 'count', 1, 'jobs', redis.sha1hex(raw) .. '>' .. redis.sha1hex(new_raw))
  return {'retried', 1, 0, 1}
end

-- Moves what is readable of the `size` entries left of `skip`; answers readable, unreadable, bytes.
local function revive_chunk(skip, size)
  local raws, bytes = read_oldest(dead, skip, size)
  local new_raws, places = {}, {}
  for place, raw in ipairs(raws) do
    local new_raw = renewed(raw)
    if new_raw then
      new_raws[#new_raws + 1] = new_raw
      places[#places + 1] = -skip - place
    end
  end
  if #new_raws == 0 then return 0, #raws, bytes end
  redis.call('LPUSH', pending, unpack(new_raws))
  if #new_raws == #raws and skip == 0 then
    redis.call('LTRIM', dead, 0, -#raws - 1)
  else
    remove_all_at(dead, places)
  end
  return #new_raws, #raws - #new_raws, bytes
end

local function revive_oldest()
  local bound, skip, limit = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
  local moved, unreadable, bytes = 0, 0, 0
  if ARGV[9] ~= '' and digest_of(redis.call('LINDEX', dead, -bound) or '') ~= ARGV[9] then return {'gone', 0, 0, 0} end
  open_write_gate(stats)
  while moved + unreadable < limit and bytes < CALL_BYTES do
    local wanted = math.min(CHUNK_MAX, limit - moved - unreadable, bound - moved - skip - unreadable)
    local readable, unread, chunk_bytes = revive_chunk(skip + unreadable, wanted)
    if readable + unread == 0 then break end
    moved, unreadable, bytes = moved + readable, unreadable + unread, bytes + chunk_bytes
  end
  if moved > 0 then record_event(events, 'retried', 'by', actor, 'count', moved) end
  return {'retried', moved, unreadable, moved + unreadable}
end

local answer = mode == 'one' and revive_one() or mode == 'oldest' and revive_oldest()
count(stats, 'retried', answer[2])
if answer[1] == 'retried' then remember(act_key, act_id, now, actor, 'retried', answer[2]) end
return answer
