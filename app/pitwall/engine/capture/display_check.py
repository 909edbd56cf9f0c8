"""Whether there is a display that can be captured, and what to do where there is none."""

from __future__ import annotations

import os
import sys

from pitwall.core.errors import DisplayError
from pitwall.link.wayland.session import is_sway, is_wayland

if sys.platform == "linux":
    from pitwall.engine.capture.desktop import open_desktop
    from pitwall.engine.capture.x11_desktop import Desktop as X11Desktop

_WAYLAND_FIX = (
    "Start Xwayland and the game in it (most SDL games with SDL_VIDEODRIVER=x11), use sway, or choose an "
    "X11 (Xorg) session on the login screen; or play on a virtual X screen of its own (xvfb-run)."
)
_XWAYLAND_NOTE = (
    "This is a Wayland session: only games that run through XWayland (X11 programs; most SDL games with "
    "SDL_VIDEODRIVER=x11) can be captured and played. Native Wayland windows are not seen, and the stop key "
    "is heard only while an X11 window has the focus. Log in to an X11 session for the rest."
)
_SWAY_NOTE = (
    "This is a sway session: every window is captured and played, and the stop key is heard everywhere. "
    "What you press or move yourself cannot be heard: playing does not take over, and no play is recorded. "
    "A frame is the screen's part where the game is: panels and notifications over it would be seen."
)


def check_display() -> None:
    """Make sure that windows can be captured here.

    Raises:
        DisplayError: no display is named, it cannot be reached, or this is a Wayland session
            without X that is not sway's; says what does not work and what to do.
    """
    if sys.platform == "linux":
        if not os.environ.get("DISPLAY") and not is_sway():
            raise _no_display()
        open_desktop().close()


def lost_display() -> DisplayError | None:
    """Return what is wrong with the display: brokers end by themselves when it is lost. None: nothing."""
    try:
        check_display()
    except DisplayError as lost:
        return lost
    return None


def display_notes() -> list[str]:
    """Return notes for the operator on a display that works but not for every window, or not for all.

    Raises:
        DisplayError: the display cannot be reached.
    """
    if sys.platform == "linux" and is_sway():
        return [_SWAY_NOTE]
    if sys.platform == "linux" and is_wayland():
        with X11Desktop() as desktop:
            if desktop.is_xwayland():
                return [_XWAYLAND_NOTE]
    return []


def _no_display() -> DisplayError:
    if is_wayland():
        return DisplayError(
            "this is a Wayland session without X, and not sway's: Wayland lets no program capture another's "
            "window or press its keys.",
            _WAYLAND_FIX,
        )
    return DisplayError(
        "there is no display: DISPLAY is not set.",
        "Run Pitwall inside the desktop session of the game, or on a virtual screen (with xvfb-run).",
    )
