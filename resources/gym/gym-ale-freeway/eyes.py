"""Freeway's state reader: from pixels alone, where the chicken is and whether a car comes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pitwall.games.native_picture import Native, Pixels, native, patches

_CHICKEN = 0xFCFC54
_ROAD = (0x8E8E8E, 0xD6D6D6, 0x000000, _CHICKEN, 0xAAAAAA)
_LANES, _FIRST_Y, _LANE_PX = 10, 24, 16
_CHICKEN_X = (44, 50)
_FAST = 0.25
"""Share of the newest movement in a car's speed as it is remembered."""


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """A reader without memory."""
    return Eyes()


class Eyes:
    """Reads Freeway's window; it remembers where the cars were, and how fast they are."""

    def __init__(self) -> None:
        self._cars: list[float | None] = [None] * _LANES
        self._speeds = [0.0] * _LANES

    def read(self, pixels: Pixels) -> Mapping[str, float | bool | None]:
        """The fields of a frame."""
        picture = native(pixels)
        for lane in range(_LANES):
            self._follow(lane, _car(picture, lane))
        chicken = next(
            (one for one in patches(picture, _CHICKEN, box=(40, 14, 56, 195)) if one.area > 8), None
        )
        if chicken is None:
            return {}
        here = {self._lane(y) for y in (chicken.top, chicken.bottom)}
        ahead = {self._lane(chicken.top - reach) for reach in (2, 5, 8)} - here
        return {
            "chicken_y": chicken.y,
            "blocked": any(self._comes(lane, 2, 14) for lane in ahead),
            "hit": any(self._comes(lane, 0, 9) for lane in here),
        }

    @staticmethod
    def _lane(y: float) -> int:
        return int((y - _FIRST_Y) // _LANE_PX)

    def _follow(self, lane: int, x: float | None) -> None:
        before = self._cars[lane]
        self._cars[lane] = x
        if x is not None and before is not None and abs(x - before) < 8:
            self._speeds[lane] += _FAST * (x - before - self._speeds[lane])

    def _comes(self, lane: int, first: int, last: int) -> bool:
        """Whether the lane's car is where the chicken walks at any of these frames from now."""
        x = self._cars[lane] if 0 <= lane < _LANES else None
        if x is None:
            return False
        ends = x + self._speeds[lane] * first, x + self._speeds[lane] * last
        return min(ends) - 5 <= _CHICKEN_X[1] and max(ends) + 5 >= _CHICKEN_X[0]


def _car(picture: Native, lane: int) -> float | None:
    top = _FIRST_Y + lane * _LANE_PX
    row = np.flatnonzero(~np.isin(picture[top + 2 : top + 14, 8:160], _ROAD).all(axis=0))
    return float(row.mean()) + 8 if len(row) else None
