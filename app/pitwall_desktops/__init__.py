"""Desktops beside X11: sway and Windows, each behind the core's contract (`pitwall/desktops/contract.py`)."""
