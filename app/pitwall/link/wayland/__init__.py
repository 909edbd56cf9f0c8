"""Wayland as capture and broker use it: the wire protocol, and what sway says of its windows."""
