-- Shared: what a heartbeat tells, and which limits are in force. liveness.py and policy.py have the same rules.

local AHEAD_TOLERATED = 5          -- seconds a heartbeat may be ahead of the server's clock and still tell something
local STALE_AFTER_MIN, MAX_ATTEMPTS_MAX = 3, 1000000

-- A plain finite number, or nil: no nan, inf, hexadecimals, noughts inside.
local function number_of(text)
  if type(text) ~= 'string' or text:find('[^%d%.eE+%-%s]') then return nil end
  local number = tonumber(text)
  return number and number > -math.huge and number < math.huge and number or nil
end

-- The instant that a heartbeat tells, or nil where it tells nothing.
local function told_at(beat, now)
  local stamp = number_of(beat)
  return stamp and stamp >= 0 and stamp <= now + AHEAD_TOLERATED and stamp or nil
end

-- Since when a heartbeat's value is known to be unchanged: by the watch, or by what the caller saw; nil: not known.
local function unchanged_since(watch, worker, beat, callers)
  local seen = redis.pcall('HGET', watch, worker)
  local first, value = string.match(type(seen) == 'string' and seen or '', '^(%S+) %S+ (.*)$')
  return number_of(first and value == beat and first or callers)
end

-- A worker that settled since the look at its heartbeat lives, whatever that said. A daemon's last look is in the
-- watch; who looked at a page may have done so a threshold ago. A settle that is yet to come tells nothing.
local function has_settled_since(workers, worker, watch, is_daemon, oldest_look, now)
  local settled = redis.pcall('HGET', workers, 's:' .. worker)
  local at = told_at(type(settled) == 'string' and settled:match(' (%S+)$') or nil, now)
  if not at then return false end
  local seen = is_daemon and redis.pcall('HGET', watch, worker)
  return at > (number_of(type(seen) == 'string' and seen:match('^%S+ (%S+) ') or nil) or oldest_look)
end

-- Why a heartbeat is no reason to reap yet: 'alive', 'watched', or nil. Who `trusts_clocks` needs no watch over a value
-- that tells the time; others need none that is younger than the threshold.
local function sign_of_life(beat, since, stale_after, now, trusts_clocks)
  local stamp = told_at(beat, now)
  if stamp and now - stamp <= stale_after then return 'alive' end
  if stamp and (trusts_clocks or not since) then return nil end
  if not since or now - since <= stale_after then return 'watched' end
end

local function stale_after_in_force(policy, default)
  local stored = number_of(redis.pcall('HGET', policy, 'stale_after_seconds'))
  return stored and stored >= STALE_AFTER_MIN and stored or tonumber(default)
end

local function max_attempts_in_force(policy, default)
  local stored = redis.pcall('HGET', policy, 'max_attempts')
  stored = type(stored) == 'string' and stored:match('^%s*([+-]?%d+)%s*$')
  stored = stored and tonumber(stored)
  return stored and stored >= 0 and stored <= MAX_ATTEMPTS_MAX and stored or tonumber(default)
end
