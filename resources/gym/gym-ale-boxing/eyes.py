"""Boxing's state reader: from pixels alone, both boxers' heads and the way to arm's length."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Pixels, native

_WHITE, _BLACK = 0xD6D6D6, 0x000000
_RING = (32, 38, 128, 178)
_ARM_PX = 20.0
"""Distance of the heads at which a blow lands."""
_HEAD_PX = 4
_TRAIL = 4
"""Frames over which a speed is told."""


def reader(folder: Path) -> WithNumbers:
    """Make the reader of Boxing's fields and points."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (30, 4, 64, 13), 0xD6D6D6),
        foe_score=Digits(folder / "digits.txt", (96, 4, 130, 13), 0x000000),
    )


class Eyes:
    """Reads Boxing's window: the player is white. It remembers where both heads were."""

    def __init__(self) -> None:
        self._trail: list[tuple[float, ...]] = []

    def read(self, pixels: Pixels) -> Mapping[str, float | None]:
        """The fields of a frame."""
        picture = native(pixels)
        own, foe = _head(picture, _WHITE), _head(picture, _BLACK)
        if own is None or foe is None:
            self._trail.clear()
            return {}
        self._trail = [*self._trail[-_TRAIL:], (*own, *foe)]
        speeds = [
            (now - before) / _TRAIL for now, before in zip(self._trail[-1], self._trail[0], strict=True)
        ]
        side = 1 if foe[0] >= own[0] else -1
        return {
            "own_x": own[0],
            "own_y": own[1],
            "foe_x": foe[0],
            "foe_y": foe[1],
            "own_across": speeds[0],
            "own_down": speeds[1],
            "foe_across": speeds[2],
            "foe_down": speeds[3],
            "across": foe[0] - own[0] - side * _ARM_PX,
            "down": foe[1] - own[1],
        }


def _head(picture: Native, colour: int) -> tuple[float, float] | None:
    """Return the middle of a boxer's head: it stands half way between the gloves."""
    left, top, right, bottom = _RING
    rows, columns = np.nonzero(picture[top:bottom, left:right] == colour)
    if not len(rows):
        return None
    middle = (int(rows[0]) + int(rows[-1])) / 2
    near = np.sort(columns[np.abs(rows - middle) <= _HEAD_PX])
    if not len(near):
        return None
    half = len(near) // 2
    return left + (int(near[half]) + int(near[-half - 1])) / 2, top + middle
