"""Texts as the memory compares them: normalised, cut into tokens; and a state put into words (SPEC §3)."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from pitwall.core.observations import GameStatus, Value

MOST_TOKENS = 40
"""Longest summary of a state."""
_SYMBOLS = frozenset("$+<=>^`|~")
_SHORT_WORDS, _SHORT_LENGTH, _LONG_WORDS = 3, 24, 8
_PLACES = {"px": 64, "pixels": 64, "tiles": 8, "cells": 8}
"""Units of coordinates, and how many of them one bucket holds."""
_EXACT = "exact"
"""Stands for the unit of a coordinate that is told exactly."""
_FLEETING = frozenset(
    {*_PLACES, "px/frame", "px/s", "tiles/s", "frames", "turns", "steps", "ms", "s", "deg", "°"}
)
_PLACE_NAMES = ("_x", "_y", "_dx", "_dy", "_steps")


def normalise(text: str) -> str:
    """Lower case, punctuation stripped, white space collapsed.

    Punctuation is whatever Unicode calls so, and ASCII's symbols; the underscore, which joins the words of
    one name, is none. Control characters and halves of surrogate pairs count as white space.
    """
    if text.isascii():
        return " ".join(text.translate(_ASCII).lower().split())
    lower = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    return " ".join("".join(map(_kept, lower)).split())


@lru_cache(maxsize=4096)
def _kept(char: str) -> str:
    """Return a character, a blank in its place, or nothing."""
    kind = unicodedata.category(char)
    if char in _SYMBOLS or (kind.startswith("P") and char != "_") or kind == "Cf":
        return ""
    return " " if kind.startswith("C") else char


_ASCII = {code: _kept(chr(code)) for code in range(128)}


def tokens(text: str) -> list[str]:
    """Return the words of a text in order, with repetitions."""
    return normalise(text).split()


def state_summary(
    values: Mapping[str, Value],
    status: GameStatus | str,
    units: Mapping[str, str],
    *,
    fields: Collection[str] | None = None,
    key: Sequence[str] = (),
) -> str:
    """Describe a state, so coarsely that similar states share a text: "playing facing_left wood_4".

    Each fact is one word that begins with the field's name, so that no word belongs to two fields. Facts are
    the status, true fields, short texts and numbers. A share (unit %) is empty, low, half, high or full (up
    to 0, below 34, below 67, below 100, 100 and more). A number is 1, 2, 3, then the power of two at or below
    it (4 means 4 to 7); between 0 and 1 it is "part"; coordinates are rounded to squares of 64 px or 8 tiles.
    False, zero and unread fields are left out.

    Coordinates, speeds, durations and longer texts change with every frame, so they are included only if
    `fields` names them. If there are more than `MOST_TOKENS` words, those of `fields` are preferred.

    Args:
        values: the state reader's fields.
        units: units of the fields that have one.
        fields: fields that the profile's progress rules use.
        key: the only fields that count, coordinates among them exactly (`knowledge.state_key`); empty: all.
    """
    named = frozenset(key or fields or ())
    if key:
        values = {name: values.get(name) for name in key}
        units = {name: _EXACT if unit in _PLACES else unit for name, unit in units.items()}
    words = {name: _field(name, value, units.get(name, ""), name in named) for name, value in values.items()}
    order = sorted(words, key=lambda name: name not in named)
    words_kept = [str(status), *(word for name in order for word in words[name])][:MOST_TOKENS]
    kept = set(words_kept)
    spoken = [str(status), *(word for name in words for word in words[name] if word in kept)]
    return normalise(" ".join(dict.fromkeys(spoken)))


def _field(name: str, value: Value, unit: str, named: bool) -> tuple[str, ...]:
    if name == "status" or value is None or value is False:
        return ()
    if value is True:
        return (name,)
    if isinstance(value, str):
        return tuple(_text(name, value, named))
    if not named and (unit in _FLEETING or name in ("x", "y") or name.endswith(_PLACE_NAMES)):
        return ()
    return tuple(_number(name, value, unit))


def _text(name: str, value: str, named: bool) -> Iterator[str]:
    words = tokens(value[: 64 * _LONG_WORDS])
    if not named and (len(words) > _SHORT_WORDS or len(value) > _SHORT_LENGTH):
        return
    yield from (f"{name}_{word}" for word in words[:_LONG_WORDS])


def _number(name: str, value: int | float, unit: str) -> Iterable[str]:
    if isinstance(value, float) and not math.isfinite(value):
        return ()
    if unit == "%":
        return (f"{name}_{_share(value)}",)
    sign = "minus_" if value < 0 else ""
    size = abs(value)
    if unit == _EXACT or unit in _PLACES:
        bucket = _PLACES.get(unit, 1)
        return (f"{name}_{sign}{int(size) // bucket * bucket}",)
    if size == 0:
        return ()
    if size < 1:
        return (f"{name}_{sign}part",)
    whole = int(size)
    return (f"{name}_{sign}{whole if whole < 4 else 1 << (whole.bit_length() - 1)}",)


def _share(percent: int | float) -> str:
    if percent <= 0:
        return "empty"
    if percent < 34:
        return "low"
    if percent < 67:
        return "half"
    return "high" if percent < 100 else "full"
