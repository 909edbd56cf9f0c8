"""The input of X11. One connection keeps what it hears and what it sends in one order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import xcffib
from xcffib import xproto

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import BrokerFault, Configure, FocusHolder, Obstacle
from pitwall.desktops.input_backend import DesktopState, FocusMoved, Heard, TargetGone, middle_of, no_key
from pitwall.desktops.takeover import Expected
from pitwall.desktops.x11.display import DevicesChanged, Display, RawInput, SeatFocusMoved, gone, on_server
from pitwall.desktops.x11.focus import Focus
from pitwall.desktops.x11.hotkeys import Hotkeys, group_of, limits_of_server, modifiers_of
from pitwall.desktops.x11.inject import Injector
from pitwall.desktops.x11.input_watch import InputWatch
from pitwall.desktops.x11.keymap import Keymap
from pitwall.desktops.x11.looks import Looks
from pitwall.desktops.x11.persons_focus import PersonsFocus
from pitwall.desktops.x11.pings import Pings
from pitwall.desktops.x11.pointer_guard import PointerGuard
from pitwall.desktops.x11.pointer_map import PointerMap
from pitwall.desktops.x11.seat import NoSeat, OwnSeat, SharedSeat, clear_seats, release_seats
from pitwall.desktops.x11.seat_choice import SeatChoice
from pitwall.desktops.x11.xkb import KeyboardChanged, KeyStateChanged

_FOCUS_PATIENCE_NS = 150 * NS_PER_MS
"""A window manager that has not answered by then is passed over."""


class X11Input:
    """See `InputBackend`."""

    name = "x11"

    def __init__(self) -> None:
        self._display = Display()
        self._display.ignore_server_grabs()
        clear_seats(self._display)
        self._seat = SharedSeat(self._display)
        self._keymap = Keymap(self._display)
        self._expected = Expected()
        self._hotkeys = Hotkeys(self._display, self._keymap)
        self._focus = Focus(self._display, self._seat)
        self._persons = PersonsFocus(self._display, self._focus)
        self._pointer_map = PointerMap(self._display)
        self._injector = Injector(self._display, self._keymap, self._pointer_map, self._expected, self._seat)
        self._watch = InputWatch(
            self._display,
            self._keymap,
            self._pointer_map,
            hotkeys=self._hotkeys,
            focus=self._focus,
            persons=self._persons,
            expected=self._expected,
        )
        self._pings = Pings()
        self._choice = SeatChoice(self._display, self._seat, self._pings, self._use_seat)
        self._order: Configure | None = None
        self._holder = FocusHolder.OTHER
        self._hidden: tuple[str, ...] = ()
        self._focus_window = 0
        self._state_mask = 0
        self._still = self._played = self._focus_asked = False
        self._retry_focus_ns: int | None = None
        self._guard: PointerGuard | None = None
        self._looks = Looks(self._focus, self._injector, self._pings)
        self._obstacle: Obstacle | None = None
        self._foreign: frozenset[str] = frozenset()
        self._layout_changed = self._modifiers_changed = self._person_changed = False
        self._display.flush()

    def fileno(self) -> int:
        return self._display.fileno()

    @on_server
    def configure(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        before, self._order = self._order, order
        faults = []
        if before is None:
            self._watch.listen()
            faults += limits_of_server(self._display)
        faults += self._choice.take(order)
        target = self._focus.target
        self._focus.aim(order.target, order.console_pids)  # the engine reports a window that is gone
        if self._seat.own and self._played and self._focus.target not in (None, target):
            self._retry_focus_ns = now_ns()  # no window manager gives an own seat the next window's focus
        if before is None or (before.hotkeys, before.listened) != (order.hotkeys, order.listened):
            self._hidden, hotkey_faults = self._hotkeys.listen(order)
            faults += hotkey_faults
        self._keymap.aim(order.allowed_keys, order.keys_mean)
        self._look_at_modifiers()
        faults += self._caps_lock_note(order)
        self._look_for_obstacles()
        self._focus.take_blink()
        self._holder = self._resolve()
        return self._hidden, faults

    @property
    def holder(self) -> FocusHolder:
        return self._holder

    @property
    def has_target(self) -> bool:
        return self._focus.target is not None

    @property
    def own_seat(self) -> bool:
        return self._seat.own

    @property
    def gives_way(self) -> bool:
        return self._choice.gives_way

    @on_server
    def arm(self, armed: bool) -> list[BrokerFault]:
        faults = self._choice.arm(armed)
        if armed and self._focus_asked and not self._choice.gives_way:
            self.focus_target()
        return faults

    @property
    def obstacle(self) -> Obstacle | None:
        return self._obstacle

    @property
    def foreign_modifiers(self) -> frozenset[str]:
        return self._foreign

    def watch_people(self, watch: bool, *, playing: bool = False) -> None:
        self._looks.drop()  # it is called whenever presses may no longer pass
        self._watch.look_for_people(watch, playing=playing)

    @on_server
    def hear(self) -> list[Heard]:
        heard: list[Heard] = []
        events = self._display.events()
        if not events and not self._is_anything_due():
            return heard
        while True:  # a question to the server may bring events along: until none is left
            for event in events:
                self._take(event, heard)
            self._do_what_is_due()
            self._tell_focus(heard)
            human = self._watch.conclude(now_ns())
            if human is not None:
                heard.append(human)
            events = self._display.events()
            if not events:
                return heard

    def next_deadline_ns(self) -> int | None:
        guard_ns = self._guard.next_deadline_ns() if self._guard is not None else None
        others = (self._watch.next_deadline_ns(), guard_ns, self._looks.next_deadline_ns())
        deadlines = (
            self._retry_focus_ns,
            self._choice.next_deadline_ns(),
            self._persons.next_deadline_ns(),
            *others,
        )
        return min((at for at in deadlines if at is not None), default=None)

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        try:
            try:
                self._display.grab()
                self._focus_window, self._state_mask = self._seat.look()
                self._keymap.group = group_of(self._state_mask)
                self._foreign = self._foreign_in(self._state_mask)
                self._still = True
                yield
            finally:
                self._still = False
                self._display.let_go()
        except xcffib.ConnectionException as error:
            raise gone(error) from error

    @on_server
    def desktop_state(self, event: InputEvent) -> DesktopState:
        # What was heard inside `still` counts too: a client that ignores server grabs may have moved it.
        focused = self._holder is FocusHolder.GAME and self._focus.has_keyboard(self._focus_window)
        modifiers, foreign = modifiers_of(self._state_mask), self._foreign
        if event.kind in ("key_down", "key_up"):
            return DesktopState(focused=focused, modifiers=modifiers, foreign=foreign)
        taken = False
        if event.kind == "mouse_down":
            self._persons.note()
            taken = self._choice.is_pointer_taken()
        if event.x is not None and event.y is not None:
            place = None if taken else self._focus.place(event.x, event.y)
            return DesktopState(
                focused=focused,
                modifiers=modifiers,
                foreign=foreign,
                over_game=place is not None,
                place=place,
            )
        pointer = self._seat.place()
        if event.kind == "mouse_look":  # it presses nothing: what covers the game there does not matter
            over_game = self._focus.place_inside(*pointer) is not None
            if not over_game and (middle := middle_of(self._order)) is not None:
                return self.desktop_state(middle)
        else:
            clicks = not taken and event.kind != "mouse_move"
            over_game = clicks and self._focus.is_over_game(*pointer)
        return DesktopState(focused=focused, modifiers=modifiers, foreign=foreign, over_game=over_game)

    def knows(self, event: InputEvent) -> bool:
        return self._injector.knows(event)

    @on_server
    def emit(self, event: InputEvent, place: tuple[int, int] | None = None) -> None:
        if event.kind == "mouse_down" and self._guard is not None:
            self._guard.press()
            self._persons.agent_acted()
        if event.kind == "mouse_look":
            if place is not None:
                self._seat.warp(*place)
            self._looks.add(event.dx, event.dy)
        else:
            self._looks.send_before(event)
            self._injector.emit(event, place)
        if not self._still:  # else the end of `still` sends it, within the same microseconds
            self._display.flush()

    @on_server
    def settle(self) -> int:
        return self._injector.settle()

    @on_server
    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        # Keys first: to remove devices takes a moment, and the sweeps that follow do it.
        left = release_seats(self._display) if everything else clear_seats(self._display)
        return self._injector.sweep(everything=everything and not left)

    @on_server
    def focus_target(self) -> None:
        self._played = True
        self._focus_asked = self._choice.wanted and not self._seat.own
        if self._focus_asked:  # the agent's own seat asks as it comes, and leaves the person's focus alone
            return
        self._persons.note()
        self._focus.ask_for_focus(uncovered=self._order is not None and self._order.allow_mouse)
        self._persons.agent_acted()
        self._retry_focus_ns = now_ns() + _FOCUS_PATIENCE_NS

    def close(self) -> None:
        with contextlib.suppress(xcffib.XcffibException):
            self._choice.close()
            self._display.close()
            self._pings.close()

    def _take_focus(self) -> None:
        self._focus.take_focus()
        self._persons.agent_acted()

    def _use_seat(self, seat: SharedSeat) -> None:
        """Press with another seat from now on; what the earlier one holds comes up."""
        if self._guard is not None:
            self._guard.let_go()
        self._persons.drop()
        self._looks.drop()
        self._injector.sweep(everything=False)
        self._guard = None
        if isinstance(seat, OwnSeat):
            knows = self._choice.hears_one_keyboard
            self._guard = PointerGuard(self._display, seat, self._pings, knows)
        self._seat = self._injector.seat = seat
        self._focus.use(seat)
        self._keymap.use(seat.xtest_keyboard)
        self._pointer_map.use(seat.xtest_pointer, own_master=seat.own)
        if seat.own and self._focus_asked:
            self.focus_target()
        elif seat.own and self._played:
            self._persons.note()
            self._take_focus()

    def _look_for_obstacles(self) -> None:
        """Find out why no agent may play: no stop key is heard, or a key of the game cannot be pressed."""
        self._obstacle, order = None, self._order
        if order is None or order.person:
            return
        self._obstacle = self._hotkeys.obstacle
        strange = [key for key in order.allowed_keys if self._keymap.stroke(key) is None]
        click = InputEvent(kind="mouse_down")
        if self._obstacle is None and order.allow_mouse and not self._injector.knows(click):
            strange.append("the left mouse button")
        if self._obstacle is None and strange:
            self._obstacle = no_key(self._keymap.where, strange)

    def _look_at_modifiers(self) -> None:
        """Ask which modifiers are down; the answer counts everything that was sent before."""
        self._modifiers_changed = False
        _, mask = self._seat.look()
        self._foreign = self._foreign_in(mask)
        self._keymap.caps_lock = bool(mask & xproto.ModMask.Lock)

    def _foreign_in(self, mask: int) -> frozenset[str]:
        return modifiers_of(mask) - self._injector.held

    def _caps_lock_note(self, order: Configure) -> list[BrokerFault]:
        letters = any(len(key) == 1 and key.isalpha() for key in order.allowed_keys)
        if order.person or not letters or not self._keymap.caps_lock or order.keys_mean != "auto":
            return []
        if self._choice.wanted:  # a keyboard of the agent's own has no lock on
            return []
        return [
            BrokerFault(
                what="Caps Lock is on: a game that reads letters gets capital ones.",
                fix="Press Caps Lock once.",
            )
        ]

    def _take(self, event: Any, heard: list[Heard]) -> None:
        at_ns = now_ns()
        self._choice.notice(event)
        self._persons.notice(event)
        if isinstance(event, RawInput):
            if self._seat.own and self._watch.may_move_focus(event):
                self._persons.person_acted(by_pointer=not event.kind.startswith("key"))
            news = self._watch.notice(event, at_ns)
            if news is not None:
                heard.append(news)
        elif isinstance(event, DevicesChanged):
            self._watch.devices.reload()
        elif isinstance(event, SeatFocusMoved):
            self._focus.seat_moved(event)
        elif isinstance(event, xproto.KeyPressEvent):
            self._hotkeys.let_go()
        elif isinstance(event, KeyboardChanged | KeyStateChanged):
            changed, by_state = self._keymap.notice(event), isinstance(event, KeyStateChanged)
            self._layout_changed = changed or self._layout_changed
            persons = changed if by_state else event.device not in self._seat.sources
            self._person_changed = self._person_changed or persons
            self._modifiers_changed = self._modifiers_changed or by_state
        elif isinstance(event, xproto.MappingNotifyEvent):
            self._pointer_map.forget()
            self._look_for_obstacles()
        elif isinstance(event, xproto.VisibilityNotifyEvent) and self._seat.own:
            if event.window == self._focus.target:  # it can have an own seat's focus from now on
                self._retry_focus_ns = at_ns
        elif self._focus.notice(event, own_grab=self._watch.is_own_grab(at_ns)):
            heard.append(TargetGone(at_ns=at_ns))

    def _is_anything_due(self) -> bool:
        deadline_ns = self.next_deadline_ns()
        return deadline_ns is not None and now_ns() >= deadline_ns

    def _resolve(self) -> FocusHolder:
        return FocusHolder.OTHER if self._choice.gives_way else self._focus.resolve()

    def _tell_focus(self, heard: list[Heard]) -> None:
        holder, blinked = self._resolve(), self._focus.take_blink()
        at_ns = now_ns()
        if holder is FocusHolder.GAME:
            self._retry_focus_ns = None
        if blinked and holder is self._holder is FocusHolder.GAME:
            heard.append(FocusMoved(holder=FocusHolder.OTHER, at_ns=at_ns))
        elif holder is self._holder:
            return
        self._holder = holder
        self._looks.drop()
        heard.append(FocusMoved(holder=holder, at_ns=at_ns))

    def _do_what_is_due(self) -> None:
        at_ns = now_ns()
        self._choice.conclude()
        if self._retry_focus_ns is not None and at_ns >= self._retry_focus_ns:
            self._retry_focus_ns = None
            misses_seat = self._choice.wanted and not self._seat.own
            if not misses_seat and self._focus.resolve() is not FocusHolder.GAME:
                self._take_focus()
        if self._focus.take_left():
            self._persons.note()
            self._focus.renew(blink=self._choice.hears_one_keyboard(self._focus.target))
            self._persons.agent_acted()
        if self._guard is not None:
            self._guard.conclude()
        if self._looks.waits:
            self._looks.send()
            self._display.flush()
        self._persons.conclude()
        if self._person_changed:
            self._person_changed = False
            with contextlib.suppress(NoSeat):  # the earlier layout stays on the agent's keyboard
                self._seat.copy_keyboard()
        if self._layout_changed:
            self._layout_changed = False
            if self._order is not None:
                self._hidden, _ = self._hotkeys.listen(self._order)
                self._look_for_obstacles()
        if self._modifiers_changed:
            self._look_at_modifiers()
