"""Measures how far a game's view turns with the mouse: it turns once around until the picture repeats."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels

Look = Callable[[int], Pixels]
"""Moves the mouse right by so many units, and returns the picture (BGR or BGRX) once it rests."""
_WIDTH = 320
"""Pictures are compared at this width."""
_TOP, _BOTTOM = 0.05, 0.75
"""Rows that are compared, as shares of the height: status bars and weapons stand below."""
_LEAST_PX, _MOST_PX, _REACH_PX = 6, 24, 48
"""Bounds of one step's shift of the picture; the farthest shift that is looked for, and the margin left out
(pixels)."""
_MOST_UNITS = 2_000
_MOST_STEPS = 1_500
_ALIKE = 0.8
"""Least likeness of a picture that repeats an earlier picture."""
_FOLLOWED = 9
"""Pictures in a row that must repeat the first ones; fewer may be the repeating pattern of a wall."""
_SURE = 0.5
"""Least share of the difference between two pictures that a shift explains."""
_LEAST_TURNING = 0.05
"""Least share of the picture that must turn before a shift is believed."""
_LEVELS = 6.0
"""A pixel that changed less than this in all pictures belongs to what does not turn, like a status bar."""

Grey = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The measured turn of a view.

    Attributes:
        units_around: units of the mouse for one whole turn. likeness: of the picture after it to the first,
            −1 … 1. steps: pictures that were compared.
    """

    units_around: float
    likeness: float
    steps: int

    @property
    def units_per_degree(self) -> float:
        return self.units_around / 360.0


def turn_around(look: Look, *, progress: Callable[[int], None] = lambda _: None) -> Turn:
    """Turn right in small steps until the first picture comes again.

    Args:
        look: see `Look`; 0 only returns the picture.
        progress: called with the number of pictures so far.

    Raises:
        PitwallError: the picture does not turn with the mouse, or never repeats.
    """
    eye = _Eye(look)
    step, shift = _step(eye)
    reach_px = math.ceil(abs(shift))
    begun, newest = [eye.first], deque([eye.first], maxlen=_FOLLOWED)
    best = -1.0
    for number in range(1, _MOST_STEPS + 1):
        picture = eye.turn(step)
        newest.append(picture)
        if len(begun) < _FOLLOWED:
            begun.append(picture)
        progress(number)
        if (number - _FOLLOWED) * abs(shift) < _WIDTH:  # no view is wider than a whole turn
            continue
        likeness, beyond = _repeated(eye, begun, newest, reach_px)
        best = max(best, likeness)
        if likeness >= _ALIKE and abs(beyond) <= abs(shift) / 2:
            units = (number - _FOLLOWED + 1) * step - beyond * step / shift
            return Turn(units_around=units, likeness=likeness, steps=number)
    raise PitwallError(
        f"the picture did not repeat in {_MOST_STEPS} steps of {step} units (likeness {best:.2f}).",
        "Stand where nothing moves, and measure again; or give the figure: --units-per-degree.",
    )


class _Eye:
    """Compares pictures by their parts that turn.

    Attributes:
        first: the picture before any turn.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self.first = _grey(look(0))
        self._low, self._high = self.first.copy(), self.first.copy()
        self._middle = (_REACH_PX, self.first.shape[1] - _REACH_PX)

    def turn(self, units: int) -> Grey:
        """Turn, and return the picture."""
        picture = _grey(self._look(units))
        np.minimum(self._low, picture, out=self._low)
        np.maximum(self._high, picture, out=self._high)
        return picture

    def shift(self, before: Grey, now: Grey, reach_px: int) -> tuple[float, float]:
        """Return how far a picture moved to the right, in pixels, and how sure that is, 0 … 1.

        Args:
            reach_px: farthest shift that is looked for.
        """
        turns, (left, right) = self._turns, self._middle
        if turns.mean() < _LEAST_TURNING:
            return 0.0, 0.0
        costs = [
            float((turns * (before[:, left:right] - now[:, left + by : right + by]) ** 2).sum())
            for by in range(-reach_px, reach_px + 1)
        ]
        at = int(np.argmin(costs))
        shift, still = float(at - reach_px), costs[reach_px]
        if 0 < at < len(costs) - 1:
            lower, here, upper = costs[at - 1 : at + 2]
            bend = lower - 2 * here + upper
            shift += (lower - upper) / (2 * bend) if bend else 0.0
        return shift, 1.0 - costs[at] / still if still else 0.0

    def aligned(self, before: Grey, now: Grey, reach_px: int) -> tuple[float, float]:
        """Return the likeness of two pictures, −1 … 1, where they fit best, and the shift in pixels."""
        shift, _ = self.shift(before, now, reach_px)
        left, right = self._middle
        there, by = self._turns > 0, round(shift)
        a, b = before[:, left:right][there], now[:, left + by : right + by][there]
        a, b = a - a.mean(), b - b.mean()
        size = float(np.sqrt((a * a).sum() * (b * b).sum()))
        return (float((a * b).sum()) / size if size else 0.0), shift

    @property
    def _turns(self) -> Grey:
        """Return 1 in the middle of the picture where it turns, and 0 elsewhere."""
        left, right = self._middle
        return np.asarray((self._high - self._low)[:, left:right] > _LEVELS, np.float32)


def _repeated(eye: _Eye, begun: Sequence[Grey], newest: Iterable[Grey], reach_px: int) -> tuple[float, float]:
    """Return the least likeness of the newest pictures to the first ones, and their mean shift in pixels."""
    matches = []
    for first, picture in zip(begun, newest, strict=True):
        matches.append(eye.aligned(first, picture, reach_px))
        if matches[-1][0] < _ALIKE:
            break
    return min(likeness for likeness, _ in matches), float(np.mean([shift for _, shift in matches]))


def _step(eye: _Eye) -> tuple[int, float]:
    """Return a step that shifts the picture clearly but little, and its shift in pixels; end at the start."""
    units = 4
    while units <= _MOST_UNITS:
        shift, sure = eye.shift(eye.first, eye.turn(units), _REACH_PX)
        eye.turn(-units)
        if sure >= _SURE and abs(shift) >= _LEAST_PX:
            if abs(shift) <= _MOST_PX or units == 1:
                return units, shift
            units = max(1, round(units * (_LEAST_PX + _MOST_PX) / 2 / abs(shift)))
            continue
        units *= 2
    raise PitwallError(
        "the picture does not turn with the mouse.",
        "Bring the game into play, click into it if it locks the pointer then, and measure again.",
    )


def _grey(pixels: Pixels) -> Grey:
    height = pixels.shape[0]
    part = pixels[int(_TOP * height) : int(_BOTTOM * height), :, :3]
    size = (_WIDTH, max(1, round(part.shape[0] * _WIDTH / part.shape[1])))
    grey = cv2.cvtColor(cv2.resize(part, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(grey, np.float32)
