"""The input of sway. Native windows and those of XWayland are played alike.

Unlike X11, sway reports nothing that a person presses or moves (so playing does not take over, and no play is
recorded), and the desktop cannot be held still: sway is asked for windows and focus right before each batch.
"""

from __future__ import annotations

import contextlib
import select
from collections.abc import Iterator

from pitwall.core.actions import InputEvent
from pitwall.core.clock import now_ns
from pitwall.core.geometry import Rect
from pitwall.core.injection import BrokerFault, Configure, FocusHolder, Obstacle
from pitwall.desktops.input_backend import (
    DesktopState,
    FocusMoved,
    Heard,
    HotkeyHeard,
    TargetGone,
    middle_of,
    no_key,
)
from pitwall_desktops.sway.hotkeys import Hotkeys
from pitwall_desktops.sway.inject import VirtualDevices
from pitwall_desktops.sway.ipc import WINDOWS_CHANGED, Sway, SwayWindow
from pitwall_desktops.sway.keycodes import KEY_CODES

_LIMITS = BrokerFault(
    what="this is a Wayland session: no program hears what you press or move, so playing yourself does not "
    "take over.",
    fix="Press the pause or stop key, or choose another window: the agent waits then.",
)
_NO_PERSON = BrokerFault(
    what="a person's play cannot be heard or recorded in a Wayland session.", fix="Log in to an X11 session."
)


