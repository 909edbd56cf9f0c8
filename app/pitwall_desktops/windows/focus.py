"""Knows who has the keyboard, and which window is under the pointer."""

from __future__ import annotations

from pitwall.core.geometry import WindowRef
from pitwall.core.injection import FocusHolder
from pitwall_desktops.windows import handles


class Focus:
    """Finds the holder of the keyboard and the window under the pointer; each question takes microseconds.

    Attributes:
        target: the game's window, or 0.
    """

    def __init__(self) -> None:
        self.target = 0
        self._console_pids: frozenset[int] = frozenset()

    def aim(self, target: WindowRef | None, console_pids: tuple[int, ...]) -> None:
        """Take another target; none where it does not exist."""
        self._console_pids = frozenset(console_pids)
        wanted = target.native_id if target is not None else 0
        self.target = wanted if wanted and handles.exists(wanted) else 0

    def lost(self) -> bool:
        """Return whether the target has gone since the last call."""
        if self.target and not handles.exists(self.target):
            self.target = 0
            return True
        return False

    def holder(self) -> FocusHolder:
        """Return who has the keyboard now."""
        front = handles.foreground()
        if front and front == self.target:
            return FocusHolder.GAME
        if front and handles.process_of(front) in self._console_pids:
            return FocusHolder.CONSOLE
        return FocusHolder.OTHER

    def is_over_game(self, x: int, y: int) -> bool:
        """Return whether the game's contents are topmost at a point of the screen."""
        return handles.at(x, y) == self.target and self.is_inside(x, y)

    def is_inside(self, x: int, y: int) -> bool:
        """Return whether a point of the screen lies in the game's client area, covered or not."""
        return bool(self.target) and handles.client_area(self.target).contains(x, y)

    def place(self, x: int, y: int) -> tuple[int, int]:
        """Convert a place in the game to one on the screen."""
        area = handles.client_area(self.target)
        return area.x + x, area.y + y

    def inside(self, x: int, y: int) -> tuple[int, int]:
        """Convert a place on the screen to one in the game."""
        area = handles.client_area(self.target)
        return x - area.x, y - area.y

    def take(self) -> None:
        """Ask Windows to give the game the keyboard."""
        if self.target:
            handles.bring_to_front(self.target)
