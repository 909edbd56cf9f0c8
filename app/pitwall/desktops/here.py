"""Chooses the desktop that this process runs on: X11, or the desktop of a package beside the core."""

from __future__ import annotations

import os
import sys
from functools import cache

from pitwall.core import rail
from pitwall.core.errors import DisplayError
from pitwall.desktops.contract import Desktop
from pitwall.desktops.process_contract import Processes, family
from pitwall.desktops.x11.desktop import X11Desktop

_X11 = X11Desktop()


@cache
def desktops() -> tuple[Desktop, ...]:
    """Return every desktop that is installed; X11, the last resort, is the last."""
    return (*rail.load_all(rail.DESKTOPS).values(), _X11)


def this_desktop() -> Desktop:
    """Return the desktop whose session this process runs in."""
    wayland = os.environ.get("WAYLAND_DISPLAY")
    if sys.platform == "linux" and os.environ.get("DISPLAY") and not wayland:
        return _X11  # to look for others takes 50 ms
    return next(desktop for desktop in desktops() if desktop.is_here())


def lost_display() -> DisplayError | None:
    """Return the error of a display that cannot be used, or None (brokers end unasked when it is lost)."""
    try:
        this_desktop().check()
    except DisplayError as error:
        return error
    return None


def processes() -> Processes:
    """Return the process functions of this desktop."""
    return this_desktop().processes


def process_tree(pid: int) -> frozenset[int]:
    """Return a process, everything that descends from it, and all processes of the session that it leads."""
    return family(pid, processes().running())
