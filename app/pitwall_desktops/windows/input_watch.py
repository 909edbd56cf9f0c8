"""Judges what the hooks heard: the operator's hotkeys at any time, and human input in the game.

Input of other programs counts as human, as on X11. Their pointer movements do not count: games themselves put
the pointer back into their middle.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from pitwall.core.actions import Button, InputEvent
from pitwall.core.clock import NS_PER_S
from pitwall.core.injection import Configure, FocusHolder
from pitwall.core.keys import MODIFIERS
from pitwall.desktops.input_backend import UNKNOWN_KEY, Chord, Heard, HotkeyHeard, HumanInput, chords_of
from pitwall.desktops.takeover import Takeover
from pitwall_desktops.windows.focus import Focus
from pitwall_desktops.windows.keys import name_of

_MOVE, _WHEEL, _SIDEWAYS = 0x200, 0x20A, 0x20E
_DOWN: dict[int, Button] = {0x201: "left", 0x204: "right", 0x207: "middle"}
_UP: dict[int, Button] = {0x202: "left", 0x205: "right", 0x208: "middle"}
_NOTCH = 120
_REPEATS_NS = 2 * NS_PER_S
"""A held key is repeated within a second. Later it is a new press: its release was on a locked screen."""


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A key or mouse event as it came from the system.

    Attributes:
        message: 0 of a key, else the window message (WM_MOUSEMOVE …). virtual, extended, up: of a key.
        data: how far the wheel was turned.
        injected: by a program; own: by a broker of ours.
    """

    message: int
    at_ns: int
    injected: bool
    own: bool
    virtual: int = 0
    extended: bool = False
    up: bool = False
    x: int = 0
    y: int = 0
    data: int = 0


