"""The visual descriptor and the change d between two of them (SPEC §1).

The source renders a frame to greyscale and lets Pillow shrink it to 32×32 with its area-weighted
bilinear filter. Here the frame is first halved by exact 2×2 means while each cell keeps at least
four samples a side (of big frames only every 2nd, 4th … row is read), then Pillow's own filter,
summed over the pixels each sample stands for, is applied to the small picture as two matrix
products, and rounded to whole grey levels as Pillow's pictures are.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels

Descriptor = NDArray[np.float32]

SIDE = 32
_LEAST_SAMPLES = 4 * SIDE
_READ_PX = 1_250_000
"""Most pixels read of one frame; more than that is thinned by rows (1080p: every second one)."""


def describe(pixels: Pixels) -> Descriptor:
    """The descriptor v of a frame.

    Args:
        pixels: (height, width, 4) uint8, BGRX; at least one pixel.

    Returns:
        (1024,) float32, zero mean and unit length; all zeros for a frame that renders flat.
    """
    height, width = pixels.shape[:2]
    step = _row_step(height, width)
    small: Pixels = pixels[: height // step * step : step]
    if small.strides[1:] != (4, 1):
        small = np.ascontiguousarray(small)
    if _halves(small):
        small = _halved(small)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGRA2GRAY), np.uint8)
    while _halves(grey):
        grey = _halved(grey)
    down, across = _weights(height, grey.shape[0]), _weights(width, grey.shape[1])
    levels = np.floor(down @ (grey.astype(np.float32) @ across.T) + np.float32(0.5)).ravel()
    levels -= levels.mean()
    length = math.sqrt(float(levels @ levels))
    if length < 1e-2:  # one cell a single level off has length 1
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


def _halves(picture: Pixels) -> bool:
    return bool(min(picture.shape[:2]) >= 2 * _LEAST_SAMPLES)


def _halved(picture: Pixels) -> Pixels:
    rows, columns = picture.shape[0] // 2, picture.shape[1] // 2
    whole = picture[: rows * 2, : columns * 2]
    return np.asarray(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)


def _row_step(height: int, width: int) -> int:
    step = 1
    while height * width > step * _READ_PX and height >= 4 * step * _LEAST_SAMPLES:
        step *= 2
    return step


@lru_cache(maxsize=32)
def _weights(size: int, samples: int) -> NDArray[np.float32]:
    """Pillow's triangle filter from `size` pixels to 32, gathered on `samples` equal blocks: (32, samples).

    Pixels behind the last whole block are given to it.
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
