"""The inventory: sixteen slots, each item always in its own, with a digit from 1 to 9."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .sprites import ITEMS, UNIT, Assets, slot

_STEP = 6
_COLUMNS = 9
_MOST = 9
_MOST_ERROR = 12.0
"""Mean squared error above which a slot shows something else than its item (a covered window)."""


class InventoryReader:
    """Reads amounts by comparing each slot with its item under each digit."""

    def __init__(self, assets: Assets) -> None:
        pictures = [[slot(assets, item, amount) for amount in range(_MOST + 1)] for item in ITEMS]
        sampled = np.array(pictures, np.uint8)[:, :, _STEP // 2 :: _STEP, _STEP // 2 :: _STEP]
        self._slots = sampled.reshape(len(ITEMS), _MOST + 1, -1).astype(np.float32)

    def read(self, strip: NDArray[np.uint8]) -> dict[str, int | None]:
        """Return the amount of each item; None where the slot shows something else.

        Args:
            strip: (192, 864, 3), red, green, blue.
        """
        seen = strip[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]
        side = UNIT // _STEP
        cells = seen.reshape(2, side, _COLUMNS, side, 3).transpose(0, 2, 1, 3, 4)
        cells = cells.reshape(2 * _COLUMNS, 1, -1)[: len(ITEMS)].astype(np.float32)
        errors = ((self._slots - cells) ** 2).mean(2)
        best = errors.argmin(1)
        least = errors.min(1)
        return {
            item: int(best[number]) if least[number] < _MOST_ERROR else None
            for number, item in enumerate(ITEMS)
        }
