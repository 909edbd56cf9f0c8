"""The back end for macOS, through pynput and PyWinCtl. Not tested by this project yet.

What it cannot do where X11 can: hold the desktop still while it presses (the focus is asked right
before each batch and every 10 ms), hide hotkeys from the game, tell which of two injecting programs
sent an event, or see what another process holds down.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pywinctl
from pynput import keyboard, mouse

from pitwall.broker.backend import FocusMoved, Heard, HotkeyHeard, HumanInput, TargetGone
from pitwall.broker.gate import DesktopState
from pitwall.broker.ledger import held_name
from pitwall.broker.pynput_keys import BUTTONS, from_pynput, to_pynput
from pitwall.broker.takeover import Takeover
from pitwall.core.actions import Button, InputEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import BrokerFault, Configure, FocusHolder
from pitwall.core.keys import KEYS, MODIFIERS, parse_chord
from pitwall.link.wake_queue import WakeSignal

_LOOK_NS = 10 * NS_PER_MS
_SETTLE_S = 0.002
_Place = tuple[int, int]


class PynputBackend:
    """See broker.backend.Backend. Listener threads only note what they hear; `hear` judges it."""

    name = "pynput"

    def __init__(self) -> None:
        self._keyboard, self._mouse = keyboard.Controller(), mouse.Controller()
        self._signal = WakeSignal()
        self._noted: deque[tuple[str, Any]] = deque()
        self._order: Configure | None = None
        self._target: Any = None
        self._holder = FocusHolder.OTHER
        self._people = self._playing = False
        self._takeover = Takeover()
        self._modifiers: set[str] = set()
        self._pointer: _Place | None = None
        self._pressed: dict[str, Any] = {}
        self._look_ns = 0
        self._listeners: list[Any] = []

    def fileno(self) -> int:
        return self._signal.fileno()

    def configure(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        self._order = order
        self._target = pywinctl.Window(order.target.native_id) if order.target is not None else None
        if not self._listeners:
            self._listen()
        self._holder = self._look()
        return (), []

    @property
    def holder(self) -> FocusHolder:
        return self._holder

    @property
    def has_target(self) -> bool:
        return self._target is not None

    def watch_people(self, watch: bool, *, playing: bool = False) -> None:
        self._people, self._playing = watch, playing

    def hear(self) -> list[Heard]:
        self._signal.clear()
        heard: list[Heard] = []
        while self._noted:
            kind, what = self._noted.popleft()
            news = self._judge(kind, what)
            if news is not None:
                heard.append(news)
        at_ns = now_ns()
        if self._order is not None and at_ns >= self._look_ns + _LOOK_NS:
            if self._target is not None and not self._target.isAlive:
                self._target = None
                heard.append(TargetGone(at_ns=at_ns))
            holder = self._look()
            if holder is not self._holder:
                self._holder = holder
                heard.append(FocusMoved(holder=holder, at_ns=at_ns))
        return heard

    def next_deadline_ns(self) -> int | None:
        return self._look_ns + _LOOK_NS if self._order is not None else None

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        self._look_ns = 0  # the desktop cannot be held: at least look at it again
        yield

    def desktop_state(self, event: InputEvent) -> DesktopState:
        focused, modifiers = self._holder is FocusHolder.GAME, frozenset(self._modifiers)
        if event.kind in ("key_down", "key_up"):
            return DesktopState(focused=focused, modifiers=modifiers)
        place = self._place(event)
        over_game = self._is_over_game(place if place is not None else self._mouse.position)
        return DesktopState(focused=focused, modifiers=modifiers, over_game=over_game, place=place)

    def knows(self, event: InputEvent) -> bool:
        return event.kind not in ("key_down", "key_up") or to_pynput(event.key) is not None

    def emit(self, event: InputEvent, place: _Place | None = None) -> None:
        if event.kind in ("key_down", "key_up"):
            self._key(event)
            return
        if place is not None:
            self._mouse.position = place
        if event.kind == "mouse_down":
            self._mouse.press(BUTTONS[event.button])
            self._pressed[held_name(event)] = BUTTONS[event.button]
        elif event.kind == "mouse_up":
            self._mouse.release(BUTTONS[event.button])
            self._pressed.pop(held_name(event), None)
        elif event.kind == "scroll":
            self._mouse.scroll(event.dx, -event.dy)

    def settle(self) -> int:
        time.sleep(_SETTLE_S)  # macOS does not say when its queue is empty
        return now_ns()

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        """Bring up every key there is: what another process left down cannot be seen here."""
        del everything
        names = tuple(self._pressed)
        for name in KEYS:
            key = to_pynput(name)
            if key is not None:
                self._keyboard.release(key)
        for button in BUTTONS.values():
            self._mouse.release(button)
        self._pressed.clear()
        return names

    def focus_target(self) -> None:
        if self._target is not None:
            self._target.activate()

    def close(self) -> None:
        for listener in self._listeners:
            listener.stop()

    # ---- hearing

    def _listen(self) -> None:
        self._listeners = [
            keyboard.Listener(
                on_press=lambda key, injected=False: self._note("press", key, injected),
                on_release=lambda key, injected=False: self._note("release", key, injected),
            ),
            mouse.Listener(
                on_move=lambda x, y, injected=False: self._note("move", (x, y), injected),
                on_click=lambda x, y, button, down, injected=False: self._note(
                    "click" if down else "unclick", (x, y, button), injected
                ),
                on_scroll=lambda x, y, dx, dy, injected=False: self._note("wheel", (x, y, dx, dy), injected),
            ),
        ]
        for listener in self._listeners:
            listener.start()

    def _note(self, kind: str, what: Any, injected: bool) -> None:
        if not injected:
            self._noted.append((kind, what))
            self._signal.set()

    def _judge(self, kind: str, what: Any) -> Heard | None:
        at_ns = now_ns()
        if kind in ("press", "release"):
            return self._judge_key(from_pynput(what), kind == "press", at_ns)
        if kind == "move":
            before, self._pointer = self._pointer or what, what
            if self._playing:
                return self._moved(before, what, at_ns)
            if not self._takeover.moved(math.dist(before, what), at_ns):
                return None
            self._takeover.stopped_moving()
        if kind == "unclick":
            let_go = self._deed(kind, what) if self._playing and self._people else None
            return HumanInput(text="", at_ns=at_ns, event=let_go) if let_go is not None else None
        if not self._people or not self._is_over_game(what[:2]):
            return None
        did = {"move": "moved the mouse over", "click": "clicked in", "wheel": "turned the wheel over"}[kind]
        deed = self._deed(kind, what) if self._playing else None
        return HumanInput(text=f"You {did} the game.", at_ns=at_ns, event=deed)

    def _moved(self, before: _Place, place: _Place, at_ns: int) -> HumanInput | None:
        """Return a playing person's move over the game."""
        deed = self._deed("move", place) if self._people and self._is_over_game(place) else None
        if deed is None:
            return None
        deed = replace(deed, dx=int(place[0] - before[0]), dy=int(place[1] - before[1]))
        return HumanInput(text="", at_ns=at_ns, event=deed)

    def _deed(self, kind: str, what: Any) -> InputEvent | None:
        """Return a playing person's action with the mouse; None where there is no window."""
        if self._target is None:
            return None
        left, top, _right, _bottom = self._target.getClientFrame()
        x, y = int(what[0] - left), int(what[1] - top)
        if kind == "move":
            return InputEvent(kind="mouse_move", x=x, y=y)
        if kind == "wheel":
            return InputEvent(kind="scroll", x=x, y=y, dx=int(what[2]), dy=-int(what[3]))
        button: Button = next((name for name, one in BUTTONS.items() if one == what[2]), "left")
        return InputEvent(kind="mouse_up" if kind == "unclick" else "mouse_down", button=button, x=x, y=y)

    def _judge_key(self, name: str, down: bool, at_ns: int) -> Heard | None:
        if name in MODIFIERS:
            (self._modifiers.add if down else self._modifiers.discard)(name)
        if self._order is None:
            return None
        plays = self._playing and self._people and self._holder is FocusHolder.GAME
        if not down:
            event = InputEvent(kind="key_up", key=name)
            return HumanInput(text="", at_ns=at_ns, event=event) if plays else None
        for which in self._order.listened:
            text: str = getattr(self._order.hotkeys, which)
            modifiers, key = parse_chord(text)
            enough = modifiers <= self._modifiers if which == "stop" else modifiers == self._modifiers
            if name == key and enough:
                return HotkeyHeard(name=which, text=text, at_ns=at_ns)
        if plays:
            event = InputEvent(kind="key_down", key=name)
            return HumanInput(text=f"You pressed {name} in the game.", at_ns=at_ns, event=event)
        if name in MODIFIERS or not self._people or self._holder is not FocusHolder.GAME:
            return None
        return HumanInput(text=f"You pressed {name or 'a key'} in the game.", at_ns=at_ns)

    # ---- looking

    def _look(self) -> FocusHolder:
        self._look_ns = now_ns()
        active = pywinctl.getActiveWindow()
        if active is None or self._order is None:
            return FocusHolder.OTHER
        if self._target is not None and active.getHandle() == self._target.getHandle():
            return FocusHolder.GAME
        return FocusHolder.CONSOLE if active.getPID() in self._order.console_pids else FocusHolder.OTHER

    def _place(self, event: InputEvent) -> _Place | None:
        if event.x is None or event.y is None or self._target is None:
            return None
        left, top, _right, _bottom = self._target.getClientFrame()
        return left + event.x, top + event.y

    def _is_over_game(self, place: _Place) -> bool:
        top = pywinctl.getTopWindowAt(*place)
        return top is not None and self._target is not None and top.getHandle() == self._target.getHandle()

    def _key(self, event: InputEvent) -> None:
        key = to_pynput(event.key)
        if event.kind == "key_down":
            self._keyboard.press(key)
            self._pressed[event.key] = key
        else:
            self._keyboard.release(key)
            self._pressed.pop(event.key, None)
