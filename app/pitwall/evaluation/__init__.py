"""Judges runs by a game's true state. The engine never imports this package."""
