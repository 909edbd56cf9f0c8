"""Reads the shaft from pixels alone: the miner, the planks, and where to walk to come down on a good one."""

from __future__ import annotations

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
_TOP = 64
_SUIT: Colour = (61, 177, 255)
_PLANKS: dict[str, Colour] = {"stone": (181, 143, 127), "brittle": (90, 143, 201), "spikes": (92, 67, 224)}
_TOLERANCE, _LEAST_PX, _LEAST_WIDE = 12, 40, 50
_HALF_PX, _FEET_PX, _BESIDE = 48, 6, 68.0
"""Half a plank; from the suit's foot to the feet; beyond a plank's middle the miner falls."""
_WALK, _FALL = 230.0, 340.0
"""Speeds, pixels a second."""
_BOTTOM, _DEEP = 600, 330
"""Planks below are not aimed at; deeper than this it waits on stone."""


@dataclass(frozen=True)
class Plank:
    """A plank's kind, its middle and its top."""

    kind: str
    x: float
    y: float


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the shaft's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        view = np.ascontiguousarray(pixels[_TOP:, :, :3])
        suit = max(_patches(view, _SUIT), key=lambda patch: patch[2] * patch[3], default=None)
        if suit is None:
            return {}
        x, feet = suit[0] + suit[2] / 2, float(suit[1] + suit[3] + _FEET_PX)
        planks = [
            Plank(kind, left + width / 2, float(top))
            for kind, colour in _PLANKS.items()
            for left, top, width, _ in _patches(view, colour)
            if width >= _LEAST_WIDE
        ]
        under = next((p for p in planks if abs(p.y - feet) < 7 and abs(p.x - x) < _BESIDE - 12), None)
        fields: dict[str, Value] = {"x": x, "y": feet, "stands": under is not None, "planks": len(planks)}
        aim = _aim(x, feet, under, planks)
        return fields | {"aim": aim, "off": None if aim is None else round(aim - x, 1)}


def _patches(view: Pixels, colour: Colour) -> list[tuple[int, int, int, int]]:
    """Return left, top, width, height in the window of a colour's patches."""
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    count, _, stats, _ = cv2.connectedComponentsWithStats(
        cv2.inRange(view, low.clip(0, 255), high.clip(0, 255))
    )
    patches = (tuple(int(value) for value in stats[number]) for number in range(1, count))
    return [(left, top + _TOP, width, high) for left, top, width, high, area in patches if area >= _LEAST_PX]


def _aim(x: float, feet: float, under: Plank | None, planks: list[Plank]) -> float | None:
    """Return where to go: over the best plank below, or to the end from which it is reached."""
    if under is not None and under.kind == "stone" and feet > _DEEP:
        return None
    below = [plank for plank in planks if feet + 8 < plank.y < _BOTTOM]
    ends = [x] if under is None else [under.x - _BESIDE, under.x + _BESIDE]
    ways = [
        (plank.y - feet + abs(end - x) + _cost(plank), plank.x if under is None else end)
        for plank in below
        for end in ends
        if 8 <= end <= _SIZE[0] - 8 and abs(plank.x - end) - _HALF_PX < _WALK * (plank.y - feet) / _FALL - 12
    ]
    return min(ways)[1] if ways else None


def _cost(plank: Plank) -> float:
    """Return how many pixels of way a plank's kind is worth avoiding."""
    if plank.kind == "spikes":
        return 400.0
    return (150.0 if plank.y > _DEEP + 50 else 15.0) * (plank.kind == "brittle")
