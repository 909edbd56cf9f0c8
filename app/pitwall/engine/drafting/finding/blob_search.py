"""Finds the field that follows a moving thing: a colour and a box that distinguish it from all else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.geometry import Rect
from pitwall.engine.drafting.finding.moving_colours import TOLERANCE, MovingKind, colours_of
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.perception.frame_view import Patch
from pitwall.games.schema.fields import BlobField, Colour

LEAST_RANGE = 0.05
"""Least share of the screen's side that a thing moves over."""
_LOOKED, _LINES = 20, 11
"""Number of stills examined, and of lines along each axis on which a box may begin or end."""
_LEAST_FOUND, _LEAST_INSIDE = 0.75, 0.5
"""Least share of the stills with the thing in the box that find it, and of all stills that have it there."""
_ROOM = 0.1
"""Worth of a box of the whole screen, against 1 for finding the thing in every still."""
_MARGIN = 0.5
"""Worth of finding it with twice the tolerance too: then nothing similar is near."""

Lines = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Followed:
    """A field, and the share of the stills with its thing in its box in which it finds the thing."""

    read: BlobField
    share: float


@dataclass(frozen=True, slots=True)
class _Boxed:
    box: Rect
    worth: float
    share: float


def follow(kind: MovingKind, minute: PlayedMinute) -> Followed | None:
    """Return the field that follows a kind of thing; None if no colour and box distinguish it."""
    stills = sorted(kind.places)
    looked = sorted({stills[round(at)] for at in np.linspace(0, len(stills) - 1, _LOOKED)})
    rects = [kind.places[at].scaled(1 / minute.scale, 1 / minute.scale) for at in looked]
    colours = [(colour, max(4, pixels // 3)) for colour, pixels in colours_of(kind, minute)]
    seen = [_patches(colours, minute, at) for at in looked]
    lines = _lines(kind, minute)
    best: tuple[float, Followed] | None = None
    for each, (colour, least) in enumerate(colours):
        near, loose = (
            _boxed([patches[each][part] for patches in seen], rects, lines, minute) for part in (0, 1)
        )
        if near is None or near.share < _LEAST_FOUND:
            continue
        worth = near.worth + _MARGIN * (loose.worth if loose is not None else 0.0)
        if best is None or worth > best[0]:
            best = worth, Followed(_field(colour, least, near.box), near.share)
    return best[1] if best is not None else None


def _patches(
    colours: Sequence[tuple[Colour, int]], minute: PlayedMinute, at: int
) -> list[tuple[list[Patch], list[Patch]]]:
    """Return the patches of each colour in a still, by the tolerance and by twice it."""
    view = minute.view(at)

    def large(colour: Colour, least: int, tolerance: int) -> list[Patch]:
        return [patch for patch in view.patches(None, colour, tolerance) if patch.area_px >= least]

    return [
        (large(colour, least, TOLERANCE), large(colour, least, 2 * TOLERANCE)) for colour, least in colours
    ]


def _field(colour: Colour, least: int, box: Rect) -> BlobField:
    return BlobField(
        kind="blob",
        name="thing",
        unit="px",
        box=rect_box(box),
        colour=colour,
        tolerance=TOLERANCE,
        least_px=least,
        value="x",
    )


def _lines(kind: MovingKind, minute: PlayedMinute) -> tuple[Lines, Lines]:
    """Return where a box may begin and end along x and y, in screen pixels: around the motion, or wider."""
    sides = (
        np.array([(place.x, place.y, place.right, place.bottom) for place in kind.places.values()])
        / minute.scale
    )
    low, high = np.quantile(sides[:, :2], 0.02, axis=0) - 2, np.quantile(sides[:, 2:], 0.98, axis=0) + 2
    middles = (sides[:, :2] + sides[:, 2:]) / 2
    ranges = np.ptp(np.quantile(middles, [0.05, 0.95], axis=0), axis=0)
    made = []
    for axis, side in enumerate((minute.screen.width, minute.screen.height)):
        even = np.linspace(0, side, _LINES if ranges[axis] > LEAST_RANGE * side else 0)
        made.append(np.unique(np.clip([low[axis], high[axis], *even], 0, side).round().astype(np.int64)))
    return made[0], made[1]


def _boxed(
    seen: Sequence[Sequence[Patch]],
    rects: Sequence[Rect],
    lines: tuple[Lines, Lines],
    minute: PlayedMinute,
) -> _Boxed | None:
    """Return the box between lines in which a colour's largest patch is the thing in most stills."""
    xs, ys = lines
    left, right = np.triu_indices(len(xs), 1)
    top, bottom = np.triu_indices(len(ys), 1)
    shape = len(left), len(top)
    has, hits = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for patches, rect in zip(seen, rects, strict=True):
        inside = np.outer(
            (xs[left] <= rect.x + rect.width / 2) & (rect.x + rect.width / 2 < xs[right]),
            (ys[top] <= rect.y + rect.height / 2) & (rect.y + rect.height / 2 < ys[bottom]),
        )
        has += inside
        own = max(
            (patch for patch in patches if _on(patch, rect)), key=lambda patch: patch.area_px, default=None
        )
        if own is None:
            continue
        larger = [patch.rect for patch in patches if patch.area_px > 0.9 * own.area_px and patch is not own]
        sums = np.pad(_cells(larger, lines).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        columns = sums[right] - sums[left]
        hits += inside & (columns[:, bottom] - columns[:, top] == 0)
    share, of = hits / np.maximum(1, has), hits / len(seen)
    room = np.outer(xs[right] - xs[left], ys[bottom] - ys[top]) / (minute.screen.width * minute.screen.height)
    worth = np.where(has >= _LEAST_INSIDE * len(seen), of * share + _ROOM * room, 0.0)
    across, down = map(int, np.unravel_index(int(worth.argmax()), shape))
    if not hits[across, down]:
        return None
    x, y = int(xs[left[across]]), int(ys[top[down]])
    box = Rect(x, y, int(xs[right[across]]) - x, int(ys[bottom[down]]) - y)
    return _Boxed(box, float((of * share)[across, down]), float(share[across, down]))


def _cells(rects: Sequence[Rect], lines: tuple[Lines, Lines]) -> Lines:
    """Return 1 in the cells between lines that a rectangle overlaps: (along x, along y)."""
    xs, ys = lines
    cells = np.zeros((len(xs), len(ys)), np.int64)
    for rect in rects:
        x = np.searchsorted(xs, [rect.x, rect.right - 1], "right") - 1
        y = np.searchsorted(ys, [rect.y, rect.bottom - 1], "right") - 1
        if x[1] >= 0 and y[1] >= 0:
            cells[max(0, x[0]) : x[1] + 1, max(0, y[0]) : y[1] + 1] = 1
    return cells


def _on(patch: Patch, rect: Rect) -> bool:
    return max(rect.x - patch.x, patch.x - rect.right, rect.y - patch.y, patch.y - rect.bottom) <= 2
