"""The Windows desktop as capture sees it, through PyWinCtl.

Written against PyWinCtl 0.4.1's source; it has not been run on Windows.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import pywinctl

from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.engine.capture.window_state import WindowState


class Desktop:
    """Questions about windows. Needs no connection; closing it does nothing.

    Raises:
        DisplayError: this is neither Linux nor Windows.
    """

    def __init__(self) -> None:
        if sys.platform != "win32":
            raise DisplayError(
                "windows can be captured on Linux (X11) and Windows only.", "Run Pitwall on one of them."
            )

    def __enter__(self) -> Desktop:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: no connection is held open."""

    @property
    def screen_size(self) -> tuple[int, int]:
        """Width and height of the main screen, in pixels."""
        user32: Any = getattr(ctypes, "windll").user32  # noqa: B009  (Windows alone has it)
        return int(user32.GetSystemMetrics(0)), int(user32.GetSystemMetrics(1))

    def look(self, window_id: int) -> WindowState | None:
        """Return the window's state now; None if there is no such window."""
        handle: Any = pywinctl.Window(window_id)
        if not handle.isAlive:
            return None
        left, top, right, bottom = handle.getClientFrame()
        shown = handle.isVisible and not handle.isMinimized
        return WindowState(
            window=WindowRef(
                native_id=window_id,
                pid=int(handle.getPID() or 0),
                title=str(handle.title),
                wm_class=str(handle.getAppName()),
                rect=Rect(left, top, right - left, bottom - top),
            ),
            health=WindowHealth.VISIBLE if shown else WindowHealth.MINIMISED,
        )

    def client_ids(self) -> list[int]:
        """Top-level windows, bottom first (the system lists them from the top)."""
        return [int(window.getHandle()) for window in reversed(pywinctl.getAllWindows())]

    def unmanaged_ids(self) -> list[int]:
        """Every window is managed here."""
        return []

    def playable(self, window_id: int) -> bool:
        """Whether it has a title (the shell's own windows have none)."""
        return bool(pywinctl.Window(window_id).title)

    def at(self, x: int, y: int) -> int | None:
        """The topmost window at a point of the screen."""
        window: Any = pywinctl.getTopWindowAt(x, y)
        return int(window.getHandle()) if window is not None else None
