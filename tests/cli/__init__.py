"""Tests of dashboard.cli."""
