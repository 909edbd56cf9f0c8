"""Calm, an agent for Catch: its `about.json` says everything."""
