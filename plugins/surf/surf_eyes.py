"""Reads the sea from pixels alone: the board, what to avoid and to take, and where the way leads on."""

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

_SIZE = (480, 600)
_BAR = 42
_BOARD: Colour = (63, 210, 255)
_HEART: Colour = (111, 71, 239)
_DANGERS: dict[str, Colour] = {"rock": (115, 95, 91), "reef": (79, 86, 194), "log": (47, 90, 138)}
_GIFTS: dict[str, Colour] = {
    "shell": (224, 201, 255),
    "heart": (110, 61, 255),
    "gust": (207, 242, 82),
    "ramp": (228, 240, 245),
}
_WORTH = {"shell": 60.0, "heart": 200.0, "gust": 50.0, "ramp": 30.0}
_TOLERANCE, _LEAST_PX = 10, 60
_BOARD_Y = 190
_NEAR, _FAR = -24, 330
"""Things so far down count."""
_BESIDE, _TAKEN = 20, 16
"""Pixels beside a danger's side that keep clear of it; from a gift's middle where it is taken."""
_SIDEWAYS = 0.7
"""Pixels to the side that the board rides for each pixel down."""
_AT_ONCE = 16.0
"""Pixels to the side that it may ride before it has passed what lies beside it."""
_PLACES = range(20, 461, 8)


@dataclass(frozen=True)
class Thing:
    """Something in the sea: its middle, half its width, how far down it lies, and what it is worth."""

    kind: str
    x: float
    half: float
    ahead: float

    @property
    def harms(self) -> bool:
        return self.kind in _DANGERS


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the sea's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        view = np.ascontiguousarray(pixels[..., :3])
        hearts = len(_patches(np.ascontiguousarray(view[: _BAR - 2, 390:]), _HEART))
        sea = np.ascontiguousarray(view[_BAR:])
        boards = _patches(sea, _BOARD)
        if not boards:
            return {"hearts": hearts}
        left, _, width, _ = max(boards, key=lambda patch: patch[2] * patch[3])
        x = left + width / 2
        things = [
            Thing(kind, left + width / 2, width / 2, ahead)
            for kind, colour in (_DANGERS | _GIFTS).items()
            for left, top, width, high in _patches(sea, colour)
            if _NEAR < (ahead := top + high / 2 + _BAR - _BOARD_Y) < _FAR
        ]
        in_way = [
            thing.ahead for thing in things if thing.harms and abs(thing.x - x) < thing.half + _BESIDE - 4
        ]
        aim = min(_PLACES, key=lambda place: _cost(x, place, things))
        return {
            "hearts": hearts,
            "x": x,
            "things": sum(thing.harms for thing in things),
            "rock_ahead": round(min(in_way)) if in_way else None,
            "aim": aim,
            "off": round(aim - x, 1),
        }


def _patches(view: Pixels, colour: Colour) -> list[tuple[int, int, int, int]]:
    """Return left, top, width, height of a colour's patches, in the view's own pixels."""
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    mask = cv2.inRange(view, np.clip(low, 0, 255), np.clip(high, 0, 255))
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    patches = (tuple(int(value) for value in stats[number]) for number in range(1, count))
    return [(left, top, width, tall) for left, top, width, tall, area in patches if area >= _LEAST_PX]


def _cost(x: float, place: float, things: list[Thing]) -> float:
    """Return how bad it is to steer from x to a place: what is hit on the way, less what is taken."""
    cost = 0.3 * abs(place - x) + 0.06 * abs(place - _SIZE[0] / 2)
    for thing in things:
        sideways = min(abs(place - x), max(_AT_ONCE, _SIDEWAYS * (thing.ahead - 10)))
        off = abs(x + math.copysign(sideways, place - x) - thing.x)
        if thing.harms and off < thing.half + _BESIDE:
            cost += 1000 - 2 * thing.ahead
        elif not thing.harms and off < _TAKEN:
            cost -= _WORTH[thing.kind]
    return cost
