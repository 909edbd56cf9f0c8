"""Capture: find the game's own window, follow it, and turn its changes into frames."""
