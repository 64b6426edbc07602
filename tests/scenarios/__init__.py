"""The scenarios of the plan that no other folder holds, by number, on both servers."""
