"""Actions that type a line: its letters one after another, then Enter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pitwall.core.actions import Argument, InputEvent, TimedEvent
from pitwall.core.errors import IllegalAction
from pitwall.core.keys import CHARACTER_KEYS, canonical_key

ENTER = "Enter"
MOST_LETTERS = 60
"""Of a text parameter that says nothing else."""

_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_UNTYPED = frozenset("'\"\\")
"""Characters that would end the quotes around a text in a model's reply."""


def names_in(line: str) -> list[str]:
    """The parameters that a line takes."""
    return _NAME.findall(line)


def letters(keys: frozenset[str]) -> tuple[str, ...]:
    """Characters that a text may be written with where these keys may be pressed."""
    return (*sorted(keys & CHARACTER_KEYS - _UNTYPED), *((" ",) if "Space" in keys else ()))


def filled(line: str, arguments: Mapping[str, Argument]) -> str:
    """The line with its parameters."""
    return _NAME.sub(lambda name: str(arguments[name.group(1)]), line)


def as_text(action: str, name: str, value: Argument, most: int) -> str:
    """A text parameter's value: in lower case, without spare blanks, of at most `most` letters (0: 60).

    Of blanks alone one is left: that is a line which says nothing, and no fault.

    Raises:
        IllegalAction: there is nothing to type, or too much.
    """
    text, longest = " ".join(str(value).lower().split()), most or MOST_LETTERS
    text = text or " " * bool(str(value))
    if not 1 <= len(text) <= longest:
        raise IllegalAction(f"{action}: {name} has 1 to {longest} letters, not {len(text)}.")
    return text


def keys_of(action: str, line: str, keys: frozenset[str]) -> list[str]:
    """The keys that type a line and send it.

    Raises:
        IllegalAction: a character has no key, or one that may not be pressed.
    """
    typed = [*line, ENTER]
    strange = sorted({one for one in typed if _key(one) not in keys})
    if strange:
        raise IllegalAction(f"{action}: the role cannot type {' '.join(strange)[:20]!r}.")
    return [_key(one) for one in typed]


def taps(keys: Iterable[str], *, hold_ms: float, gap_ms: float) -> Iterable[TimedEvent]:
    """Keys pressed and released one after another."""
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
