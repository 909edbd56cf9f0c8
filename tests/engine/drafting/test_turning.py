"""A view is turned once around until its picture repeats: the measured turn is the true turn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.engine.drafting.turning import turn_around

_WIDTH, _HEIGHT, _AROUND = 640, 240, 4_000


class Panorama:
    """A first-person view of a painted ring, 90 degrees wide, above a status bar that never moves."""

    def __init__(self, units_around: float) -> None:
        ring = cv2.GaussianBlur(
            np.random.default_rng(3).integers(0, 255, (_HEIGHT, _AROUND, 3), np.uint8), (0, 0), 6
        )
        self._ring = np.concatenate([ring, ring], axis=1)
        self._around, self._units = units_around, 0
        self._bearing = np.degrees(np.arctan(np.linspace(-1, 1, _WIDTH)))

    def look(self, units: int) -> Pixels:
        self._units += units
        columns = ((self._units / self._around * 360 + self._bearing) % 360) / 360 * _AROUND
        seen = self._ring[:, columns.astype(int)].copy()
        seen[200:] = 90
        return seen


@pytest.mark.parametrize("units_around", [300.0, 1234.5, 8192.0])
def test_the_measured_turn_is_the_true_turn(units_around: float) -> None:
    turn = turn_around(Panorama(units_around).look)
    assert turn.units_around == pytest.approx(units_around, rel=0.01)


def test_a_picture_that_does_not_turn_is_told() -> None:
    still = Panorama(300.0).look(0)
    with pytest.raises(PitwallError, match="does not turn"):
        turn_around(lambda _: still)
