"""Promises about the code itself: layers, packaging, settings, vendored files, the look of the house."""
