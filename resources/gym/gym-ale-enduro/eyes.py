"""Enduro's state reader: from pixels alone, the road, the own car, and where on the road there is room.

Places on the road are told across it: -1 its left edge, 0 its middle, 1 its right edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Pixels, native

_FIRST_ROW, _OWN_ROW, _LAST_ROW = 62, 140, 154
_ROWS = tuple(range(_FIRST_ROW, _OWN_ROW - 7, 3))
_OWN_WIDTH, _LEAST_WIDTH, _EDGE_PX = (10, 20), 2, 3
_LANES = np.linspace(-0.6, 0.6, 9)
_ROOM = 0.62
"""So far across the road from another car's middle there is room."""
_LATE = 0.5
"""How much a car counts at the road's far end, beside one right ahead."""


class Car(NamedTuple):
    """Another car: where across the road, and how near, 0 at the horizon and 1 beside the own."""

    across: float
    near: float


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        cars_left=Digits(folder / "digits.txt", (80, 179, 104, 188), 0x000000),
    )


class Eyes:
    """Reads Enduro's window; it remembers where there was room."""

    def __init__(self) -> None:
        self._aim = 0.0
        self._own_x = 84.0

    def read(self, pixels: Pixels) -> Mapping[str, float | None]:
        """The fields of a frame."""
        picture = native(pixels)
        near = _edges(picture, _LAST_ROW - 2) or _edges(picture, _OWN_ROW + 6)
        self._own_x = _own(picture, near) or self._own_x
        if near is None:
            return {"own": None, "aim": 0.0}
        left, right = near
        own = (2 * self._own_x - left - right) / (right - left)
        cars = _cars(picture)
        self._aim = self._room(own, cars)
        ahead = max((car.near for car in cars if abs(car.across - own) < _ROOM), default=None)
        return {"own": own, "cars": float(len(cars)), "aim": self._aim, "ahead": ahead}

    def _room(self, own: float, cars: list[Car]) -> float:
        """Return where across the road to drive."""
        cost = 0.15 * np.abs(_LANES) + 0.25 * np.abs(_LANES - own) + 0.1 * np.abs(_LANES - self._aim)
        for car in cars:
            cost += np.maximum(0.0, _ROOM - np.abs(_LANES - car.across)) * (_LATE + 6 * car.near**2)
        return float(_LANES[int(cost.argmin())])


def _runs(picture: Native, row: int) -> list[tuple[int, int]]:
    """Return first and last column of all that is not ground in a row."""
    other = np.zeros(152, np.bool_)
    other[1:-1] = picture[row, 10:160] != picture[row, 9]
    seen = np.flatnonzero(other[1:] != other[:-1]).tolist()
    return [(10 + a, 9 + b) for a, b in zip(seen[::2], seen[1::2], strict=True)]


def _edges(picture: Native, row: int) -> tuple[float, float] | None:
    runs = _runs(picture, row)
    if len(runs) < 2:
        return None
    left, right = runs[0][0], runs[-1][1]
    return (left, right) if right - left > 40 else None


def _own(picture: Native, near: tuple[float, float] | None) -> float | None:
    low, high = near or (8, 160)
    spans = [
        (a + b) / 2
        for row in (_OWN_ROW + 4, _OWN_ROW + 6)
        for a, b in _runs(picture, row)
        if b - a + 1 >= 5 and low - 20 < a and b < high + 20
    ]
    return float(np.median(spans)) if spans else None


def _cars(picture: Native) -> list[Car]:
    cars: list[Car] = []
    for row in _ROWS:
        runs = _runs(picture, row)
        if len(runs) < 3:
            continue
        left, right = runs[0][0], runs[-1][1]
        wide = right - left
        inner = [one for one in runs[1:-1] if one[0] - left > _EDGE_PX and right - one[1] > _EDGE_PX]
        if not inner or wide < 8:
            continue
        near = (row - _FIRST_ROW + 6) / (_OWN_ROW - _FIRST_ROW)
        for a, b in inner:
            across = (a + b - left - right) / wide
            if b - a + 1 >= _LEAST_WIDTH and all(
                abs(across - one.across) > 0.25 or near - one.near > 0.2 for one in cars
            ):
                cars.append(Car(across, near))
    return cars
