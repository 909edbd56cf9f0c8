"""Actions that type a line: its letters one after another, then Enter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pitwall.core.actions import Argument, InputEvent, TimedEvent
from pitwall.core.errors import IllegalAction
from pitwall.core.keys import CHARACTER_KEYS, canonical_key

ENTER = "Enter"
MOST_LETTERS = 60
"""Default length limit of a text parameter."""

_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_UNTYPED = frozenset("'\"\\")
"""Characters that would end the quotes around a text in a model's reply."""


def names_in(line: str) -> list[str]:
    """Return the names of the parameters in a line."""
    return _NAME.findall(line)


def letters(keys: frozenset[str]) -> tuple[str, ...]:
    """Return the characters that can be typed with these keys."""
    return (*sorted(keys & CHARACTER_KEYS - _UNTYPED), *((" ",) if "Space" in keys else ()))


def filled(line: str, arguments: Mapping[str, Argument]) -> str:
    """Return the line with the values of its parameters."""
    return _NAME.sub(lambda name: str(arguments[name.group(1)]), line)


def as_text(action: str, name: str, value: Argument, most: int) -> str:
    """Return a text parameter's value in lower case, without spare blanks, of at most `most` letters (0: 60).

    A value of blanks alone becomes one blank, which is an empty line and no fault.

    Raises:
        IllegalAction: there is nothing to type, or too much.
    """
    text, longest = " ".join(str(value).lower().split()), most or MOST_LETTERS
    text = text or " " * bool(str(value))
    if not 1 <= len(text) <= longest:
        raise IllegalAction(f"{action}: {name} has 1 to {longest} letters, not {len(text)}.")
    return text


def keys_of(action: str, line: str, keys: frozenset[str]) -> list[str]:
    """Return the keys that type a line and send it.

    Raises:
        IllegalAction: a character has no key, or a key that may not be pressed.
    """
    typed = [*line, ENTER]
    strange = sorted({letter for letter in typed if _key(letter) not in keys})
    if strange:
        raise IllegalAction(f"{action}: the role cannot type {' '.join(strange)[:20]!r}.")
    return [_key(letter) for letter in typed]


def taps(keys: Iterable[str], *, hold_ms: float, gap_ms: float) -> Iterable[TimedEvent]:
    """Yield the events that press and release keys one after another."""
    at_ms = 0.0
    for key in keys:
        yield TimedEvent(at_ms=at_ms, event=InputEvent(kind="key_down", key=key))
        yield TimedEvent(at_ms=at_ms + hold_ms, event=InputEvent(kind="key_up", key=key))
        at_ms += hold_ms + gap_ms


def _key(character: str) -> str:
    try:
        return canonical_key(character)
    except KeyError:
        return ""
