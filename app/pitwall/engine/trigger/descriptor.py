"""The visual descriptor of a frame and the change d between two of them (SPEC §1).

The frame becomes a 32×32 grey picture as Pillow's area-weighted bilinear filter makes it, but faster. It is
halved by exact 2×2 means while at least four samples a cell remain on each side; of frames with more than a
thousand rows only every 2nd, 4th … row is read. Pillow's weights, summed over the pixels that each sample
stands for, then make the cells by two matrix products, in bands so small that no BLAS spreads them over
threads (which costs milliseconds where another process wants the core). Every intermediate picture is kept
and overwritten, because allocating them costs as much as filling them.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels

Descriptor = NDArray[np.float32]
SIDE = 32
_LEAST_SAMPLES = 4 * SIDE
_LEAST_ROWS = 512
_BAND = 8

Floats = NDArray[np.float32]
_LEAST_LENGTH = 0.5
"""A picture with one cell a single grey level off has length 1; a shorter one is flat."""


def describe(pixels: Pixels) -> Descriptor:
    """Return the descriptor v of a frame.

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
    """Return the visual change d, 0 … 2, against the previous step's descriptor.

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
    """Return the calling thread's own shrinker: its scratch pictures must not be shared."""
    return Shrinker(height, width)


class Shrinker:
    """Shrinks frames of one size. Holds its own scratch pictures: one thread at a time."""

    def __init__(self, height: int, width: int) -> None:
        step = _row_step(height)
        self._rows = slice(step // 2, height // step * step, step)
        size = (height // step, width)
        self._halved = _half(size)
        size = self._halved or size
        self._colour = None if self._halved is None else np.empty((*size, 4), np.uint8)
        self._greys = [np.empty(size, np.uint8)]
        while (smaller := _half(size)) is not None:
            size = smaller
            self._greys.append(np.empty(size, np.uint8))
        self._samples = np.empty(size, np.float32)
        self._down = _bands(height, size[0])
        self._across = _bands(width, size[1])
        self._strips = np.empty((SIDE, size[1]), np.float32)
        self._cells = np.empty((SIDE, SIDE), np.float32)

    def shrink(self, pixels: Pixels) -> Floats:
        """Shrink (height, width, 4) uint8 BGRX to (32, 32) float32, whole grey levels 0 … 255."""
        picture: Pixels = pixels[self._rows]
        if picture.strides[1:] != (4, 1):
            picture = np.ascontiguousarray(picture)
        if self._colour is not None:
            _halve(picture, self._colour)
            picture = self._colour
        grey = self._greys[0]
        cv2.cvtColor(picture, cv2.COLOR_BGRA2GRAY, dst=grey)
        for smaller in self._greys[1:]:
            _halve(grey, smaller)
            grey = smaller
        np.copyto(self._samples, grey)
        _filter(self._samples, self._down, self._strips)
        _filter(self._strips.T, self._across, self._cells)
        levels: Floats = np.floor(self._cells.T + np.float32(0.5))
        return levels


def _row_step(height: int) -> int:
    step = 1
    while height // (2 * step) >= _LEAST_ROWS:
        step *= 2
    return step


def _half(size: tuple[int, int]) -> tuple[int, int] | None:
    """Return half of (rows, columns), or None where too few samples would be left."""
    return (size[0] // 2, size[1] // 2) if min(size) >= 2 * _LEAST_SAMPLES else None


def _halve(picture: Pixels, into: Pixels) -> None:
    rows, columns = into.shape[:2]
    cv2.resize(picture[: rows * 2, : columns * 2], (columns, rows), dst=into, interpolation=cv2.INTER_AREA)


@dataclass(frozen=True, slots=True)
class _Band:
    """Neighbouring cells and the samples they are made of."""

    cells: slice
    samples: slice
    weights: Floats


def _filter(samples: Floats, bands: tuple[_Band, ...], into: Floats) -> None:
    """Filter along the first axis: (samples, n) → (32, n)."""
    for band in bands:
        np.matmul(band.weights, samples[band.samples], out=into[band.cells])


def _bands(size: int, samples: int) -> tuple[_Band, ...]:
    weights = _weights(size, samples)
    bands = []
    for first in range(0, SIDE, _BAND):
        part = weights[first : first + _BAND]
        used = np.flatnonzero(part.any(axis=0))
        span = slice(int(used[0]), int(used[-1]) + 1)
        bands.append(_Band(slice(first, first + _BAND), span, np.ascontiguousarray(part[:, span])))
    return tuple(bands)


def _weights(size: int, samples: int) -> Floats:
    """Return Pillow's triangle filter from `size` pixels to 32, summed over equal blocks: (32, samples).

    The last block also takes the pixels behind it.
    """
    scale = size / SIDE
    reach = max(scale, 1.0)
    centres = (np.arange(SIDE) + 0.5) * scale
    first = np.maximum(0, (centres - reach + 0.5).astype(int))
    last = np.minimum(size, (centres + reach + 0.5).astype(int))
    place = np.arange(size)
    full = np.maximum(0.0, 1.0 - np.abs(place[None] + 0.5 - centres[:, None]) / reach)
    full[(place[None] < first[:, None]) | (place[None] >= last[:, None])] = 0.0
    full /= full.sum(axis=1, keepdims=True)
    starts = np.arange(samples) * (size // samples)
    return np.add.reduceat(full, starts, axis=1).astype(np.float32)
