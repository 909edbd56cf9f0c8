"""Keeps a game from grabbing the person's pointer while the agent's own holds a button down in it."""

from __future__ import annotations

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.desktops.x11.display import Display
from pitwall.desktops.x11.seat import OwnSeat
from pitwall.desktops.x11.window_list import ANY_BUTTON

_GAME_GRABS_NS = 30 * NS_PER_MS
"""A game that grabs pointers has done so by this time after the press."""


class PointerGuard:
    """Chromium grabs every master pointer when a button goes down, and the person's clicks go to its page.

    The first press finds that out; the game's further grabs are of the agent's pointer then. From then on the
    person's pointer is frozen for 30 ms at each press: the game's grab of it fails, and what the person does
    meanwhile arrives afterwards.
    """

    def __init__(self, display: Display, seat: OwnSeat) -> None:
        self._display = display
        self._seat = seat
        self._needed = self._frozen = False
        self._due_ns: int | None = None

    def press(self) -> None:
        """Prepare for a button of the agent's that goes down now."""
        self.let_go()
        self._frozen = self._needed and self._seat.grab_persons_pointer(freeze=True)
        self._due_ns = now_ns() + _GAME_GRABS_NS

    def next_deadline_ns(self) -> int | None:
        return self._due_ns

    def conclude(self) -> None:
        """Release the person's pointer, or look whether the game has grabbed it; call it when it is due."""
        if self._due_ns is None or now_ns() < self._due_ns:
            return
        frozen = self._frozen
        self.let_go()
        if frozen or self._needed:
            return
        if self._seat.grab_persons_pointer(freeze=False):
            self._seat.let_persons_pointer_go()
        else:  # a button of the person's own holds the pointer for another window
            mask = self._display.core.QueryPointer(self._display.root).reply().mask
            self._needed = not mask & ANY_BUTTON
            if self._needed:
                self._seat.take_grabs()

    def let_go(self) -> None:
        """Release the person's pointer."""
        self._due_ns = None
        if self._frozen:
            self._frozen = False
            self._seat.let_persons_pointer_go()
