"""Keeps a game from grabbing the person's pointer while the agent's own holds a button down in it."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.desktops.x11.display import Display
from pitwall.desktops.x11.pings import Pings
from pitwall.desktops.x11.seat import OwnSeat
from pitwall.desktops.x11.window_list import ANY_BUTTON

_LOOK_NS = 4 * NS_PER_MS
"""Interval of the looks whether the game has read the press; a game that grabs pointers has by then."""
_PATIENCE_NS, _UNASKED_NS = 250 * NS_PER_MS, 30 * NS_PER_MS
"""Longest time that a game may take for that; the time given to a game that answers no questions."""


class PointerGuard:
    """Chromium grabs every master pointer when a button goes down, and the person's clicks go to its page.

    So the person's pointer is frozen at each press until the game has read it: the game's grab of it fails,
    and what the person does meanwhile arrives afterwards. Of a game that is not known to grab so, the first
    press finds it out.

    Args:
        grabs: returns whether a window's program is known to grab so.
    """

    def __init__(self, display: Display, seat: OwnSeat, pings: Pings, grabs: Callable[[int], bool]) -> None:
        self._display = display
        self._seat = seat
        self._pings = pings
        self._grabs = grabs
        self._window = 0
        self._needed = self._frozen = False
        self._due_ns: int | None = None
        self._question: int | None = None
        self._until_ns = 0

    def press(self) -> None:
        """Prepare for a button of the agent's that goes down now."""
        self.let_go()
        if self._window != self._seat.window:
            self._window = self._seat.window
            self._needed = self._grabs(self._window)
        self._frozen = self._needed and self._seat.freeze_persons_pointer()
        self._due_ns = now_ns() + _LOOK_NS

    def next_deadline_ns(self) -> int | None:
        return self._due_ns

    def conclude(self) -> None:
        """Release the person's pointer, or look whether the game has grabbed it; call it when it is due."""
        at_ns = now_ns()
        if self._due_ns is None or at_ns < self._due_ns or not self._has_read_press(at_ns):
            return
        frozen = self._frozen
        self.let_go()
        if frozen or self._needed:
            return
        if self._seat.freeze_persons_pointer():
            self._seat.let_persons_pointer_go()
        else:  # a button of the person's own holds the pointer for another window
            mask = self._display.core.QueryPointer(self._display.root).reply().mask
            self._needed = not mask & ANY_BUTTON

    def _has_read_press(self, at_ns: int) -> bool:
        if self._question is None:
            self._question = self._pings.ask(self._seat.window)
            self._until_ns = at_ns + (_PATIENCE_NS if self._question else _UNASKED_NS - _LOOK_NS)
        elif at_ns >= self._until_ns or (self._question and not self._pings.unanswered((self._question,))):
            return True
        self._due_ns = at_ns + _LOOK_NS
        return False

    def let_go(self) -> None:
        """Release the person's pointer."""
        self._due_ns = None
        if self._question is not None:
            self._pings.forget((self._question,))
            self._question = None
        if self._frozen:
            self._frozen = False
            self._seat.let_persons_pointer_go()
