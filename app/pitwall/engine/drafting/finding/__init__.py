"""Finds a game's fields and screens in its last minute, as proposals with their figures."""
