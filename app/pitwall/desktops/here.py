"""Lists the desktops, and chooses the one that this process runs on."""

from __future__ import annotations

from pitwall.core.errors import DisplayError
from pitwall.desktops.contract import Desktop
from pitwall.desktops.process_contract import Processes, family
from pitwall.desktops.sway.desktop import SwayDesktop
from pitwall.desktops.windows.desktop import WindowsDesktop
from pitwall.desktops.x11.desktop import X11Desktop

DESKTOPS: tuple[Desktop, ...] = (SwayDesktop(), WindowsDesktop(), X11Desktop())
"""Each is asked in this order whether it is here; X11 stands in where no other is."""


def this_desktop() -> Desktop:
    """Return the desktop whose session this process runs in."""
    return next(desktop for desktop in DESKTOPS if desktop.is_here())


def lost_display() -> DisplayError | None:
    """Return what is wrong with the display, or None (brokers end by themselves when it is lost)."""
    try:
        this_desktop().check()
    except DisplayError as error:
        return error
    return None


def processes() -> Processes:
    """Return what answers questions about processes here."""
    return this_desktop().processes


def process_tree(pid: int) -> frozenset[int]:
    """Return a process, everything that descends from it, and what stayed in the session that it leads."""
    return family(pid, processes().running())
