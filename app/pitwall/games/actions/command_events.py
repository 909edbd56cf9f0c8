"""The events of computer-use commands, in pixels of the profile's screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pitwall.core.actions import Argument, Button, InputEvent, TimedEvent
from pitwall.core.keys import canonical_key

Given = Mapping[str, Argument]
Events = Iterable[TimedEvent]
BUTTONS: tuple[Button, ...] = ("left", "right", "middle")
_DRAG_MOVES = 8


def _at(given: Given, x: str = "x", y: str = "y") -> tuple[int, int]:
    return int(given[x]), int(given[y])


def move_events(given: Given) -> Events:
    """Yield the move of the pointer to a place."""
    x, y = _at(given)
    yield TimedEvent(at_ms=0.0, event=InputEvent(kind="mouse_move", x=x, y=y))


def click_events(given: Given, hold_ms: float) -> Events:
    """Yield a click at a place, held for `hold_ms`."""
    x, y = _at(given)
    button = _button(given)
    yield from move_events(given)
    yield TimedEvent(at_ms=0.0, event=InputEvent(kind="mouse_down", button=button, x=x, y=y))
    yield TimedEvent(at_ms=hold_ms, event=InputEvent(kind="mouse_up", button=button, x=x, y=y))


def drag_events(given: Given, took_ms: float) -> Events:
    """Yield a drag from one place to another."""
    (x, y), (to_x, to_y), button = _at(given), _at(given, "to_x", "to_y"), _button(given)
    yield from move_events(given)
    yield TimedEvent(at_ms=0.0, event=InputEvent(kind="mouse_down", button=button, x=x, y=y))
    for number in range(1, _DRAG_MOVES + 1):
        part = number / _DRAG_MOVES
        px, py = round(x + (to_x - x) * part), round(y + (to_y - y) * part)
        yield TimedEvent(at_ms=took_ms * part, event=InputEvent(kind="mouse_move", x=px, y=py))
    yield TimedEvent(at_ms=took_ms, event=InputEvent(kind="mouse_up", button=button, x=to_x, y=to_y))


def scroll_events(given: Given) -> Events:
    """Yield turns of the wheel over a place."""
    x, y = _at(given)
    yield from move_events(given)
    dx, dy = int(given["dx"]), int(given["dy"])
    if dx or dy:
        yield TimedEvent(at_ms=0.0, event=InputEvent(kind="scroll", x=x, y=y, dx=dx, dy=dy))


def key_events(names: list[str], given: Given) -> Events:
    """Yield keys that are held together."""
    for name in names:
        yield TimedEvent(at_ms=0.0, event=InputEvent(kind="key_down", key=name))
    for name in reversed(names):
        yield TimedEvent(at_ms=float(given["hold_ms"]), event=InputEvent(kind="key_up", key=name))


def type_events(given: Given, letter_ms: int) -> Events:
    """Yield taps of letters, a letter every `letter_ms`."""
    for number, letter in enumerate(str(given["text"])):
        key, at_ms = canonical_key(letter), float(number * letter_ms)
        yield TimedEvent(at_ms=at_ms, event=InputEvent(kind="key_down", key=key))
        yield TimedEvent(at_ms=at_ms + letter_ms / 2, event=InputEvent(kind="key_up", key=key))


def _button(given: Given) -> Button:
    return next(button for button in BUTTONS if button == given["button"])
