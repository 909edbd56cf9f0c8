"""Reads the hive from pixels alone: what lies on its sides, what falls, how far to turn next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Columns = list[str]
"""Blocks of each lane, from the core outwards; one letter is one block's colour."""

_SIZE = (480, 560)
_MIDDLE, _CORE, _BLOCK, _ROWS, _LANES = (240, 302), 46, 17, 9, 6
_LIES = {
    "r": (226, 72, 106),
    "g": (238, 179, 43),
    "m": (47, 201, 143),
    "b": (63, 135, 230),
    "v": (164, 99, 234),
}
_FALLS = {
    "r": (255, 111, 139),
    "g": (255, 215, 94),
    "m": (95, 240, 184),
    "b": (111, 180, 255),
    "v": (207, 155, 255),
}
_COMB = (255, 181, 46)
_TOLERANCE = 10
_FAR = 250
_LEAST_PX = 6
"""Fewer pixels of a colour along a lane are no block."""
_TURN_S, _PACE = 0.24, 95.0
"""Time that a turn takes with its press; a block's usual pace, pixels a second."""
_GROUP, _HIGH = 3, 7


@dataclass(frozen=True)
class Falling:
    """A falling block: its colour, its lane, its distance from the core."""

    colour: str
    lane: int
    far: float


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the hive's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        if not _stands(pixels):
            return {"turning": True}
        columns = [_column(pixels, lane) for lane in range(_LANES)]
        falling = sorted(
            (block for lane in range(_LANES) for block in _falling(pixels, lane)), key=_soon(columns)
        )
        return {
            "turning": False,
            "sides": "/".join(columns),
            "falling": " ".join(f"{block.colour}@{block.lane}" for block in falling),
            "highest": max(map(len, columns)),
            "turns": _turns(columns, falling[0]) if falling else 0,
        }


def _ray(pixels: Pixels, angle: float, distances: NDArray[np.floating]) -> NDArray[np.int_]:
    """Return red, green, blue at distances from the middle; 0 degrees points up, clockwise."""
    radians = np.deg2rad(angle - 90)
    columns = np.rint(_MIDDLE[0] + distances * np.cos(radians)).astype(int)
    rows = np.rint(_MIDDLE[1] + distances * np.sin(radians)).astype(int)
    return np.asarray(pixels[rows, columns, 2::-1], np.int_)


def _like(points: NDArray[np.int_], colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(points - colour).max(-1) < _TOLERANCE, np.bool_)


def _stands(pixels: Pixels) -> bool:
    """Return whether the core's corners point between the lanes: it does not turn."""
    corner = np.array([_CORE / np.cos(np.pi / 6) - 2])
    return all(bool(_like(_ray(pixels, 60 * side + 30, corner), _COMB)[0]) for side in range(_LANES))


def _column(pixels: Pixels, lane: int) -> str:
    """Return what lies in a lane up to the first free place; vanishing blocks are left out."""
    points = _ray(pixels, 60 * lane, _CORE + _BLOCK * (np.arange(_ROWS, dtype=np.float64) + 0.5))
    column = ""
    for point in points:
        if point.min() > 240:
            continue
        colour = next((letter for letter, rgb in _LIES.items() if _like(point, rgb)), "")
        if not colour:
            break
        column += colour
    return column


def _falling(pixels: Pixels, lane: int) -> list[Falling]:
    points = _ray(pixels, 60 * lane, np.arange(_CORE, _FAR, dtype=float))
    blocks = []
    for colour, rgb in _FALLS.items():
        edges = np.flatnonzero(np.diff(np.concatenate([[0], _like(points, rgb), [0]])))
        starts, ends = edges[::2], edges[1::2]
        blocks += [
            Falling(colour, lane, float(start))
            for start, end in zip(starts, ends, strict=True)
            if end - start >= _LEAST_PX
        ]
    return blocks


def _soon(columns: Columns) -> Callable[[Falling], float]:
    """Return the key that sorts blocks by their way down."""
    return lambda block: block.far - _BLOCK * len(columns[block.lane])


def _turns(columns: Columns, block: Falling) -> int:
    """Return the turns, clockwise positive, that bring the best side under a block before it lands."""
    left_s = (block.far - _BLOCK * len(columns[block.lane])) / _PACE
    ways = [turns for turns in (0, -1, 1, -2, 2, 3) if abs(turns) * _TURN_S < left_s - 0.06]
    return max(
        ways,
        key=lambda turns: _worth(columns, (block.lane - turns) % _LANES, block.colour) - 0.5 * abs(turns),
        default=0,
    )


def _worth(columns: Columns, lane: int, colour: str) -> float:
    """Return how good it is that a block of a colour lands on a side."""
    own = columns[lane]
    row = len(own)
    group = _group([own + colour if at == lane else column for at, column in enumerate(columns)], lane, row)
    if group >= _GROUP:
        return 100.0 + 10 * group + 3 * row
    buries = row > 0 and own[-1] != colour and _group(columns, lane, row - 1) > 1
    return 14.0 * (group - 1) - row * row - 6 * buries - 200 * (row >= _HIGH)


def _group(columns: Columns, lane: int, row: int) -> int:
    """Return how many blocks of a colour hang together with a block."""
    places = [(lane, row)]
    for at, height in places:
        around = [
            (at, height + 1),
            (at, height - 1),
            ((at + 1) % _LANES, height),
            ((at - 1) % _LANES, height),
        ]
        places += [
            (near, high)
            for near, high in around
            if 0 <= high < len(columns[near])
            and columns[near][high] == columns[lane][row]
            and (near, high) not in places
        ]
    return len(places)
