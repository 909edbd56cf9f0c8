"""Reads the hopper's world from pixels alone: where it is, how it flies, which ledge it should land on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""

_SIZE = (440, 620)
_BAR = 42
_BODY, _STREAK = (51, 116, 255), (137, 180, 255)
_LEDGES: dict[str, Colour] = {"solid": (126, 199, 67), "moving": (255, 163, 74), "brittle": (102, 160, 217)}
_SPRING = (134, 61, 255)
_TOLERANCE = 12
_LEAST_PX, _LEAST_WIDE = 30, 40
_STREAK_S = 1 / 16
_GRAVITY, _SPEED = 1500.0, 300.0
_FEET = 33
"""From the body's top, without the ears, to its feet."""
_MARGIN_PX, _LATE_S = 8.0, 0.07
"""A ledge counts as reachable with this to spare; time that turning round and reacting take."""
_SPRING_PX = 260.0
"""Height that a spring is worth."""
_COVERED_PX = 170.0
"""A ledge so little above another is landed on first."""


@dataclass(frozen=True)
class Ledge:
    """A ledge's middle, its top and what it is worth: its height, more with a spring."""

    x: float
    y: float
    worth: float


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the hopper's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        view = np.ascontiguousarray(pixels[_BAR:, :, :3])
        body = _largest(_patches(view, _BODY))
        if body is None:
            return {}
        x, feet = body[0] + body[2] / 2, float(body[1] + body[3])
        rise = _rise(view, x, feet)
        ledges = _ledges(view)
        target = _target(x, feet, rise, ledges)
        fields: dict[str, Value] = {"x": x, "y": feet, "rise": round(rise), "ledges": len(ledges)}
        if target is not None:
            fields |= {"target_x": target.x, "target_y": target.y, "off": round(_off(x, target.x), 1)}
        return fields


def _mask(view: Pixels, colour: Colour) -> Pixels:
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    return np.asarray(cv2.inRange(view, np.clip(low, 0, 255), np.clip(high, 0, 255)), np.uint8)


def _patches(view: Pixels, colour: Colour) -> list[tuple[int, int, int, int]]:
    """Return left, top, width, height in the window of a colour's patches."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(_mask(view, colour))
    patches = (tuple(int(value) for value in stats[number]) for number in range(1, count))
    return [(left, top + _BAR, width, high) for left, top, width, high, area in patches if area >= _LEAST_PX]


def _largest(patches: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int] | None:
    return max(patches, key=lambda patch: patch[2] * patch[3], default=None)


def _rise(view: Pixels, x: float, feet: float) -> float:
    """Return pixels a second upwards, by the streak: below the feet while it rises, above while it falls."""
    column = _mask(view[:, max(0, min(_SIZE[0] - 1, round(x)))][:, None], _STREAK)[:, 0] > 0
    below = np.count_nonzero(column[max(0, round(feet) - _BAR) :])
    above = np.count_nonzero(column[: max(0, round(feet) - _BAR - 40)])
    return float(below if below >= above else -above) / _STREAK_S


def _ledges(view: Pixels) -> list[Ledge]:
    """Return the ledges in sight; a spring counts where no ledge keeps the hopper from coming down on it."""
    springs = [(left + width / 2, top) for left, top, width, _ in _patches(view, _SPRING)]
    patches = [patch for colour in _LEDGES.values() for patch in _patches(view, colour)]
    places = [(left + width / 2, float(top)) for left, top, width, _ in patches if width >= _LEAST_WIDE]
    ledges = []
    for x, y in places:
        sprung = any(abs(spring_x - x) < 20 and -30 < top - y < 5 for spring_x, top in springs)
        covered = any(0 < y - other_y < _COVERED_PX and abs(_off(x, other)) < 80 for other, other_y in places)
        ledges.append(Ledge(x, y, -y + _SPRING_PX * (sprung and not covered)))
    return ledges


def _target(x: float, feet: float, rise: float, ledges: list[Ledge]) -> Ledge | None:
    """Return the best ledge that it comes down on in time; the nearest below where there is none."""
    reachable = []
    for ledge in ledges:
        above = feet - ledge.y
        under_root = rise * rise - 2 * _GRAVITY * above
        if under_root < 0:
            continue
        left_s = (rise + math.sqrt(under_root)) / _GRAVITY - _LATE_S
        if abs(_off(x, ledge.x)) <= _SPEED * max(0.0, left_s) + _MARGIN_PX:
            reachable.append(ledge)
    below = [ledge for ledge in ledges if ledge.y > feet]
    return max(
        reachable,
        key=lambda ledge: ledge.worth,
        default=min(below, key=lambda ledge: abs(_off(x, ledge.x)), default=None),
    )


def _off(x: float, other: float) -> float:
    """Return the way from x to another place, across the sides where that is shorter."""
    return (other - x + _SIZE[0] / 2) % _SIZE[0] - _SIZE[0] / 2
