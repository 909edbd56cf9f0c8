"""Demonstrations: what a person did in a game's window, picture by picture, kept as data to learn from."""
