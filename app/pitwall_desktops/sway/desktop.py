"""The sway desktop: native Wayland windows and those of XWayland alike."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect, WindowRef
from pitwall.desktops import linux_processes
from pitwall.desktops.contract import CaptureSource, Colour, Desktop, Marker, WindowList

_NOTE = (
    "This is a sway session: every window is captured and played, and the stop key is heard everywhere. "
    "What you press or move yourself cannot be heard: playing does not take over, and no play is recorded. "
    "A frame is the screen's part where the game is: panels and notifications over it would be seen."
)

if TYPE_CHECKING:
    from pitwall.core.settings import CaptureSettings
    from pitwall.desktops.input_backend import InputBackend


class SwayDesktop(Desktop):
    """The session that $SWAYSOCK and $WAYLAND_DISPLAY name."""

    name = "sway"
    free_placement = False
    processes = linux_processes

    def is_here(self) -> bool:
        named = os.environ.get("WAYLAND_DISPLAY") and os.environ.get("SWAYSOCK")
        return sys.platform == "linux" and bool(named)

    def describe_seat(self, *, wanted: bool) -> str:
        del wanted
        return "On sway the agent shares your keyboard and pointer: too few programs listen to a second seat."

    def check(self) -> None:
        self.windows().close()

    def notes(self) -> list[str]:
        return [_NOTE]

    def windows(self) -> WindowList:
        from pitwall_desktops.sway.window_list import SwayWindowList

        return SwayWindowList()

    def capture(self, window: WindowRef, settings: CaptureSettings, *, after_frame: int = 0) -> CaptureSource:
        """Capture a window, whatever the settings: sway offers one way only."""
        from pitwall_desktops.sway.capture import SwaySource

        del settings
        return SwaySource(window, after_frame=after_frame)

    def input(self) -> InputBackend:
        from pitwall_desktops.sway.input import SwayInput

        return SwayInput()

    def show_marker(self, rect: Rect, colour: Colour) -> AbstractContextManager[Marker]:
        del rect, colour
        raise DisplayError(
            "not checked: sway lets no program lay a marker over another's window.",
            "Windows that stand over the game are blacked out; keep panels and notifications off it.",
        )


DESKTOP = SwayDesktop()
