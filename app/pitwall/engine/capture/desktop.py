"""Chooses this platform's desktop: the one place where window questions branch by platform."""

from __future__ import annotations

import sys

if sys.platform == "linux":
    from pitwall.engine.capture.sway_desktop import SwayDesktop
    from pitwall.engine.capture.x11_desktop import Desktop as X11Desktop
    from pitwall.link.wayland.session import is_sway

    Desktop = SwayDesktop | X11Desktop

    def open_desktop() -> Desktop:
        """Connect to sway where this is one of its sessions, else to the X server."""
        return SwayDesktop() if is_sway() else X11Desktop()

else:
    from pitwall.engine.capture.mswindows_desktop import Desktop as Desktop

    def open_desktop() -> Desktop:
        """Ask Windows."""
        return Desktop()
