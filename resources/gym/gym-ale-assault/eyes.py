"""Assault's state reader: from pixels alone, the cannon and its heat, the lowest foe, and what falls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, native, patches_of

_SHOT = 0xECECEC
_SHIP, _SKY, _LOW, _GROUND = (18, 34), (40, 130), (130, 178), (178, 187)
"""Rows of the mother ship, of its foes, of what has fallen far, and of the cannon."""
_HEAT_ROW, _LIVES = 195, (190, 202)
_BAR_X = 96
_SHOT_PX = 8.0
"""Rows that a shot flies in a frame."""
_REACT = 5.0
"""Frames from what is seen to the shot."""
_TRAIL = 5
_NEAR_PX, _BESIDE_PX = 8, 60


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (50, 0, 105, 10), 0xC3903D),
    )


class Eyes:
    """Reads Assault's window; it remembers where the cannon was, and how its target flies."""

    def __init__(self) -> None:
        self._x = 80.0
        self._trail: list[Patch] = []

    def read(self, pixels: Pixels) -> Mapping[str, float | None]:
        """The fields of a frame."""
        picture = native(pixels)
        ground = patches_of(picture[slice(*_GROUND)] != 0, top=_GROUND[0])
        tall = [one for one in ground if one.width >= 4 and one.height >= 4]
        own = min((one for one in tall if one.width <= 9), key=lambda one: abs(one.x - self._x), default=None)
        lives = patches_of(picture[slice(*_LIVES), :_BAR_X] != 0)
        told: dict[str, float | None] = {
            "heat": float((picture[_HEAT_ROW, _BAR_X:] != 0).sum()),
            "lives": float(len(lives)),
        }
        if own is None or own.width > 2 * own.height:
            return told
        self._x = own.x
        crawling = [one.x - own.x for one in tall if one is not own]
        falling = patches_of(_seen(picture, _LOW), top=_LOW[0])
        near = [one for one in falling if abs(one.x - own.x) < _NEAR_PX and one.bottom > _LOW[0] + 10]
        lowest = max(near, key=lambda one: one.bottom, default=None)
        return {
            **told,
            "own_x": own.x,
            "target": self._target(picture),
            "danger": lowest.x - own.x if lowest else None,
            "beside": min((one for one in crawling if abs(one) < _BESIDE_PX), key=abs, default=None),
        }

    def _target(self, picture: Native) -> float | None:
        """Return where the lowest foe will be when a shot arrives."""
        foes = [one for one in patches_of(_seen(picture, _SKY), top=_SKY[0]) if one.width >= 4]
        ship = [one for one in patches_of(_seen(picture, _SHIP), top=_SHIP[0]) if one.width >= 20]
        foe = max(foes or ship, key=lambda one: one.bottom, default=None)
        if foe is None:
            return None
        last = self._trail[-1] if self._trail else foe
        if abs(foe.x - last.x) > 6 or abs(foe.y - last.y) > 4:
            self._trail.clear()
        self._trail = [*self._trail[-_TRAIL:], foe]
        speed = (foe.x - self._trail[0].x) / max(1, len(self._trail) - 1)
        return foe.x + speed * (_REACT + (_GROUND[0] - foe.y) / _SHOT_PX)


def _seen(picture: Native, rows: tuple[int, int]) -> NDArray[np.bool_]:
    part = picture[slice(*rows)]
    return np.asarray((part != 0) & (part != _SHOT))
