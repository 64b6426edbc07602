"""Real processes that are killed, frozen and cut off, and jobs that are all accounted for afterwards."""
