"""Every script on a real server: before and after for every key, each answer of its head."""
