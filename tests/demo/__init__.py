"""Tests of dashboard.demo."""
