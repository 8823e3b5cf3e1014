"""The compiled system and its quantities."""
