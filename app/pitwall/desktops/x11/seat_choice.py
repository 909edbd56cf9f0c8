"""Chooses the seat to press with: the agent's own exists while it may press, and gives way to Chromium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import BrokerFault, Configure
from pitwall.desktops.x11.clients import Clients
from pitwall.desktops.x11.display import Display, HeldKey, RawInput
from pitwall.desktops.x11.one_keyboard import OneKeyboardPrograms
from pitwall.desktops.x11.pings import Pings
from pitwall.desktops.x11.seat import NoSeat, OwnSeat, SharedSeat
from pitwall.desktops.x11.window_list import ANY_BUTTON

_QUIET_NS = 2_000 * NS_PER_MS
"""The pair stays away for this long after the person's last key."""
_LOOK_NS = 100 * NS_PER_MS
"""Interval at which it is asked whether the person has left such a program's window."""
_NEW_WINDOWS_NS = 20 * NS_PER_MS
"""New windows that come within this time of each other are looked at together."""


class SeatChoice:
    """Makes the agent's own seat where it is wanted, and removes it.

    Args:
        use: called with each seat that is pressed with from then on.

    Attributes:
        seat: the seat in force.
        gives_way: the person types in a program that hears one keyboard alone: nobody presses.
    """

    def __init__(
        self, display: Display, shared: SharedSeat, pings: Pings, use: Callable[[SharedSeat], None]
    ) -> None:
        self._display = display
        self._pings = pings
        self._shared = self.seat = shared
        self._use = use
        self._clients = Clients(display)
        self._programs = OneKeyboardPrograms(display, self._clients)
        self._order: Configure | None = None
        self._armed = self._refused = self._shares = self.gives_way = False
        self._reported: list[str] = []
        self._quiet_from_ns = self._look_ns = 0
        self._new_windows_ns: int | None = None

    @property
    def wanted(self) -> bool:
        """Return whether the agent presses by a seat of its own whenever it may press."""
        order = self._order
        if order is None or self._refused or self._shares:
            return False
        return order.limits.own_seat and order.target is not None and not order.person

    def take(self, order: Configure) -> list[BrokerFault]:
        """Take the limits and the window of an order."""
        self._order = order
        return self._fit()

    def arm(self, armed: bool) -> list[BrokerFault]:
        """Take in whether presses may pass."""
        self._armed, self._shares = armed, False
        self.gives_way = self.gives_way and armed
        return self._fit()

    def notice(self, event: Any) -> None:
        """Take one event in."""
        if isinstance(event, HeldKey):
            if self.seat.own:
                self.gives_way = True
                self._quiet_from_ns = now_ns()
                self._fit()
            self._programs.give_key(event.time_ms)
        elif self.gives_way and isinstance(event, RawInput) and event.kind.startswith("key"):
            self._quiet_from_ns = now_ns()
        elif self.seat.own and self._new_windows_ns is None and self._programs.may_be_new(event):
            self._new_windows_ns = now_ns() + _NEW_WINDOWS_NS

    def next_deadline_ns(self) -> int | None:
        return self._look_ns if self.gives_way else self._new_windows_ns

    def conclude(self) -> None:
        """Guard new windows, or come back after the person's last key there; call it when it is due."""
        now = now_ns()
        if self._new_windows_ns is not None and now >= self._new_windows_ns:
            self._new_windows_ns = None
            if self.seat.own:
                self._programs.guard()
        if not self.gives_way or now < self._look_ns:
            return
        self._look_ns = now + _LOOK_NS
        if now - self._quiet_from_ns >= _QUIET_NS or not self._programs.have_focus():
            self.gives_way = False
            self._fit()

    def is_pointer_taken(self) -> bool:
        """Return whether Chromium has grabbed every pointer, because the person holds a button down in it."""
        if not self.seat.own:
            return False
        mask = self._display.core.QueryPointer(self._display.root).reply().mask
        return bool(mask & ANY_BUTTON) and self._programs.have_focus()

    def hears_one_keyboard(self, window: int | None) -> bool:
        """Return whether a window's program is Chromium, or built of it."""
        return window is not None and self._programs.is_such(window)

    def close(self) -> None:
        self.seat.remove()

    def _fit(self) -> list[BrokerFault]:
        wanted = self.wanted and self._armed and not self.gives_way
        if wanted == self.seat.own:
            return []
        if not wanted:
            leaving, self.seat = self.seat, self._shared
            self._use(self.seat)
            leaving.remove()
            self._programs.let_go()
            return []
        if (faults := self._fragile_faults()) is not None:
            return faults
        if self._key_is_down() and self._programs.have_focus():  # such a program would miss its release
            self.gives_way = True
            return []
        self._programs.guard()  # first: a key that is pressed meanwhile waits
        try:
            self.seat = OwnSeat(self._display)
        except NoSeat as error:
            self._refused = True
            self._programs.let_go()
            return [BrokerFault(what=_shared_for_want_of(error), fix=error.fix)]
        self._use(self.seat)
        return []

    def _fragile_faults(self) -> list[BrokerFault] | None:
        """Return the reason to share where a program would end as the devices go; None: there is none."""
        fragile = _fragile_programs(self._clients, self._pings)
        self._shares = bool(fragile)
        if not fragile or fragile == self._reported:
            return [] if fragile else None
        self._reported = fragile
        fix = "Close these programs or open their windows, then press Pause and Resume."
        return [BrokerFault(what=_shared_because_of(fragile), fix=fix)]

    def _key_is_down(self) -> bool:
        return any(self._display.core.QueryKeymap().reply().keys)


def try_own_seat() -> str:
    """Make the agent's own devices and remove them; return in a sentence whether this server has them.

    Raises:
        DisplayError: the display cannot be reached.
    """
    display, pings = Display(), Pings()
    try:
        if fragile := _fragile_programs(Clients(display), pings):
            return _shared_because_of(fragile)
        OwnSeat(display).remove()
    except NoSeat as error:
        return _shared_for_want_of(error)
    finally:
        pings.close()
        display.close()
    return (
        "The agent has a keyboard and pointer of its own here: they were made and removed just now. They "
        "give way while you type in Chromium or Electron."
    )


def _fragile_programs(clients: Clients, pings: Pings) -> list[str]:
    """Return the names of the Qt 6 programs that cannot be asked whether they have forgotten the devices."""
    asked = {clients.process_of(window) for window in pings.answering_windows()}
    return clients.fragile(unless_in=asked)


def _shared_for_want_of(error: NoSeat) -> str:
    return f"{error.what} It shares yours: it waits while you use them."


def _shared_because_of(programs: list[str]) -> str:
    names = ", ".join(programs)
    return (
        f"The agent shares your keyboard and pointer: {names} has no open window, and would end by an error "
        "of Qt 6 when the agent's own went."
    )
