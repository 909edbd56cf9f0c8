"""The Windows desktop as capture sees it."""

from __future__ import annotations

import sys

from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.engine.capture.window_state import WindowState
from pitwall.link import mswindows_windows


class Desktop:
    """Questions about windows. Needs no connection; closing it does nothing.

    Raises:
        DisplayError: this is neither Linux nor Windows.
    """

    def __init__(self) -> None:
        if sys.platform == "win32":
            mswindows_windows.see_true_pixels()
        else:
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
        return mswindows_windows.main_screen()

    def look(self, window_id: int) -> WindowState | None:
        """Return the window's state now; None if there is no such window."""
        if not mswindows_windows.exists(window_id):
            return None
        shown = mswindows_windows.is_shown(window_id)
        return WindowState(
            window=WindowRef(
                native_id=window_id,
                pid=mswindows_windows.process_of(window_id),
                title=mswindows_windows.title_of(window_id),
                wm_class=mswindows_windows.class_of(window_id),
                rect=mswindows_windows.client_area(window_id),
            ),
            health=WindowHealth.VISIBLE if shown else WindowHealth.MINIMISED,
        )

    def client_ids(self) -> list[int]:
        """Top-level windows, bottom first (the system lists them from the top)."""
        return list(reversed(mswindows_windows.top_level()))

    def unmanaged_ids(self) -> list[int]:
        """Every window is managed here."""
        return []

    def playable(self, window_id: int) -> bool:
        """Whether it has a title and is no helper (the shell's own windows have none)."""
        return bool(mswindows_windows.title_of(window_id)) and not mswindows_windows.is_helper(window_id)

    def at(self, x: int, y: int) -> int | None:
        """The topmost window at a point of the screen."""
        return mswindows_windows.at(x, y) or None

    def covering(self, window_id: int) -> list[Rect]:
        """Areas of the screen where other programs' windows lie over this one."""
        return mswindows_windows.covering(window_id)
