"""Reads the dodge maze from pixels alone: the places of things, and each figure's next safe move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .ways import COLUMNS, LANES, ROWS, Cell, Sweepers, next_move

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""

_SIZE = (600, 480)
_CELL, _TOP = 40, 40
_BESIDE = 13
"""Offset from a cell's middle at which a home shows beside the figure in it."""
_WALL = (125, 76, 69)
_SWEEPER = (255, 75, 200)
_SIGHT = (255, 255, 255)
_RADIUS_PX = 7.5
_LEAST_PX = 12
"""Size of a moving figure in every second pixel of every second row."""
_PIPS = ((20, 69), (20, 89), (20, 109))
_PIP = (226, 239, 241)
_LIVES = tuple((20, 492 + 22 * life) for life in range(5))
_LIFE = (138, 95, 242)
_CELLS_PER_S = (2.2, 2.8, 3.4)
_APART = 8.5
"""Cells between the two sweepers of a lane."""


@dataclass(frozen=True)
class _Look:
    """Colours of one figure."""

    body: Colour
    gem: Colour
    home: Colour


_ROLES = {
    "ember": _Look((61, 138, 255), (154, 194, 255), (29, 74, 143)),
    "frost": _Look((255, 193, 61), (255, 228, 169), (143, 95, 29)),
}


class Eyes:
    """Reads the dodge maze's window; it remembers the direction of each lane."""

    def __init__(self) -> None:
        self._ways: dict[int, int] = {}

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        frame, small = pixels[..., :3], np.ascontiguousarray(pixels[_TOP::2, ::2, :3])
        middles, corners = (_every_cell(frame, _CELL // 2 + off) for off in (0, _BESIDE))
        level = sum(_near(frame[at], _PIP) for at in _PIPS)
        if not level:
            return {}
        free = np.abs(middles - _WALL).max(2) >= 24
        sweepers = self._sweepers(small, _CELLS_PER_S[level - 1])
        values: dict[str, Value] = {"level": level, "lives": sum(_near(frame[at], _LIFE) for at in _LIVES)}
        for role in _ROLES:
            values |= self._figure(role, small, (middles, corners), free, sweepers)
        return values

    def _figure(
        self,
        role: str,
        small: Pixels,
        cells: tuple[NDArray[np.int_], NDArray[np.int_]],
        free: NDArray[np.bool_],
        sweepers: Sweepers,
    ) -> dict[str, Value]:
        look, (middles, corners) = _ROLES[role], cells
        at = _middle(small, look.body)
        if at is None:
            return {}
        home = next(iter(_cells(corners, look.home)), None)
        gems = _cells(middles, look.gem)
        values: dict[str, Value] = {
            f"{role}_x": at[0],
            f"{role}_y": at[1],
            f"{role}_gems_left": len(gems),
            f"{role}_home": not gems and at == home,
        }
        goals = gems or ([home] if home is not None else [])
        if goals and at != home:
            values[f"{role}_move"] = f"{role}_{next_move(free, sweepers, at, goals)}"
        return values

    def _sweepers(self, small: Pixels, cells_per_s: float) -> Sweepers:
        """Return each lane's sweepers and its direction, by the eyes of its sweepers."""
        places: dict[int, list[float]] = {}
        for lane in LANES:
            discs = _discs(small[lane * _CELL // 2 : (lane + 1) * _CELL // 2])
            looks = [look for _, look in discs if look]
            if looks:
                self._ways[lane] = 1 if sum(looks) > 0 else -1
            seen = [x for x, _ in discs]
            places[lane] = seen if len(seen) != 1 else [seen[0], seen[0] + _APART]
        return Sweepers(places, {lane: self._ways.get(lane, 1) for lane in LANES}, cells_per_s)


def _discs(band: Pixels) -> list[tuple[float, int]]:
    """Return a lane's discs, in cells of the board, and the direction each looks (0: no eye seen)."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(_mask(band, _SWEEPER, 24))
    discs = []
    for number in range(1, count):
        left, top, width, height, area = (int(value) for value in stats[number])
        if area < _LEAST_PX:
            continue
        right = left + width
        middle = (left + right) / 2
        if left == 0 and width < 2 * _RADIUS_PX - 1:
            middle = right - _RADIUS_PX
        elif 2 * right == _SIZE[0] and width < 2 * _RADIUS_PX - 1:
            middle = left + _RADIUS_PX
        eye = cv2.moments(_mask(band[top : top + height, left:right], _SIGHT, 24), binaryImage=True)
        look = 0 if eye["m00"] < 5 else (1 if left + eye["m10"] / eye["m00"] > middle else -1)
        discs.append((2 * middle / _CELL - 0.5, look))
    return discs


def _mask(frame: Pixels, colour: Colour, tolerance: int) -> Pixels:
    low, high = np.array(colour) - tolerance, np.array(colour) + tolerance
    mask = cv2.inRange(np.ascontiguousarray(frame), np.clip(low, 0, 255), np.clip(high, 0, 255))
    return np.asarray(mask, np.uint8)


def _middle(small: Pixels, colour: Colour) -> Cell | None:
    moments = cv2.moments(_mask(small, colour, 20), binaryImage=True)
    if moments["m00"] < 25:
        return None
    x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    return int(2 * x) // _CELL, int(2 * y) // _CELL


def _every_cell(frame: Pixels, at: int) -> NDArray[np.int_]:
    """Return the same pixel of each cell: (rows, columns, 3)."""
    return frame[_TOP + at :: _CELL, at::_CELL][:ROWS, :COLUMNS].astype(int)


def _cells(middles: NDArray[np.int_], colour: Colour) -> list[Cell]:
    return [(int(x), int(y)) for y, x in np.argwhere(np.abs(middles - colour).max(2) < 16)]


def _near(pixel: Pixels, colour: Colour) -> bool:
    return bool(np.abs(pixel.astype(int) - colour).max() < 24)
