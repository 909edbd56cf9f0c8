"""Catch, a game for Pitwall: its `plugin.toml` says everything."""
