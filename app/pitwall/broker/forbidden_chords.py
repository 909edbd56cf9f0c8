"""Combinations that never reach a game: they end it, leave it, or are the operator's own."""

from __future__ import annotations

from collections.abc import Iterable

from pitwall.core.input_settings import HotkeySettings
from pitwall.core.keys import parse_chord

Combination = frozenset[str]


def operators_combinations(hotkeys: HotkeySettings) -> tuple[Combination, ...]:
    """Return the operator's hotkeys as combinations; the stop key counts under any modifiers."""
    stop, *others = (parse_chord(text) for text in (hotkeys.stop, hotkeys.pause, hotkeys.overlay))
    return (frozenset((stop[1],)), *(frozenset((*modifiers, key)) for modifiers, key in others))


def is_forbidden(down: frozenset[str], combinations: Iterable[Combination]) -> bool:
    """Return whether these keys and buttons, down together, make a forbidden combination.

    The order of the presses does not matter: F4 held and then Alt is Alt+F4 as well. Anything with
    Meta, and anything beside Control and Alt together, is forbidden too.
    """
    if "Meta" in down:
        return True
    if "Control" in down and "Alt" in down and len(down) > 2:
        return True
    return any(combination <= down for combination in combinations)
