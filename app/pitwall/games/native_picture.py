"""Reads a window's picture in the game's own pixels: an old console's screen, enlarged by a whole number.

A game's own reader may import it: `from pitwall.games.native_picture import native, patches`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Native = NDArray[np.int32]
"""(height, width), a colour a pixel: 0xRRGGBB."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A group of touching pixels of one colour, in the game's own pixels."""

    left: int
    top: int
    width: int
    height: int
    area: int

    @property
    def x(self) -> float:
        return self.left + (self.width - 1) / 2

    @property
    def y(self) -> float:
        return self.top + (self.height - 1) / 2

    @property
    def right(self) -> int:
        return self.left + self.width - 1

    @property
    def bottom(self) -> int:
        return self.top + self.height - 1


def native(pixels: Pixels, width: int = 160, height: int = 210) -> Native:
    """Return the picture in the game's own pixels, each sampled at its middle.

    Args:
        pixels: (height, width, 4) uint8, BGRX. width, height: of the game's own picture.
    """
    whole = np.ascontiguousarray(pixels).view("<i4")[..., 0]
    tall, wide = whole.shape
    if tall % height == 0 and wide % width == 0:  # slicing is far quicker than indexing
        down, across = tall // height, wide // width
        picture = whole[down // 2 :: down, across // 2 :: across]
    else:
        rows = (2 * np.arange(height) + 1) * tall // (2 * height)
        columns = (2 * np.arange(width) + 1) * wide // (2 * width)
        picture = whole[rows[:, None], columns]
    return np.asarray(picture & 0xFFFFFF, np.int32)


def among(picture: Native, colours: Iterable[int]) -> NDArray[np.bool_]:
    """Return the mask of pixels that have one of a few colours, faster than `numpy.isin`."""
    mask = np.zeros(picture.shape, np.bool_)
    for colour in colours:
        mask |= picture == colour
    return mask


def speed(trail: Sequence[Patch], axis: Literal["x", "y"]) -> float | None:
    """Return the speed of a tracked patch along an axis, in pixels a frame; None: not known yet."""
    if len(trail) < 2:
        return None
    moved: float = getattr(trail[-1], axis) - getattr(trail[0], axis)
    return moved / (len(trail) - 1)


def patches(picture: Native, *colours: int, box: tuple[int, int, int, int] | None = None) -> list[Patch]:
    """Return the patches of some colours, largest first; pixels that touch by a corner belong together.

    Args:
        box: left, top, right and bottom (both exclusive) of the area to search.
    """
    left, top, right, bottom = box or (0, 0, picture.shape[1], picture.shape[0])
    mask = among(picture[top:bottom, left:right], colours)
    return patches_of(mask, left, top)


def patches_of(mask: NDArray[np.bool_], left: int = 0, top: int = 0) -> list[Patch]:
    """Return the patches of a mask, largest first.

    Args:
        left, top: place of the mask's upper left corner.
    """
    dots = np.ascontiguousarray(mask).view(np.uint8)
    x, y, width, height = cv2.boundingRect(dots)  # an empty border would cost most of the time
    if not width:
        return []
    around = dots[y : y + height, x : x + width]
    left, top = left + x, top + y
    _, _, stats, _ = cv2.connectedComponentsWithStats(around, connectivity=8)
    every = (Patch(left + x, top + y, w, h, area) for x, y, w, h, area in stats[1:].tolist())
    return sorted(every, key=lambda patch: -patch.area)
