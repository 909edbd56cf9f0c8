"""The windows of the Windows desktop."""

from __future__ import annotations

from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.desktops.contract import WindowList, WindowState
from pitwall_desktops.windows import handles

_DIALOG_CLASS = "#32770"
"""Class of every message box and dialog of Windows."""


class WindowsWindowList(WindowList):
    """The windows of Windows, which manages all of them. It needs no connection."""

    def __init__(self) -> None:
        handles.see_true_pixels()

    @property
    def screen_size(self) -> tuple[int, int]:
        """Return width and height of the main screen, in pixels."""
        return handles.main_screen()

    def look(self, window_id: int) -> WindowState | None:
        """Return the window's state now; None if there is no such window."""
        if not handles.exists(window_id):
            return None
        shown = handles.is_shown(window_id)
        return WindowState(
            window=WindowRef(
                native_id=window_id,
                pid=handles.process_of(window_id),
                title=handles.title_of(window_id),
                wm_class=handles.class_of(window_id),
                rect=handles.client_area(window_id),
            ),
            health=WindowHealth.VISIBLE if shown else WindowHealth.MINIMISED,
        )

    def client_ids(self) -> list[int]:
        """List the top-level windows, bottom first."""
        return list(reversed(handles.top_level()))

    def playable(self, window_id: int) -> bool:
        """Return whether it has a title and is no helper window (the shell's own windows have no title)."""
        return bool(handles.title_of(window_id)) and not handles.is_helper(window_id)

    def at(self, x: int, y: int) -> int | None:
        """Return the topmost window at a point of the screen."""
        return handles.at(x, y) or None

    def dialogs(self, window_id: int) -> list[WindowRef]:
        ids = handles.top_level()
        above = ids[: ids.index(window_id)] if window_id in ids else []
        looks = (self.look(other) for other in above if handles.class_of(other) == _DIALOG_CLASS)
        return [seen.window for seen in looks if seen is not None and seen.health is WindowHealth.VISIBLE]

    def covering(self, window_id: int) -> list[Rect]:
        """List the areas of the screen where other programs' windows cover this one."""
        return handles.covering(window_id)
