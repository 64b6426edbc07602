"""Single parts, each by itself."""
