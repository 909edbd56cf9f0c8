"""The broker on sway: wlroots' virtual keyboard and pointer, sway's own socket for focus and hotkeys."""
