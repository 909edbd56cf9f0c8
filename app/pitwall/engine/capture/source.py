"""Defines the capture source that every back end gives the engine, and opens the right one."""

from __future__ import annotations

import logging
import sys
from typing import Protocol

from pitwall.core.errors import WindowLost
from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.settings import CaptureSettings
from pitwall.engine.capture.screen_region import ScreenRegionSource
from pitwall.engine.capture.window_state import CaptureUnsupported
from pitwall.link.wayland.session import is_sway

if sys.platform == "linux":
    from pitwall.engine.capture.sway_source import SwaySource
    from pitwall.engine.capture.x11_source import X11PixmapSource as WindowSource
elif sys.platform == "win32":
    from pitwall.engine.capture.mswindows_source import WindowsSource as WindowSource
else:
    WindowSource = None

_log = logging.getLogger(__name__)


class CaptureSource(Protocol):
    """Frames of one window.

    Attributes:
        backend: "x11-pixmap", "wlr-screencopy", "screen-region" or "windows-capture".
        window: the window as it is now; replaced when it moves or is resized.
        health: visible, minimised (or unmapped, or on another desktop), gone.
        dropped: changes that a newer one overwrote before they were read.

    Every method raises DisplayError when the display is lost.
    """

    backend: str
    window: WindowRef
    health: WindowHealth
    dropped: int

    def fileno(self) -> int:
        """For a selector: readable when `take` has something to do."""

    def take(self) -> Frame | None:
        """The newest changed frame, or None if nothing changed. Never waits for a change.

        Also follows moves, resizes, minimising and the end of the window: compare `window` and
        `health` afterwards. The pixels are valid until the next `take` or `fresh`.
        """

    def fresh(self) -> Frame | None:
        """A frame now, changed or not; None where the window is minimised or gone."""

    def close(self) -> None:
        """Stop capturing."""


def open_source(window: WindowRef, settings: CaptureSettings, *, after_frame: int = 0) -> CaptureSource:
    """Capture a window. The first frame counts as a change.

    Args:
        settings: "window" insists on the window's own pixels, "screen" on the screen's, "auto" takes
            the first where it can be had.
        after_frame: number of the last frame of an earlier source; frames count on from it.

    Raises:
        WindowLost: the window is gone or cannot be captured.
        PitwallError: "window" was insisted on, but this system cannot do it.
        DisplayError: there is no usable display.
    """
    if sys.platform == "linux" and is_sway():
        return SwaySource(window, after_frame=after_frame)  # whatever the setting: there is no other way
    if WindowSource is not None and settings.backend != "screen":
        try:
            return WindowSource(window, after_frame=after_frame)
        except CaptureUnsupported as error:
            if settings.backend == "window":
                raise
            _log.warning("capturing the screen instead of the window: %s", error)
    elif settings.backend == "window":
        raise WindowLost(
            "this system gives no window's own pixels.", "Choose the screen back end in Settings."
        )
    return ScreenRegionSource(window, screen_fps=settings.screen_fps, after_frame=after_frame)
