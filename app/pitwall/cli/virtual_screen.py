"""The screen that a command plays on: the real one, or a virtual one where there is none."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from pitwall.desktops.here import this_desktop
from pitwall.link.virtual_screen import virtual_screen


def has_screen() -> bool:
    """Return whether this process has a display."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY"))


def require_reachable_screen() -> None:
    """Check that a named display can be reached, because Qt would end the process without a message.

    Raises:
        DisplayError: it cannot be reached.
    """
    if os.environ.get("DISPLAY"):
        this_desktop().check()


@contextlib.contextmanager
def screen_or_virtual() -> Iterator[str]:
    """Yield the name of the screen, or of a virtual one that lasts for the block.

    Raises:
        DisplayError: a virtual screen is needed and cannot be started.
    """
    if has_screen() or os.environ.get("WAYLAND_DISPLAY"):
        yield os.environ.get("DISPLAY", "")
        return
    with virtual_screen() as display:
        os.environ["DISPLAY"] = display
        try:
            yield f"{display} (virtual)"
        finally:
            os.environ.pop("DISPLAY", None)
