"""Chooses this platform's desktop: the one place where window questions branch by platform."""

from __future__ import annotations

import sys

if sys.platform == "linux":
    from pitwall.engine.capture.x11_desktop import Desktop as Desktop
else:
    from pitwall.engine.capture.mswindows_desktop import Desktop as Desktop
