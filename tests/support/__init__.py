"""What tests lean on: real servers, real processes, and waiting for a condition."""
