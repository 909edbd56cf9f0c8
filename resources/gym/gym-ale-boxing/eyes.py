"""Boxing's state reader: from pixels alone, both boxers' heads and the way to arm's length."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pitwall.games.native_picture import Native, Pixels, native

_WHITE, _BLACK = 0xD6D6D6, 0x000000
_RING = (32, 38, 128, 178)
_ARM_PX = 20.0
"""Distance of the heads at which a blow lands."""
_HEAD_PX = 4


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """A reader without memory."""
    return Eyes()


class Eyes:
    """Reads Boxing's window: the player is white."""

    def read(self, pixels: Pixels) -> Mapping[str, float | None]:
        """The fields of a frame."""
        picture = native(pixels)
        own, foe = _head(picture, _WHITE), _head(picture, _BLACK)
        if own is None or foe is None:
            return {}
        side = 1 if foe[0] >= own[0] else -1
        return {
            "own_x": own[0],
            "own_y": own[1],
            "foe_x": foe[0],
            "foe_y": foe[1],
            "across": foe[0] - own[0] - side * _ARM_PX,
            "down": foe[1] - own[1],
        }


def _head(picture: Native, colour: int) -> tuple[float, float] | None:
    """Return the middle of a boxer's head: it stands half way between the gloves."""
    left, top, right, bottom = _RING
    rows, columns = np.nonzero(picture[top:bottom, left:right] == colour)
    if not len(rows):
        return None
    middle = (int(rows.min()) + int(rows.max())) / 2
    near = columns[np.abs(rows - middle) <= _HEAD_PX]
    return (left + float(np.median(near)), top + middle) if len(near) else None
