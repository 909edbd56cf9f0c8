"""Measures how far a game's view turns with the mouse: it turns once around until the picture repeats."""

from __future__ import annotations

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
_LEAST_SHIFT, _MOST_SHIFT = 0.02, 0.08
"""Bounds of one step's shift of the picture, as shares of its width."""
_MOST_UNITS = 2_000
_MOST_STEPS = 1_500
_LEFT = 0.6
"""Once the likeness to the first picture fell below this, the view has turned away from it."""
_ALIKE = 0.8
"""Least likeness of a picture that repeats an earlier picture."""
_FOLLOWED = 9
"""So many pictures in a row must repeat the first ones: a wall's pattern repeats as well."""
_SURE = 0.05
"""Least response of a phase correlation that tells a shift."""

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
    first = _grey(look(0))
    step, shift = _step(look, first)
    begun, newest = [first], deque([first], maxlen=_FOLLOWED)
    left, best = 0, -1.0
    for number in range(1, _MOST_STEPS + 1):
        picture = _grey(look(step))
        newest.append(picture)
        if len(begun) < _FOLLOWED:
            begun.append(picture)
        progress(number)
        if not left and _aligned(first, picture, abs(shift))[0] < _LEFT:
            left = number
        if not left or number < left + _FOLLOWED:
            continue
        likeness, beyond = _repeated(begun, newest, abs(shift))
        best = max(best, likeness)
        if likeness >= _ALIKE and abs(beyond) <= abs(shift) / 2:
            units = (number - _FOLLOWED + 1) * step - beyond * step / shift
            return Turn(units_around=units, likeness=likeness, steps=number)
    raise PitwallError(
        f"the picture did not repeat in {_MOST_STEPS} steps of {step} units (likeness {best:.2f}).",
        "Stand where nothing moves, and measure again; or give the figure: --units-per-degree.",
    )


def _repeated(begun: Sequence[Grey], newest: Iterable[Grey], most_px: float) -> tuple[float, float]:
    """Return the least likeness of the newest pictures to the first ones, and their mean shift in pixels."""
    matches = []
    for first, picture in zip(begun, newest, strict=True):
        matches.append(_aligned(first, picture, most_px))
        if matches[-1][0] < _ALIKE:
            break
    return min(likeness for likeness, _ in matches), float(np.mean([shift for _, shift in matches]))


def _step(look: Look, first: Grey) -> tuple[int, float]:
    """Return a step that shifts the picture clearly but little, and its shift in pixels; end at the start."""
    window = cv2.createHanningWindow(first.shape[::-1], cv2.CV_32F)
    units = 4
    while units <= _MOST_UNITS:
        (shift, _), response = cv2.phaseCorrelate(first, _grey(look(units)), window)
        look(-units)
        share = abs(shift) / first.shape[1]
        if response >= _SURE and share >= _LEAST_SHIFT:
            if share <= _MOST_SHIFT or units == 1:
                return units, shift
            units = max(1, round(units * (_LEAST_SHIFT + _MOST_SHIFT) / 2 / share))
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


def _aligned(one: Grey, other: Grey, most_px: float) -> tuple[float, float]:
    """Return the likeness of two pictures, −1 … 1, and the shift from one to the other in pixels.

    Args:
        most_px: a larger shift makes them unlike.
    """
    window = cv2.createHanningWindow(one.shape[::-1], cv2.CV_32F)
    (shift, _), _ = cv2.phaseCorrelate(one, other, window)
    if abs(shift) > most_px:
        return -1.0, shift
    cut = round(shift)
    width = one.shape[1] - abs(cut)
    a, b = one[:, max(0, -cut) :][:, :width], other[:, max(0, cut) :][:, :width]
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return (float((a * b).sum()) / size if size else 0.0), shift
