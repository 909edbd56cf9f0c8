"""Finds things that move before the background in a played minute, and the colours that distinguish them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.finding.played_minute import PlayedMinute
from pitwall.games.schema.fields import Colour

TOLERANCE = 30
"""Greatest difference of a channel, in levels, from a thing's colour."""
_STANDS_OUT, _CHANGED = 45, 30
"""Least difference of a channel from the background, and from one still to the next, in levels."""
_LEAST_PX, _LEAST_CHANGED, _MOST_SHARE = 5, 0.15, 0.08
"""Least small pixels of a thing, least share of them that changes, and greatest share of the picture."""
_SAME_COLOUR, _MOST_PARTS = 40.0, 200
_CUT, _STRETCH = 0.4, 80
"""Share of the picture that changes with the screen, and most stills with the same background."""
_SAMPLES, _COLOURS, _BIN = 8, 4, 24

Values = NDArray[np.float32]


@dataclass(slots=True)
class MovingKind:
    """Things of one colour and similar size.

    Attributes:
        area: of a thing. places: still → place of the largest moving thing. Both in small pixels.
        shapes: still → its pixels there.
    """

    colour: Values
    area: float
    places: dict[int, Rect] = field(default_factory=dict)
    shapes: dict[int, NDArray[np.bool_]] = field(default_factory=dict)


def stretches(minute: PlayedMinute) -> list[range]:
    """Return runs of stills that show the same screen, each short enough for a common background."""
    begins = [0]
    for at in range(1, len(minute)):
        other = np.asarray(cv2.absdiff(minute.small[at], minute.small[at - 1])).max(axis=-1) > _CHANGED
        if other.mean() >= _CUT or at - begins[-1] >= _STRETCH:
            begins.append(at)
    return [range(*ends) for ends in zip(begins, [*begins[1:], len(minute)], strict=True)]


def moving_kinds(
    minute: PlayedMinute, runs: Sequence[range], hud: Sequence[Rect]
) -> Iterator[list[MovingKind] | None]:
    """Sort moving things into kinds; yield None at each turn, then the list, the commonest first.

    Args:
        hud: places of numbers and bars, which are ignored like the words of a run's own stills.
    """
    kinds: list[MovingKind] = []
    for run in runs:
        words = [line.box for at in run for line in minute.lines.get(at, ()) if line.text.isalpha()]
        covered = [minute.to_small(rect) for rect in [*hud, *words]]
        ground = np.median(minute.small[run.start : run.stop], axis=0).astype(np.uint8)
        for at in run:
            around = [minute.small[other] for other in (at - 1, at + 1) if other in run]
            if around:
                _sort(minute.small[at], ground, around, covered, kinds, at)
            yield None
    yield sorted(kinds, key=lambda kind: -len(kind.places))


def _sort(
    picture: Pixels,
    ground: Pixels,
    around: Sequence[Pixels],
    covered: Sequence[Rect],
    kinds: list[MovingKind],
    at: int,
) -> None:
    """Add the things of a still that differ from the background, and move, to their kinds."""
    out = (_difference(picture, ground) > _STANDS_OUT).astype(np.uint8)
    for rect in covered:
        out[rect.y : rect.bottom, rect.x : rect.right] = 0
    changed = np.max([_difference(picture, other) for other in around], axis=0) > _CHANGED
    count, labels, stats, _ = cv2.connectedComponentsWithStats(out, connectivity=8)
    if count > _MOST_PARTS:  # another screen
        return
    for label in np.argsort(-stats[1:, cv2.CC_STAT_AREA]) + 1:
        x, y, width, height, area = (int(part) for part in stats[label])
        if area < _LEAST_PX:
            break
        here = slice(y, y + height), slice(x, x + width)
        inside = labels[here] == label
        if area > _MOST_SHARE * out.size or changed[here][inside].mean() < _LEAST_CHANGED:
            continue
        colour = np.median(picture[here][inside], axis=0).astype(np.float32)
        kind = _kind_of(colour, area, kinds)
        if at not in kind.places:
            kind.places[at], kind.shapes[at] = Rect(x, y, width, height), inside
            kind.area += 0.1 * (area - kind.area)


def _difference(picture: Pixels, other: Pixels) -> Pixels:
    return np.asarray(np.asarray(cv2.absdiff(picture, other)).max(axis=-1), np.uint8)


def _kind_of(colour: Values, area: float, kinds: list[MovingKind]) -> MovingKind:
    for kind in kinds:
        if np.abs(kind.colour - colour).max() < _SAME_COLOUR and 0.4 < area / kind.area < 2.5:
            return kind
    kinds.append(MovingKind(colour, float(area)))
    return kinds[-1]


def colours_of(kind: MovingKind, minute: PlayedMinute) -> list[tuple[Colour, int]]:
    """Return a kind's main colours in full pictures, each with its number of pixels in a thing."""
    stills = sorted(kind.places)
    chosen = sorted({stills[round(at)] for at in np.linspace(0, len(stills) - 1, _SAMPLES)})
    pixels = np.concatenate([_pixels(kind, minute, at) for at in chosen]).astype(np.int16)
    colours: list[tuple[Colour, int]] = []
    while len(pixels) >= 4 * len(chosen) and len(colours) < _COLOURS:
        _, inverse, counts = np.unique(pixels // _BIN, axis=0, return_inverse=True, return_counts=True)
        centre = np.median(pixels[inverse.reshape(-1) == counts.argmax()], axis=0)
        near = np.abs(pixels - centre).max(axis=-1) <= TOLERANCE
        centre = np.median(pixels[near], axis=0)
        near |= np.abs(pixels - centre).max(axis=-1) <= TOLERANCE
        blue, green, red = (int(part) for part in centre)
        colours.append(((red, green, blue), int(near.sum()) // len(chosen)))
        pixels = pixels[~near]
    return colours


def _pixels(kind: MovingKind, minute: PlayedMinute, at: int) -> Pixels:
    """Return a thing's pixels in a full picture: (n, 3) BGR."""
    rect = kind.places[at].scaled(1 / minute.scale, 1 / minute.scale)
    rect = rect.clipped(minute.screen.width, minute.screen.height)
    crop = minute.frame(at)[rect.y : rect.bottom, rect.x : rect.right]
    shape = cv2.resize(kind.shapes[at].astype(np.uint8), crop.shape[1::-1], interpolation=cv2.INTER_NEAREST)
    return np.asarray(crop[np.asarray(shape) > 0], np.uint8)
