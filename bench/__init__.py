"""Measurements and pictures: `python -m bench` and `python -m bench.screens docs/screens`.

Owns: figures measured side by side in one run, and the pictures of every screen. Refuses: to test anything
(that is done under tests/), and to touch a server that it did not start.
"""