class InputWatch:
    """Takes events on the hooks' thread (`take`), and judges them on the broker's (`judge`)."""

    def __init__(self, focus: Focus) -> None:
        self._focus = focus
        self._chords: list[Chord] = []
        self._leading: frozenset[str] = frozenset()
        self._waiting: deque[tuple[RawEvent, str, Chord | None]] = deque()
        self._down: dict[str, int] = {}
        self._hidden: set[str] = set()
        self._human_modifiers: set[str] = set()
        self._takeover = Takeover()
        self._people = self._playing = False
        self._buttons: set[Button] = set()
        self._pointer: tuple[int, int] | None = None

    def listen(self, order: Configure) -> tuple[str, ...]:
        """Take the hotkeys of an order; return those that are hidden from the game."""
        self._chords = chords_of(order)
        self._leading = frozenset().union(*(chord.modifiers for chord in self._chords))
        return tuple(chord.text for chord in self._chords if chord.name != "start")

    def look_for_people(self, look: bool, *, playing: bool = False) -> None:
        """Choose whether human input in the game is reported; forget earlier input."""
        self._playing = playing
        if not look:
            self._buttons.clear()
        if look != self._people:
            self._people, self._takeover = look, Takeover()

    # ---- on the hooks' thread

    def take(self, event: RawEvent) -> bool:
        """Note an event; return whether it must be hidden from the game."""
        if event.message:
            self._waiting.append((event, "", None))
            return False
        name = name_of(event.virtual, extended=event.extended)
        if event.up:
            self._down.pop(name, None)
            self._note_modifier(name, event)
            self._waiting.append((event, name, None))
            hidden = name in self._hidden
            self._hidden.discard(name)
            return hidden
        last_ns, self._down[name] = self._down.get(name), event.at_ns
        if name and last_ns is not None and event.at_ns - last_ns < _REPEATS_NS:
            return name in self._hidden  # the keyboard repeats a held key
        self._hidden.discard(name)
        self._note_modifier(name, event)
        chord = None if event.own else self._match(name)
        self._waiting.append((event, name, chord))
        if chord is not None and chord.name != "start":
            self._hidden.add(name)
            return True
        return False

    def _note_modifier(self, name: str, event: RawEvent) -> None:
        if name in MODIFIERS and not event.own:
            (self._human_modifiers.discard if event.up else self._human_modifiers.add)(name)

    def _match(self, name: str) -> Chord | None:
        down = frozenset(self._human_modifiers)
        return next((chord for chord in self._chords if chord.key == name and chord.fits(down)), None)

    # ---- on the broker's

    def judge(self, now_ns: int) -> list[Heard]:
        """Return the news about all events noted so far, in order."""
        heard: list[Heard] = []
        while self._waiting:
            event, name, chord = self._waiting.popleft()
            if chord is not None:
                self._takeover.hotkey()
                heard.append(HotkeyHeard(name=chord.name, text=chord.text, at_ns=event.at_ns))
                continue
            news = self._mouse(event) if event.message else self._key(event, name)
            if news is not None:
                heard.append(news)
        if self._people and not self._playing:
            modifier = self._takeover.modifier_meant(now_ns)
            if modifier is not None and self._focus.holder() is FocusHolder.GAME:
                heard.append(HumanInput(text=f"You held {modifier} in the game.", at_ns=now_ns))
        return heard

    def next_deadline_ns(self) -> int | None:
        return self._takeover.next_deadline_ns() if self._people else None

    def _key(self, event: RawEvent, name: str) -> HumanInput | None:
        if event.own:
            return None
        if event.up and name in MODIFIERS:
            self._takeover.modifier_released(name)
        if not self._people or (event.up and not self._playing) or not self._in_game():
            return None
        deed = InputEvent(kind="key_up" if event.up else "key_down", key=name or UNKNOWN_KEY)
        if not self._playing and name in self._leading:
            self._takeover.modifier_pressed(name, event.at_ns)
            return None
        text = "" if event.up else f"{_who(event)} pressed {name or 'a key'} in the game."
        return HumanInput(text=text, at_ns=event.at_ns, event=deed)

    def _mouse(self, event: RawEvent) -> HumanInput | None:
        before, self._pointer = self._pointer, (event.x, event.y)
        if event.own or not self._people:
            return None
        if event.message == _MOVE:
            return None if event.injected else self._moved(event, before or (event.x, event.y))
        if event.message in _UP:
            return self._let_go(event, _UP[event.message])
        if not self._focus.is_over_game(event.x, event.y):
            return None
        place = self._focus.inside(event.x, event.y)
        if event.message in _DOWN:
            self._buttons.add(_DOWN[event.message])
            deed = InputEvent(kind="mouse_down", button=_DOWN[event.message], x=place[0], y=place[1])
            did = "clicked in"
        elif event.message in (_WHEEL, _SIDEWAYS):
            notches = round(event.data / _NOTCH)
            dx, dy = (0, -notches) if event.message == _WHEEL else (notches, 0)
            deed = InputEvent(kind="scroll", x=place[0], y=place[1], dx=dx, dy=dy)
            did = "turned the wheel over"
        else:
            return None
        return HumanInput(text=f"{_who(event)} {did} the game.", at_ns=event.at_ns, event=deed)

    def _moved(self, event: RawEvent, before: tuple[int, int]) -> HumanInput | None:
        dx, dy = event.x - before[0], event.y - before[1]
        if self._playing:
            if not (dx or dy) or not self._in_game() or not self._focus.is_over_game(event.x, event.y):
                return None
            x, y = self._focus.inside(event.x, event.y)
            moved = InputEvent(kind="mouse_move", x=x, y=y, dx=dx, dy=dy)
            return HumanInput(text="", at_ns=event.at_ns, event=moved)
        if not self._takeover.moved(math.hypot(dx, dy), event.at_ns):
            return None
        self._takeover.stopped_moving()
        if not self._focus.is_over_game(event.x, event.y):
            return None
        return HumanInput(text="You moved the mouse over the game.", at_ns=event.at_ns)

    def _let_go(self, event: RawEvent, button: Button) -> HumanInput | None:
        """Report that a button came up that a person had pressed in the game."""
        if button not in self._buttons:
            return None
        self._buttons.discard(button)
        over = self._focus.is_over_game(event.x, event.y)
        x, y = self._focus.inside(event.x, event.y) if over else (None, None)
        up = InputEvent(kind="mouse_up", button=button, x=x, y=y)
        return HumanInput(text="", at_ns=event.at_ns, event=up) if self._playing else None

    def _in_game(self) -> bool:
        return self._focus.holder() is FocusHolder.GAME


def _who(event: RawEvent) -> str:
    return "Another program" if event.injected else "You"
