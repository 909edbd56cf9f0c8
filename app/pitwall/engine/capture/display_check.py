"""Whether there is a display that can be captured, and what to do where there is none."""

from __future__ import annotations

import os
import sys

from pitwall.core.errors import DisplayError

if sys.platform == "linux":
    from pitwall.engine.capture.x11_desktop import Desktop

_WAYLAND_FIX = (
    "Log out, choose an X11 (Xorg) session on the login screen, and log in again; "
    "or play on a virtual X screen of its own (xvfb-run)."
)
_XWAYLAND_NOTE = (
    "This is a Wayland session: only games that run through XWayland (X11 programs; most SDL games with "
    "SDL_VIDEODRIVER=x11) can be captured and played. Native Wayland windows are not seen, and the stop key "
    "is heard only while an X11 window has the focus. Log in to an X11 session for the rest."
)


def check_display() -> None:
    """Make sure that windows can be captured here.

    Raises:
        DisplayError: no display is named, it cannot be reached, or this is a Wayland session
            without X; says what does not work and what to do.
    """
    if sys.platform == "linux":
        if not os.environ.get("DISPLAY"):
            raise _no_display()
        Desktop().close()


def lost_display() -> DisplayError | None:
    """Return what is wrong with the display: brokers end by themselves when it is lost. None: nothing."""
    try:
        check_display()
    except DisplayError as lost:
        return lost
    return None


def display_notes() -> list[str]:
    """Return notes for the operator on a display that works but not for every window.

    Raises:
        DisplayError: the display cannot be reached.
    """
    if sys.platform == "linux" and _wayland():
        with Desktop() as desktop:
            if desktop.is_xwayland():
                return [_XWAYLAND_NOTE]
    return []


def _wayland() -> bool:
    return os.environ.get("XDG_SESSION_TYPE") == "wayland" or bool(os.environ.get("WAYLAND_DISPLAY"))


def _no_display() -> DisplayError:
    if _wayland():
        return DisplayError(
            "this is a Wayland session without X: Wayland lets no program capture another's window "
            "or press its keys.",
            _WAYLAND_FIX,
        )
    return DisplayError(
        "there is no display: DISPLAY is not set.",
        "Run Pitwall inside the desktop session of the game, or on a virtual screen (with xvfb-run).",
    )
