"""Finds bars: long areas of a HUD whose coloured part grows and shrinks."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from pitwall.core.geometry import Rect
from pitwall.engine.drafting.field_guesses import guess_bar
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.engine.perception.colour_fields import read_bar
from pitwall.games.drafting.draft import identifier
from pitwall.games.schema.fields import BarField

_LONG = 2.0
_THICK = (3, 48)
_STILLS = 24
_LEAST_RANGE = 10.0
"""Least range of a bar's readings, in percent."""
_LEAST_FULL, _LEAST_LEVELS = 40.0, 4
"""Least maximum in percent, and least number of different levels (of 5 %)."""
_MOST = 8


def find_bars(minute: PlayedMinute) -> Iterator[list[Proposal] | None]:
    """Find the bars; None while a turn passes, then the list."""
    made: list[Proposal] = []
    for rect in _places(minute):
        bar = _bar(minute, rect, identifier("bar", frozenset(other.name for other in made)))
        made += [bar] if bar is not None else []
        yield None
    yield made


def _places(minute: PlayedMinute) -> list[Rect]:
    """Return long areas that changed, extended along their own colours."""
    changed = (minute.changes > 0).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=8)
    places = []
    for at in range(1, count):
        x, y, width, height, area = (int(part) for part in stats[at])
        thick, long = min(width, height), max(width, height)
        if _THICK[0] <= thick <= _THICK[1] and long >= _LONG * thick and area >= 0.7 * width * height:
            places.append(_lengthened(minute, Rect(x, y, width, height)))
    return sorted(places, key=lambda rect: -rect.width * rect.height)[:_MOST]


def _lengthened(minute: PlayedMinute, rect: Rect) -> Rect:
    """Return the area extended both ways as far as its rows (or columns) keep its colours."""
    pixels = minute.frame(len(minute) // 2).astype(np.int16)
    across = rect.width >= rect.height
    lines = pixels[rect.y : rect.bottom] if across else pixels[:, rect.x : rect.right].transpose(1, 0, 2)
    middle = lines[lines.shape[0] // 2]
    first, last = (rect.x, rect.right) if across else (rect.y, rect.bottom)
    ends = (middle[first], middle[last - 1])

    def continues(at: int) -> bool:
        return any(np.abs(middle[at] - end).max() < 24 for end in ends)

    even = np.abs(lines - middle[None]).max(axis=(0, 2)) < 48
    while first > 0 and even[first - 1] and continues(first - 1):
        first -= 1
    while last < len(middle) and even[last] and continues(last):
        last += 1
    long = last - first
    if long > 0.9 * len(middle):  # the background itself
        return rect
    return Rect(first, rect.y, long, rect.height) if across else Rect(rect.x, first, rect.width, long)


def _bar(minute: PlayedMinute, rect: Rect, name: str) -> Proposal | None:
    box = rect_box(rect)
    places = sorted({round(at) for at in np.linspace(0, len(minute) - 1, _STILLS)})
    guesses = []
    for at in places:
        crop = minute.frame(at)[rect.y : rect.bottom, rect.x : rect.right]
        guess = guess_bar(crop, box, name) if crop.size else None
        if guess is not None and isinstance(guess.field, BarField):
            guesses.append(guess.field)
    if len(guesses) < 0.6 * len(places):
        return None
    directions = [guess.direction for guess in guesses]
    common = max(set(directions), key=directions.count)
    read = next(guess for guess in guesses if guess.direction == common)
    values = []
    for at in places:
        value = read_bar(read, minute.view(at)).value
        values.append(float(value) if isinstance(value, int | float) else 0.0)
    low, high = min(values), max(values)
    levels = len({round(value / 5) for value in values})
    if high - low < _LEAST_RANGE or high < _LEAST_FULL or levels < _LEAST_LEVELS:
        return None
    steps = np.diff(values)
    small_steps = float((np.abs(steps) <= 0.4 * (high - low)).mean())
    if small_steps < 0.7:  # it comes and goes
        return None
    agreed = sum(guess.direction == common and guess.colour == read.colour for guess in guesses)
    return Proposal(
        role="bar",
        name=name,
        box=box,
        confidence=min(0.95, (0.5 + 0.5 * small_steps) * len(guesses) / len(places)),
        why=f"looks like a bar in {len(guesses)} of {len(places)} pictures ({agreed} of one colour), grows "
        f"{common}, read from {low:.0f} to {high:.0f} %.",
        field=read,
        pictures={},
    )
