"""Lists the desktops, and chooses the one that this process runs on."""

from __future__ import annotations

from pitwall.core.errors import DisplayError
from pitwall.desktops.contract import Desktop
from pitwall.desktops.process_contract import Processes, family
from pitwall.desktops.sway.desktop import SwayDesktop
from pitwall.desktops.windows.desktop import WindowsDesktop
from pitwall.desktops.x11.desktop import X11Desktop

DESKTOPS: tuple[Desktop, ...] = (SwayDesktop(), WindowsDesktop(), X11Desktop())
"""The first desktop whose session this is wins; X11 is the last resort."""


def this_desktop() -> Desktop:
    """Return the desktop whose session this process runs in."""
    return next(desktop for desktop in DESKTOPS if desktop.is_here())


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