class SwayInput:
    """See `InputBackend`."""

    name = "sway"
    own_seat = gives_way = False

    def __init__(self) -> None:
        self._sway = Sway()
        self._devices = VirtualDevices()
        self._hotkeys = Hotkeys(self._sway)
        self._order: Configure | None = None
        self._windows: list[SwayWindow] = []
        self._screen = Rect(0, 0, 0, 0)
        self._holder = FocusHolder.OTHER
        self._gone = False
        self._pointer: tuple[float, float] | None = None
        self._poll = select.epoll()
        self._poll.register(self._sway.fileno(), select.EPOLLIN)
        self._poll.register(self._devices.fileno(), select.EPOLLIN)

    def fileno(self) -> int:
        return self._poll.fileno()

    def arm(self, armed: bool) -> list[BrokerFault]:
        del armed
        return []

    def configure(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        before, self._order = self._order, order
        faults = []
        if before is None:
            self._sway.subscribe(*WINDOWS_CHANGED, "binding")
            faults.append(_LIMITS)
        if before is None or (before.hotkeys, before.listened) != (order.hotkeys, order.listened):
            faults += self._hotkeys.listen(order)
        if order.person and not (before and before.person):
            faults.append(_NO_PERSON)
        self._gone = False
        self._look()
        if order.target is not None and self._target is None:
            self._gone = True
        self._holder = self._find_holder()
        self._hotkeys.follow_focus(self._holder is FocusHolder.GAME)
        return self._hotkeys.chords, faults

    @property
    def holder(self) -> FocusHolder:
        return self._holder

    @property
    def has_target(self) -> bool:
        return self._target is not None

    @property
    def obstacle(self) -> Obstacle | None:
        if self._order is None or self._order.person:
            return None
        strange = [key for key in self._order.allowed_keys if key not in KEY_CODES]
        return self._hotkeys.obstacle or (no_key("a Wayland keyboard", strange) if strange else None)

    @property
    def foreign_modifiers(self) -> frozenset[str]:
        return frozenset()  # the virtual keyboard's modifiers are its own

    def watch_people(self, watch: bool, *, playing: bool = False) -> None:
        """Do nothing: sway reports no human input, and `configure` warns about it."""

    def hear(self) -> list[Heard]:
        self._devices.dispatch()
        events = self._sway.events()
        heard: list[Heard] = []
        at_ns = now_ns()
        for kind, body in events:
            if kind == "binding" and (key := self._hotkeys.heard(body)) is not None:
                heard.append(HotkeyHeard(name=key[0], text=key[1], at_ns=at_ns))
        if any(kind != "binding" for kind, _ in events):
            self._look()
            self._tell(heard)
        return heard

    def next_deadline_ns(self) -> int | None:
        return None

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        if self._order is not None:
            self._look()  # the desktop cannot be held: at least it is looked at again
        yield

    def desktop_state(self, event: InputEvent) -> DesktopState:
        focused = self._find_holder() is FocusHolder.GAME
        modifiers = self._devices.modifiers
        if event.kind in ("key_down", "key_up"):
            return DesktopState(focused=focused, modifiers=modifiers)
        if event.kind == "mouse_look" and (target := self._target) is not None:
            inside = self._pointer is not None and target.place.contains(*self._pointer)
            middle = middle_of(self._order)
            if inside or middle is None:
                return DesktopState(focused=focused, modifiers=modifiers, over_game=inside)
            return self.desktop_state(middle)
        place = self._place(event)
        at = self._pointer if event.x is None or event.y is None else place
        over = at is not None and self._is_over_game(at)
        rounded = (round(place[0]), round(place[1])) if place is not None and over else None
        return DesktopState(focused=focused, modifiers=modifiers, over_game=over, place=rounded)

    def knows(self, event: InputEvent) -> bool:
        return event.kind not in ("key_down", "key_up") or event.key in KEY_CODES

    def emit(self, event: InputEvent, place: tuple[int, int] | None = None) -> None:
        if place is not None:
            self._pointer = (float(place[0]), float(place[1]))
        self._devices.emit(event, self._pointer if place is not None else None, self._screen)

    def settle(self) -> int:
        return self._devices.settle()

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        """Release what these devices hold, and every button; other processes' keys come up when they end."""
        del everything
        return self._devices.release_all()

    def focus_target(self) -> None:
        if (target := self._target) is not None:
            self._sway.run(f"[con_id={target.con_id}] focus")
        if self._order is not None:
            self._hotkeys.listen(self._order)  # another Pitwall that ended took its bindings along
            self._hotkeys.follow_focus(self._find_holder() is FocusHolder.GAME)

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._hotkeys.let_go()
        self._poll.close()
        self._devices.close()
        self._sway.close()

    # ---- inside

    @property
    def _target(self) -> SwayWindow | None:
        wanted = self._order.target.native_id if self._order is not None and self._order.target else None
        return next((window for window in self._windows if window.con_id == wanted), None)

    def _look(self) -> None:
        self._windows = self._sway.windows()
        outputs = self._sway.outputs().values()
        left, top = min((o.x for o in outputs), default=0), min((o.y for o in outputs), default=0)
        right, bottom = (
            max((o.right for o in outputs), default=0),
            max((o.bottom for o in outputs), default=0),
        )
        self._screen = Rect(left, top, right - left, bottom - top)

    def _tell(self, heard: list[Heard]) -> None:
        at_ns = now_ns()
        if self._target is None and self._order is not None and self._order.target and not self._gone:
            self._gone = True
            heard.append(TargetGone(at_ns=at_ns))
        holder = self._find_holder()
        if holder is not self._holder:
            self._holder = holder
            self._hotkeys.follow_focus(holder is FocusHolder.GAME)
            heard.append(FocusMoved(holder=holder, at_ns=at_ns))

    def _find_holder(self) -> FocusHolder:
        focused = next((window for window in self._windows if window.focused), None)
        if focused is None or self._order is None:
            return FocusHolder.OTHER
        if self._order.target is not None and focused.con_id == self._order.target.native_id:
            return FocusHolder.GAME
        return FocusHolder.CONSOLE if focused.pid in self._order.console_pids else FocusHolder.OTHER

    def _place(self, event: InputEvent) -> tuple[float, float] | None:
        """Return the place of a pixel of the game, in sway's logical units."""
        target = self._target
        if event.x is None or event.y is None or target is None:
            return None
        return target.place.x + event.x / target.scale, target.place.y + event.y / target.scale

    def _is_over_game(self, at: tuple[float, float]) -> bool:
        over = [window for window in self._windows if window.visible and window.outer.contains(*at)]
        target = self._target
        return bool(over) and target is not None and over[-1] is target and target.place.contains(*at)
