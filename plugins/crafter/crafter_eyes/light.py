"""The effect of daylight on the view, as the package draws it, and an estimate of the daylight.

A colour c of the day becomes, in daylight d, with the vignette v (0 in the middle, near 1 in the corners),
n = (1 − a·v)·c + a·v·noise, a = 2·max(0, 0.5 − d), noise grey and even over 32 … 127; then
d·c + (1 − d)·½·(0.4·n + 0.6·grey(n) + tint). All of it is linear in c, so for a known d every picture's
look on every tile is known up to the noise, which is grey: colour and brightness are compared separately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .sprites import UNIT

COLUMNS, ROWS = 9, 7
GRAIN = 8
"""Compared cells along a tile's side: fine enough for every picture, coarse enough for the night."""
GRAIN_VIEW = (COLUMNS * GRAIN, ROWS * GRAIN)
"""Width and height of the view in such cells."""
Floats = NDArray[np.float32]

_TINT = np.array([0, 16, 64], np.float32)
_NOISE_MEAN, _NOISE_DEVIATION = 79.5, 27.4
_SPREAD = 0.5
_PER_CELL = (UNIT // GRAIN) ** 2
"""Window pixels that are averaged into a cell."""
_ROUNDING = 0.4
_ROOT2, _ROOT3, _ROOT6 = np.sqrt(np.array([2, 3, 6], np.float32))
_GREY = np.array([0.299, 0.587, 0.114], np.float32)


def brightness(colours: Floats) -> Floats:
    """Return Pillow's grey of red, green, blue: (…, 3) → (…)."""
    return np.asarray(colours @ _GREY, np.float32)


def axes(colours: Floats) -> Floats:
    """Convert red, green, blue to their sum and two differences that grey does not change: orthonormal."""
    red, green, blue = colours[..., 0], colours[..., 1], colours[..., 2]
    sums = (red + green + blue) / _ROOT3
    return np.stack([sums, (red - blue) / _ROOT2, (red - 2 * green + blue) / _ROOT6], -1)


def vignette() -> Floats:
    """Return v for each cell, by tile: (63, 64), tiles row by row."""
    side = UNIT // GRAIN
    xs = np.linspace(-1, 1, COLUMNS * UNIT)
    ys = np.linspace(-1, 1, ROWS * UNIT)
    whole = 1 - np.exp(-0.5 * (xs[None, :] ** 2 + ys[:, None] ** 2) / _SPREAD**2)
    small = whole.reshape(ROWS * GRAIN, side, COLUMNS * GRAIN, side).mean((1, 3))
    return by_tile(small[..., None].astype(np.float32))[..., 0]


def by_tile(view: Floats) -> Floats:
    """Return a view of (56, 72, n) as (63, 64, n)."""
    depth = view.shape[-1]
    cut = view.reshape(ROWS, GRAIN, COLUMNS, GRAIN, depth).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(cut.reshape(ROWS * COLUMNS, GRAIN * GRAIN, depth))


@dataclass(frozen=True, slots=True)
class Light:
    """The daylight's factors for some pixels.

    Attributes:
        own: share of a pixel's own colour. grey: share of its brightness. offset: added, by axis.
        sure_sum, sure_difference: 1 / variance of the sum axis and of the differences.
    """

    own: Floats
    grey: Floats
    offset: Floats
    sure_sum: Floats
    sure_difference: float


def light(daylight: float, vignettes: Floats) -> Light:
    """Return the factors for a daylight of 0 … 1."""
    night = (1 - daylight) / 2
    noisy = max(0.0, 1 - 2 * daylight) * vignettes
    kept = night * (1 - noisy)
    offset = night * (noisy[..., None] * _NOISE_MEAN + _TINT) - 0.25
    deviation = _ROOT3 * night * noisy * _NOISE_DEVIATION
    variance = deviation**2 / _PER_CELL + _ROUNDING**2
    return Light(
        own=np.asarray(daylight + 0.4 * kept, np.float32),
        grey=np.asarray(0.6 * kept, np.float32),
        offset=axes(np.asarray(offset, np.float32)),
        sure_sum=np.asarray(1 / variance, np.float32),
        sure_difference=1 / _ROUNDING**2,
    )
