"""The reliable list queue: keys, scripts, producer, worker, reaper.

It knows nothing of the console above it.
"""
