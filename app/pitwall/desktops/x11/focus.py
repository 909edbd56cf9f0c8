"""Finds the window that has the keyboard focus, and the one under the pointer."""

from __future__ import annotations

from typing import Any, NamedTuple

import xcffib
from xcffib import xproto

from pitwall.core.geometry import WindowRef
from pitwall.core.injection import FocusHolder
from pitwall.desktops.x11.display import Display, SeatFocusMoved
from pitwall.desktops.x11.seat import OwnSeat, SharedSeat

_NONE, _POINTER_ROOT = 0, 1
_DEEPEST = 32
"""Windows nest less deep than this."""
_FROM_PAGER = 2
"""_NET_ACTIVE_WINDOW's source: the window manager obeys it without suspicion of focus stealing."""
_ABOUT_POINTER = (xproto.NotifyDetail.Pointer, xproto.NotifyDetail.PointerRoot, xproto.NotifyDetail._None)
_TARGET_EVENTS = (
    xproto.EventMask.FocusChange | xproto.EventMask.StructureNotify | xproto.EventMask.VisibilityChange
)


class Place(NamedTuple):
    """A place in a window's client area, and that area's size, in pixels."""

    x: int
    y: int
    width: int
    height: int


class Focus:
    """Follows the keyboard focus between the game, the console and the rest.

    Attributes:
        target: the game's client window; None if it was destroyed or never set.
        holder: who had the keyboard at the last `resolve`.
        grabbed: another program holds the keyboard by a grab: the focus stays, the keys do not come.
        seat: the keyboard whose focus is followed, and its pointer.
    """

    def __init__(self, display: Display, seat: SharedSeat) -> None:
        self._display = display
        self.seat = seat
        self._console_pids: frozenset[int] = frozenset()
        self._inside: set[int] = set()
        self.target: int | None = None
        self.holder = FocusHolder.OTHER
        self.grabbed = False
        self._stale = True
        self._blinked = self._left = False
        self._active_atom = display.atom("_NET_ACTIVE_WINDOW")
        self._pid_atom = display.atom("_NET_WM_PID")

    def aim(self, target: WindowRef | None, console_pids: tuple[int, ...]) -> None:
        """Follow this game window; there is no target where it does not exist."""
        self._display.select(self._display.root, xproto.EventMask.PropertyChange)
        self._console_pids = frozenset(console_pids)
        self._stale = True
        wanted = target.native_id if target is not None else None
        if wanted == self.target:
            return
        if self.target is not None:
            self._display.select(self.target, 0)
        self.target, self.grabbed = wanted, False
        self._inside.clear()
        if wanted is None:
            return
        try:
            self._display.core.ChangeWindowAttributesChecked(
                wanted, xproto.CW.EventMask, [_TARGET_EVENTS]
            ).check()
        except xcffib.Error:
            self.target = None
            return
        if self.seat.own:
            self._follow_keyboards(wanted)

    def notice(self, event: Any, *, own_grab: bool) -> bool:
        """Take one event in; True when the target was destroyed.

        Args:
            own_grab: a grab seen now is that of our own hotkeys.
        """
        if isinstance(event, xproto.FocusInEvent | xproto.FocusOutEvent):
            if event.event == self.target and event.detail not in _ABOUT_POINTER:
                self._focus_event(event, own_grab)
        elif self.is_about_active_window(event):
            self._stale = True
        elif isinstance(event, xproto.DestroyNotifyEvent) and event.window == self.target:
            self.target, self._stale = None, True
            return True
        return False

    def is_about_active_window(self, event: Any) -> bool:
        """Return whether the window manager names another active window."""
        return isinstance(event, xproto.PropertyNotifyEvent) and event.atom == self._active_atom

    def active_windows(self) -> list[int]:
        """Return the window that the window manager has as the active one; 0 or nothing where it has none."""
        return self._atoms_of(self._display.root, self._active_atom, xproto.Atom.WINDOW)

    def resolve(self) -> FocusHolder:
        """Return the keyboard's holder; asks the server only after an event that may have changed it."""
        if self._stale:
            self._stale = False
            self.holder = self.judge(self.seat.focus())
        return self.holder

    def use(self, seat: SharedSeat) -> None:
        """Follow the focus of this seat's keyboard from now on."""
        self.seat, self._stale, self.grabbed = seat, True, False
        if seat.own:
            self._display.select_focus(self._display.root, SharedSeat.keyboard)
            if self.target is not None:
                self._follow_keyboards(self.target)

    def _follow_keyboards(self, window: int) -> None:
        for keyboard in (self.seat.keyboard, SharedSeat.keyboard):
            self._display.select_focus(window, keyboard)

    def seat_moved(self, event: SeatFocusMoved) -> None:
        """Take in that the own keyboard's focus came or went, or that the person's is nowhere."""
        if event.keyboard != self.seat.keyboard:
            self._left = self._left or event.lost
            self._tell_manager_of_lost_focus()
            return
        self._stale = True
        self._blinked = self._blinked or event.lost

    def _tell_manager_of_lost_focus(self) -> None:
        """Tell the window manager that no window has the person's focus: it gives it to the next one.

        The server tells it no more while the agent's focus is in a window of the same root: the person's
        keys went nowhere once they had closed a window.
        """
        core, root = self._display.core, self._display.root
        if core.GetInputFocus().reply().focus in (_NONE, _POINTER_ROOT, root):
            detail, mode = xproto.NotifyDetail.PointerRoot, xproto.NotifyMode.Normal
            lost = xproto.FocusInEvent.synthetic(detail, root, mode).pack()
            core.SendEvent(False, root, xproto.EventMask.FocusChange, lost)
            self._display.flush()

    def take_left(self) -> bool:
        """Return whether the person's focus left the game since the last call, and the agent's is there."""
        left, self._left = self._left, False
        return left and self.seat.own and self.holder is FocusHolder.GAME

    def renew(self, *, blink: bool) -> None:
        """Tell the game that it still has a keyboard: to some programs the person's leaving is the end of it.

        Args:
            blink: the own keyboard's focus leaves the game and comes back at once. Chromium needs that. Other
                programs, as Java's, ask to be told by WM_TAKE_FOCUS.
        """
        if self.target is None or not isinstance(self.seat, OwnSeat):
            return
        if blink:
            self._display.select_focus(self.target, self.seat.keyboard, hear=False)  # no loss of the focus
            self.seat.renew_focus()
            self._display.select_focus(self.target, self.seat.keyboard)
        self._tell_to_take_focus(self.target)
        self._display.flush()

    def take_blink(self) -> bool:
        """Return whether the game lost the keyboard since the last call, even if it is back by now."""
        blinked, self._blinked = self._blinked, False
        return blinked

    def judge(self, focus: int) -> FocusHolder:
        """Return whether a focus window belongs to the game, the console or somebody else."""
        if self.has_keyboard(focus):
            return FocusHolder.GAME
        if focus in (_NONE, _POINTER_ROOT, self._display.root):
            return FocusHolder.OTHER
        pids = {self._pid(window) for window in self.ancestry(focus)}
        return FocusHolder.CONSOLE if pids & self._console_pids else FocusHolder.OTHER

    def has_keyboard(self, focus: int) -> bool:
        """Return whether a press reaches the game while this window has the focus."""
        if self.target is None or self.grabbed:
            return False
        return focus == self.target or self._is_inside(focus)

    def place(self, x: int, y: int) -> tuple[int, int] | None:
        """Convert a pixel of the game to a place on the root; None if another window is there."""
        if self.target is None:
            return None
        try:
            reply = self._display.core.TranslateCoordinates(self.target, self._display.root, x, y).reply()
        except xcffib.Error:
            return None
        place = (reply.dst_x, reply.dst_y)
        return place if self.is_over_game(*place) else None

    def is_over_game(self, root_x: int, root_y: int) -> bool:
        """Return whether a click at this place of the root window would reach the game.

        Windows that let clicks through (an empty input shape) do not count.
        """
        return self.is_over(self.target, root_x, root_y)

    def is_over(self, wanted: int | None, root_x: int, root_y: int) -> bool:
        """Return whether a click at this place of the root window would reach a window."""
        root = window = self._display.root
        for _ in range(_DEEPEST):
            if window == wanted:
                return True
            try:
                child = self._display.core.TranslateCoordinates(root, window, root_x, root_y).reply().child
            except xcffib.Error:
                return False
            if child == _NONE:
                return False
            window = child
        return False

    def place_inside(self, root_x: int, root_y: int) -> Place | None:
        """Return where a place of the root window lies in the game's client area, covered or not."""
        if self.target is None:
            return None
        root, core = self._display.root, self._display.core
        try:
            place = core.TranslateCoordinates(root, self.target, root_x, root_y).reply()
            size = core.GetGeometry(self.target).reply()
        except xcffib.Error:
            return None
        inside = 0 <= place.dst_x < size.width and 0 <= place.dst_y < size.height
        return Place(place.dst_x, place.dst_y, size.width, size.height) if inside else None

    def is_pointer_over_game(self) -> bool:
        """Return whether a click right now would reach the game."""
        pointer = self._display.core.QueryPointer(self._display.root).reply()
        return self.target is not None and self.is_over_game(pointer.root_x, pointer.root_y)

    def pointer_in_game(self) -> tuple[int, int] | None:
        """Locate the pointer in the game's client area; None if a click would reach another window."""
        if self.target is None or not self.is_pointer_over_game():
            return None
        try:
            pointer = self._display.core.QueryPointer(self.target).reply()
        except xcffib.Error:
            return None
        return pointer.win_x, pointer.win_y

    def ask_for_focus(self, *, uncovered: bool) -> None:
        """Ask the window manager to give the game the focus (and to bring it back from an icon).

        A seat of the agent's own takes the focus without it, and leaves the person's where it is.

        Args:
            uncovered: bring the window above others, so that clicks reach it.
        """
        if self.target is None:
            return
        if self.seat.own and self._take_with_own_seat():
            if uncovered:
                above = [xproto.StackMode.Above]
                self._display.core.ConfigureWindow(self.target, xproto.ConfigWindow.StackMode, above)
                self._display.flush()
            return
        self.activate(self.target)

    def take_focus(self) -> None:
        """Set the focus without the window manager (there is none, or it did not answer).

        A window that is not shown cannot have it; an own seat comes back with it as it is shown.
        """
        if self.seat.own:
            self._take_with_own_seat()
        elif self.target is not None:
            self._stale = self.set_persons_focus(self.target) or self._stale

    def set_persons_focus(self, window: int) -> bool:
        """Give a window the person's focus; return False where it is not shown."""
        now = xproto.Time.CurrentTime
        try:
            self._display.core.SetInputFocusChecked(xproto.InputFocus.Parent, window, now).check()
        except xcffib.Error:  # not viewable
            return False
        return True

    def activate(self, window: int) -> None:
        """Ask the window manager to make a window the active one."""
        mask = xproto.EventMask.SubstructureNotify | xproto.EventMask.SubstructureRedirect
        self._send(self._display.root, mask, window, self._active_atom, _FROM_PAGER)

    def _send(self, to: int, mask: int, about: int, kind: int, value: int) -> None:
        """Send a client message about a window; its time is the current one."""
        data = xproto.ClientMessageData.synthetic([value, xproto.Time.CurrentTime, 0, 0, 0], "I" * 5)
        message = xproto.ClientMessageEvent.synthetic(32, about, kind, data)
        self._display.core.SendEvent(False, to, mask, message.pack())
        self._display.flush()

    def _take_with_own_seat(self) -> bool:
        self._stale = True
        if self.target is None or not self.seat.aim(self.target):
            return False
        self._tell_to_take_focus(self.target)
        return True

    def _tell_to_take_focus(self, window: int) -> None:
        """Send WM_TAKE_FOCUS to a program that asks for it instead of being given the focus (ICCCM)."""
        protocols = self._display.atom("WM_PROTOCOLS")
        take_focus = self._display.atom("WM_TAKE_FOCUS")
        if take_focus in self._atoms_of(window, protocols) and not self._is_given_focus(window):
            self._send(window, int(xproto.EventMask.NoEvent), window, protocols, take_focus)

    def _is_given_focus(self, window: int) -> bool:
        """Return whether a window is given the focus, and does not take it by itself (ICCCM: input)."""
        hints = xproto.Atom.WM_HINTS
        try:
            reply = self._display.core.GetProperty(False, window, hints, hints, 0, 2).reply()
        except xcffib.Error:
            return True
        return reply.value_len < 2 or bool(reply.value.to_atoms()[1])

    def _atoms_of(self, window: int, name: int, kind: int = xproto.Atom.ATOM) -> list[int]:
        try:
            reply = self._display.core.GetProperty(False, window, name, kind, 0, 32).reply()
        except xcffib.Error:
            return []
        return list(reply.value.to_atoms()) if reply.value_len else []

    def _focus_event(self, event: Any, own_grab: bool) -> None:
        self._stale = True
        if self.seat.own:
            return
        came = isinstance(event, xproto.FocusInEvent)
        harmless = own_grab or event.detail == xproto.NotifyDetail.Inferior
        self._blinked = self._blinked or not (came or harmless)
        if event.mode == xproto.NotifyMode.Grab:
            self.grabbed = not (came or harmless)
        elif event.mode == xproto.NotifyMode.WhileGrabbed:
            self.grabbed = self.grabbed or came
        else:
            self.grabbed = False

    def _is_inside(self, window: int) -> bool:
        if window in (_NONE, _POINTER_ROOT, self._display.root):
            return False
        if window not in self._inside and self.target in self.ancestry(window):
            self._inside.add(window)
        return window in self._inside

    def ancestry(self, window: int) -> list[int]:
        """Return the window and its parents below the root, as far as they exist."""
        line: list[int] = []
        try:
            while window not in (_NONE, self._display.root) and len(line) < _DEEPEST:
                line.append(window)
                window = self._display.core.QueryTree(window).reply().parent
        except xcffib.Error:
            pass
        return line

    def _pid(self, window: int) -> int:
        try:
            reply = self._display.core.GetProperty(
                False, window, self._pid_atom, xproto.Atom.CARDINAL, 0, 1
            ).reply()
        except xcffib.Error:
            return 0
        return int(reply.value.to_atoms()[0]) if reply.value_len else 0
