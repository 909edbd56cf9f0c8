"""Measures the shapes in a colour mask: connected patches, and gaps in the leftmost obstacle."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect


@dataclass(frozen=True, slots=True)
class Patch:
    """A connected patch of one colour, in frame pixels. x, y: centre of gravity."""

    rect: Rect
    area_px: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The leftmost obstacle of a colour, in frame pixels.

    Attributes:
        rect: its columns, over the box's whole height.
        gap: where it lets through; None where it does not.
    """

    rect: Rect
    gap: Rect | None


def find_patches(mask: Pixels, rect: Rect) -> list[Patch]:
    """Every connected patch of a mask (255 where the colour is) that was cut at `rect`, in no order."""
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return []
    inside = mask[top : top + height, left : left + width]
    _, _, stats, centres = cv2.connectedComponentsWithStats(inside, connectivity=8)
    x, y = rect.x + left, rect.y + top
    return [
        Patch(Rect(x + int(row[0]), y + int(row[1]), int(row[2]), int(row[3])), int(row[4]), x + cx, y + cy)
        for row, (cx, cy) in zip(stats[1:].tolist(), centres[1:].tolist(), strict=True)
    ]


def find_obstacle(mask: Pixels, rect: Rect, least_rows: float) -> Obstacle | None:
    """The first run of columns that hold the colour in enough rows, and its longest run of empty rows."""
    counts = np.asarray(cv2.reduce(mask, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S))[0]
    holds = counts >= 255 * max(1.0, least_rows)
    if not holds.any():
        return None
    left = int(holds.argmax())
    rest = holds[left:]
    width = len(rest) if rest.all() else int(rest.argmin())
    columns = Rect(rect.x + left, rect.y, width, rect.height)
    filled = cv2.reduce(mask[:, left : left + width], 1, cv2.REDUCE_SUM, dtype=cv2.CV_32S)
    empty = np.asarray(filled)[:, 0] == 0
    edges = np.flatnonzero(np.diff(np.concatenate(([False], empty, [False])).astype(np.int8)))
    if not edges.size:
        return Obstacle(columns, None)
    tops, bottoms = edges[::2], edges[1::2]
    longest = int(np.argmax(bottoms - tops))
    top, bottom = int(tops[longest]), int(bottoms[longest])
    return Obstacle(columns, Rect(columns.x, rect.y + top, width, bottom - top))
