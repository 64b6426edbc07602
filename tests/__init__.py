"""The tests: sentence names, real servers, real processes, state before and after for every key."""
