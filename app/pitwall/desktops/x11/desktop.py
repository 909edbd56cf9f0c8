"""The X11 desktop. On systems without a desktop of their own it answers that nothing can be captured."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect, WindowRef
from pitwall.desktops import linux_processes
from pitwall.desktops.contract import Arrivals, CaptureSource, Colour, Desktop, Marker, WindowList

_WAYLAND_FIX = (
    "Start Xwayland and the game in it (most SDL games with SDL_VIDEODRIVER=x11), use sway, or choose an "
    "X11 (Xorg) session on the login screen; or play on a virtual X screen of its own (xvfb-run)."
)
_XWAYLAND_NOTE = (
    "This is a Wayland session: only games that run through XWayland (X11 programs; most SDL games with "
    "SDL_VIDEODRIVER=x11) can be captured and played. Native Wayland windows are not seen, and the stop key "
    "is heard only while an X11 window has the focus. Log in to an X11 session for the rest."
)

if TYPE_CHECKING:
    from pitwall.core.settings import CaptureSettings
    from pitwall.desktops.input_backend import InputBackend


class X11Desktop(Desktop):
    """The X server that $DISPLAY names."""

    name = "x11"
    processes = linux_processes

    def is_here(self) -> bool:
        return sys.platform != "win32"

    def check(self) -> None:
        if sys.platform != "linux":
            raise DisplayError(
                "windows can be captured on Linux (X11) and Windows only.", "Run Pitwall on one of them."
            )
        if os.environ.get("DISPLAY"):
            self.windows().close()
        elif _is_wayland():
            raise DisplayError(
                "this is a Wayland session without X, and not sway's: Wayland lets no program capture "
                "another's window or press its keys.",
                _WAYLAND_FIX,
            )
        else:
            raise DisplayError(
                "there is no display: DISPLAY is not set.",
                "Run Pitwall inside the desktop session of the game, or on a virtual screen (with xvfb-run).",
            )

    def notes(self) -> list[str]:
        if not _is_wayland():
            return []
        from pitwall.desktops.x11.window_list import X11WindowList

        with X11WindowList() as windows:
            return [_XWAYLAND_NOTE] if windows.is_xwayland() else []

    def describe_seat(self, *, wanted: bool) -> str:
        if not wanted:
            return "The setting broker.own_seat is off: the agent shares your keyboard and pointer."
        from pitwall.desktops.x11.seat_choice import try_own_seat

        return try_own_seat()

    def windows(self) -> WindowList:
        from pitwall.desktops.x11.window_list import X11WindowList

        return X11WindowList()

    def capture(self, window: WindowRef, settings: CaptureSettings, *, after_frame: int = 0) -> CaptureSource:
        from pitwall.desktops.screen_region import window_or_screen
        from pitwall.desktops.x11.capture import X11PixmapSource

        return window_or_screen(X11PixmapSource, self.windows, window, settings, after_frame)

    def input(self) -> InputBackend:
        from pitwall.desktops.x11.input import X11Input

        return X11Input()

    def version(self) -> str:
        from pitwall.desktops.x11.arrivals import server_version

        return server_version()

    def watch_arrivals(self, window: WindowRef) -> AbstractContextManager[Arrivals]:
        from pitwall.desktops.x11.arrivals import watch_x11_arrivals

        return watch_x11_arrivals(window.native_id)

    def give_focus(self, window_id: int) -> None:
        from pitwall.desktops.x11.window_list import X11WindowList

        with X11WindowList() as windows:
            windows.give_focus(window_id)

    def show_marker(self, rect: Rect, colour: Colour) -> AbstractContextManager[Marker]:
        from pitwall.desktops.x11.marker import show_x11_marker

        return show_x11_marker(rect, colour)


def _is_wayland() -> bool:
    return bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"
