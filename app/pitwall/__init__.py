"""Pitwall: an operator console for local game-playing agents."""

__version__ = "0.2.0"
