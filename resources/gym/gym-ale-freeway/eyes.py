"""Freeway's state reader: from pixels alone, where the chicken is and whether a car comes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Pixels, among, native, patches

_CHICKEN = 0xFCFC54
_ROAD = (0x8E8E8E, 0xD6D6D6, 0x000000, _CHICKEN, 0xAAAAAA)
_LANES, _FIRST_Y, _LANE_PX = 10, 24, 16
_CHICKEN_X = (44, 50)
_FAST = 0.25
"""Share of the newest movement in a car's speed as it is remembered."""
_SEEN = {"car_behind": -1, "car_here": 0, "car_ahead": 1, "car_after": 2, "car_third": 3}
"""Fields → how many lanes ahead of the chicken's head."""
_COLUMN, _REACH_PX, _ROUND_PX, _LONG = 47.0, 8.0, 152.0, 90.0


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (40, 4, 60, 14), 0xE46F6F),
    )


class Eyes:
    """Reads Freeway's window; it remembers where the cars were, and how fast they are."""

    def __init__(self) -> None:
        self._cars: list[float | None] = [None] * _LANES
        self._speeds = [0.0] * _LANES

    def read(self, pixels: Pixels) -> Mapping[str, float | bool | None]:
        """The fields of a frame."""
        picture = native(pixels)
        for lane, x in enumerate(_cars(picture)):
            self._follow(lane, x)
        chicken = next(
            (one for one in patches(picture, _CHICKEN, box=(40, 14, 56, 195)) if one.area > 8), None
        )
        if chicken is None:
            return {}
        here = {self._lane(y) for y in (chicken.top, chicken.bottom)}
        ahead = {self._lane(chicken.top - reach) for reach in (2, 5, 8)} - here
        return {
            "chicken_y": chicken.y,
            "into_lane": float((chicken.top - _FIRST_Y) % _LANE_PX),
            **{name: self._due(self._lane(chicken.top) - up) for name, up in _SEEN.items()},
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

    def _due(self, lane: int) -> float:
        """Return the frames until the lane's car reaches the chicken's column; 0 while it is there."""
        x = self._cars[lane] if 0 <= lane < _LANES else None
        speed = self._speeds[lane] if x is not None else 0.0
        if x is None or not speed:
            return _LONG
        away = (_COLUMN - x) * (1 if speed > 0 else -1)
        if abs(away) <= _REACH_PX:
            return 0.0
        return min(_LONG, ((away if away > 0 else away + _ROUND_PX) - _REACH_PX) / abs(speed))

    def _comes(self, lane: int, first: int, last: int) -> bool:
        """Whether the lane's car is where the chicken walks at any of these frames from now."""
        x = self._cars[lane] if 0 <= lane < _LANES else None
        if x is None:
            return False
        ends = x + self._speeds[lane] * first, x + self._speeds[lane] * last
        return min(ends) - 5 <= _CHICKEN_X[1] and max(ends) + 5 >= _CHICKEN_X[0]


def _cars(picture: Native) -> list[float | None]:
    """Return the middle of each lane's car, the uppermost lane first."""
    road = among(picture[_FIRST_Y : _FIRST_Y + _LANES * _LANE_PX, 8:160], _ROAD)
    lanes = ~road.reshape(_LANES, _LANE_PX, -1)[:, 2:14].all(axis=1)
    columns = lanes @ np.arange(8, 160)
    return [float(at / wide) if wide else None for at, wide in zip(columns, lanes.sum(axis=1), strict=True)]
