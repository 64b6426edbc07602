-- Enqueue: store new jobs in pending.
-- KEYS  1 pending list · 2 policy hash · 3 stats hash
-- ARGV  raws, first to run first
-- Answers  {'enqueued', count} · {'wrongtype', key, want, got}
-- Not safe to run twice: a repeated call stores the jobs again. Marks the queue as managed.
--@include record

local pending, policy, stats = KEYS[1], KEYS[2], KEYS[3]

local wrong = wrong_type(pending, 'list')
if wrong then return wrong end
if #ARGV > 0 then redis.call('LPUSH', pending, unpack(ARGV)) end
redis.pcall('HSETNX', policy, 'managed', '1')
count(stats, 'enqueued', #ARGV)
return {'enqueued', #ARGV}
