"""The running part of the library: producer, worker, supervisor, reaper, promoter, janitor."""
