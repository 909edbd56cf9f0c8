"""Sway (Wayland): its own socket lists windows, screencopy captures, virtual devices press keys."""
