"""Says which kind of Wayland session this is: sway's windows are played natively, others' by XWayland."""

from __future__ import annotations

import os
import sys


def is_wayland() -> bool:
    """Whether this is a Wayland session at all."""
    return bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"


def is_sway() -> bool:
    """Whether it is one of sway, whose own socket tells of windows: all of them are played there."""
    named = os.environ.get("WAYLAND_DISPLAY") and os.environ.get("SWAYSOCK")
    return sys.platform == "linux" and bool(named)
