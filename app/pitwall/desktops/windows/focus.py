"""Knows who has the keyboard, and what lies under the pointer."""

from __future__ import annotations

from pitwall.core.geometry import WindowRef
from pitwall.core.injection import FocusHolder
from pitwall.desktops.windows import handles


class Focus:
    """Answers by asking Windows each time: some microseconds a question.

    Attributes:
        target: the game's window; 0 while there is none.
    """

    def __init__(self) -> None:
        self.target = 0
        self._console_pids: frozenset[int] = frozenset()

    def aim(self, target: WindowRef | None, console_pids: tuple[int, ...]) -> bool:
        """Take another target; whether it exists (none is well too)."""
        self._console_pids = frozenset(console_pids)
        wanted = target.native_id if target is not None else 0
        self.target = wanted if wanted and handles.exists(wanted) else 0
        return self.target == wanted

    def lost(self) -> bool:
        """Whether the target has gone since it was last asked."""
        if self.target and not handles.exists(self.target):
            self.target = 0
            return True
        return False

    def holder(self) -> FocusHolder:
        """Who has the keyboard now."""
        front = handles.foreground()
        if front and front == self.target:
            return FocusHolder.GAME
        if front and handles.process_of(front) in self._console_pids:
            return FocusHolder.CONSOLE
        return FocusHolder.OTHER

    def is_over_game(self, x: int, y: int) -> bool:
        """Whether the game's contents lie topmost at a point of the screen."""
        if not self.target or handles.at(x, y) != self.target:
            return False
        return handles.client_area(self.target).contains(x, y)

    def place(self, x: int, y: int) -> tuple[int, int]:
        """A place inside the game on the screen."""
        area = handles.client_area(self.target)
        return area.x + x, area.y + y

    def inside(self, x: int, y: int) -> tuple[int, int]:
        """A place on the screen, inside the game."""
        area = handles.client_area(self.target)
        return x - area.x, y - area.y

    def take(self) -> None:
        """Ask for the keyboard for the game."""
        if self.target:
            handles.bring_to_front(self.target)
