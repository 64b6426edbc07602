"""Planted bugs: each one small edit, and the test that must notice it. See `__main__` for how to run them."""
