"""Turns a registered Gymnasium environment into a game with a window, keys, a clock and a true state."""
