"""Keeps the person's focus where the person has it, whatever a window manager makes of the agent's.

Window managers know one focus. Some focus what the agent clicks, or a game that is shown again. Openbox takes
the agent's focus for the person's: as a game with the agent's focus is minimised, it gives the person's away,
to another window or to none. `Focus` follows the agent's keyboard; this is about the person's.
"""

from __future__ import annotations

from typing import Any

import xcffib
from xcffib import xproto

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import FocusHolder
from pitwall.desktops.x11.display import Display, SeatFocusMoved
from pitwall.desktops.x11.focus import Focus

_MANAGER_ANSWERS_NS = (5 * NS_PER_MS, 20 * NS_PER_MS, 80 * NS_PER_MS)
"""After a deed of the agent's: when a window manager may have moved the person's focus."""
_SOON_NS = 2 * NS_PER_MS
"""A window manager moves the focus within this time of the change of its active window."""
_ANSWERS_LATE_NS = 1_000 * NS_PER_MS
"""A change of the active window within this time after the game was minimised or shown is looked at, too."""
_PERSON_MOVES_FOCUS_NS = 250 * NS_PER_MS
"""A focus that comes within this time of such a deed of the person is the person's will."""

_MOST_WINDOWS = 16
"""Windows that are remembered in the order of their use."""


class PersonsFocus:
    """Remembers the person's window, and gives it the focus back. Rests on a shared seat.

    Attributes:
        game_is_away: the agent's keyboard lost the game, as it does where the game is minimised.
    """

    def __init__(self, display: Display, focus: Focus) -> None:
        self._display = display
        self._focus = focus
        self._used: list[int] = []
        self._seen: int | None = None
        self._looks_ns: list[int] = []
        self._came_or_went_ns = -_ANSWERS_LATE_NS
        self._person_acted_ns = -_PERSON_MOVES_FOCUS_NS
        self._gave_away = False
        self.game_is_away = False

    @property
    def _window(self) -> int:
        """The window that the person used last; 0: the game's, or none is known."""
        return self._used[-1] if self._used else 0

    def has_game(self) -> bool:
        """Return whether the person's next key reaches the game by the person's will."""
        if not self._focus.seat.own:
            return self._focus.resolve() is FocusHolder.GAME
        if not self._focus.has_keyboard(self._ask()):
            return False
        unsettled = bool(self._looks_ns) or self.game_is_away
        strays = unsettled and self._window and not self._person_acts()
        if strays:
            self._give_back()
        return not strays

    def note(self) -> None:
        """Remember the person's window: the agent is about to press in the game, or to focus it."""
        if self._focus.seat.own and not self._looks_ns:  # the looks note it themselves
            window = self._ask()
            self._seen = 0 if self._focus.has_keyboard(window) else window

    def agent_acted(self) -> None:
        """Look a few times whether the window manager moved the person's focus."""
        if self._focus.seat.own:
            self._looks_ns = [now_ns() + after for after in _MANAGER_ANSWERS_NS]

    def person_acted(self, *, by_pointer: bool) -> None:
        """Take in a deed by which a person may give another window the focus."""
        if by_pointer:
            pointer = self._display.core.QueryPointer(self._display.root).reply()
            place = pointer.root_x, pointer.root_y
            if self._window and self._focus.is_over(self._window, *place):
                return
            if self._focus.is_over_game(*place):
                self._use(0)
        self._person_acted_ns = now_ns()

    def notice(self, event: Any) -> None:
        """Take one event in."""
        if isinstance(event, SeatFocusMoved) and event.keyboard != self._focus.seat.keyboard:
            if self._is_gone():
                self._came_or_went_ns = now_ns()
                self.agent_acted()
        elif isinstance(event, SeatFocusMoved):
            self.game_is_away, self._gave_away = event.lost, False
            if event.lost:  # what was seen since may be what the window manager made of it
                self._came_or_went_ns, self._seen = now_ns(), None
        elif isinstance(event, xproto.MapNotifyEvent) and event.window == self._focus.target:
            self._came_or_went_ns = now_ns()
            self.agent_acted()
        elif self._focus.seat.own and self._focus.is_about_active_window(event):
            self._manager_moved_focus()

    def next_deadline_ns(self) -> int | None:
        return self._looks_ns[0] if self._looks_ns else None

    def conclude(self) -> None:
        """Correct the window manager where a look is due; call it once all events are taken in."""
        if self._seen is not None:  # no event that came with the answer speaks against it
            self._use(self._seen)
            self._seen = None
        at_ns = now_ns()
        while self._looks_ns and at_ns >= self._looks_ns[0]:
            self._looks_ns.pop(0)
            self._look()

    def drop(self) -> None:
        """Look no more: another seat is in force."""
        self._looks_ns.clear()
        self.game_is_away = self._gave_away = False

    def _manager_moved_focus(self) -> None:
        at_ns = now_ns()
        if at_ns - self._came_or_went_ns > _ANSWERS_LATE_NS:
            self._gave_away = False
            self.note()
            return
        self._gave_away = self.game_is_away
        self._looks_ns = [at_ns, at_ns + _SOON_NS, *(at_ns + after for after in _MANAGER_ANSWERS_NS)]

    def _look(self) -> None:
        focus, active, by_person = self._ask(), self._focus.active_windows(), self._person_acts()
        in_game, gone = self._focus.has_keyboard(focus), self._is_gone()
        given_away = self._gave_away and focus != self._window and not (by_person and any(active))
        given_on = gone and (in_game or active == [0])
        if self._window and (given_away or given_on or (in_game and not by_person)):
            self._give_back()
        elif in_game and by_person:
            self._seen = 0
        elif not in_game:
            self._seen = focus
            if self._focus.target in active and not by_person:
                root = self._display.root  # managers follow changes of the focus alone
                self._display.core.SetInputFocus(xproto.InputFocus.Parent, root, xproto.Time.CurrentTime)
                self._focus.set_persons_focus(focus)

    def _person_acts(self) -> bool:
        return now_ns() - self._person_acted_ns <= _PERSON_MOVES_FOCUS_NS

    def _use(self, window: int) -> None:
        if window in (self._window, xproto.InputFocus.PointerRoot):  # the latter is no window to give back
            return
        nobodys = window and self._focus.active_windows() == [0]  # a window manager's own, without keys
        if not nobodys:
            self._used = [*(used for used in self._used if used != window), window][-_MOST_WINDOWS:]

    def _is_gone(self) -> bool:
        """Return whether the person's window is closed or minimised."""
        if not self._window:
            return False
        try:
            shown = self._display.core.GetWindowAttributes(self._window).reply().map_state
        except xcffib.Error:
            return True
        return bool(shown != xproto.MapState.Viewable)

    def _give_back(self) -> None:
        """Give the focus to the window that the person used last; it may be closed by now."""
        while self._window and not self._focus.set_persons_focus(self._window):
            self._used.pop()
        for ancestor in self._focus.ancestry(self._window):  # a manager ignores its own window, the last
            self._focus.activate(ancestor)

    def _ask(self) -> int:
        return int(self._display.core.GetInputFocus().reply().focus)
