"""The visual descriptor and the change d between two of them (SPEC §1)."""

from __future__ import annotations

import math
import threading
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.engine.trigger.shrink import SIDE, Shrinker

Descriptor = NDArray[np.float32]

_LEAST_LENGTH = 0.5
"""A picture with one cell a single grey level off has length 1; a shorter one is flat."""


def describe(pixels: Pixels) -> Descriptor:
    """The descriptor v of a frame.

    Args:
        pixels: (height, width, 4) uint8, BGRX; at least one pixel.

    Returns:
        (1024,) float32, zero mean and unit length; all zeros for a frame that renders flat. (The
        range of the values does not matter before they are normalised, so they stay grey levels.)
    """
    height, width = pixels.shape[:2]
    levels = _shrinker(height, width, threading.get_ident()).shrink(pixels).ravel()
    levels -= levels.mean()
    length = math.sqrt(float(levels @ levels))
    if length < _LEAST_LENGTH:
        return np.zeros(SIDE * SIDE, np.float32)
    levels *= np.float32(1.0 / length)
    return levels


def change(descriptor: Descriptor, previous: Descriptor | None) -> float:
    """Visual change d, 0 … 2, against the previous step's descriptor.

    Two flat frames: 0. One flat: 1. No previous descriptor (the first step): 0.
    """
    if previous is None:
        return 0.0
    flat, was_flat = not descriptor.any(), not previous.any()
    if flat or was_flat:
        return 0.0 if flat and was_flat else 1.0
    return min(2.0, max(0.0, 1.0 - float(descriptor @ previous)))


@lru_cache(maxsize=8)
def _shrinker(height: int, width: int, thread: int) -> Shrinker:  # noqa: ARG001
    """Each thread's own, because of its scratch pictures."""
    return Shrinker(height, width)
