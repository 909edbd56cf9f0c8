"""A frame while it is read: its crops, colour masks and their shapes, each made only once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Value
from pitwall.games.schema.fields import Box, Colour
from pitwall.games.schema.profile import Screen


@dataclass(frozen=True, slots=True)
class FieldResult:
    """The reading of one field.

    Attributes:
        value: None where it could not be read.
        confidence: 0 … 1.
        place: the place of the thing itself, in frame pixels.
    """

    value: Value
    confidence: float = 1.0
    place: Rect | None = None


UNREADABLE = FieldResult(None, 0.0)


class FrameView:
    """Crops and masks of one frame.

    Args:
        pixels: (height, width, 4) uint8, BGRX.
        reference: pixels of the previous step's frame; ignored if it has another size.
        screen: the size that boxes were drawn at.
    """

    def __init__(self, pixels: Pixels, reference: Pixels | None, screen: Screen) -> None:
        self._pixels = pixels
        self._reference = reference if reference is not None and reference.shape == pixels.shape else None
        self.height, self.width = pixels.shape[:2]
        self.scale_x = self.width / screen.width
        self.scale_y = self.height / screen.height
        self._rects: dict[Box, Rect] = {}
        self._colours: dict[Box | None, Pixels] = {}
        self._masks: dict[tuple[Box | None, Colour, int], Pixels] = {}
        self._patches: dict[tuple[Box | None, Colour, int], list[Patch]] = {}
        self._obstacles: dict[tuple[Box | None, Colour, int, int], Obstacle | None] = {}

    def rect(self, box: Box | None) -> Rect:
        """Return a box of the manifest in frame pixels, clipped to the frame; it may be empty."""
        if box is None:
            return Rect(0, 0, self.width, self.height)
        rect = self._rects.get(box)
        if rect is None:
            rect = Rect(*box).scaled(self.scale_x, self.scale_y).clipped(self.width, self.height)
            self._rects[box] = rect
        return rect

    def crop(self, box: Box | None) -> Pixels:
        """Return a view of a box: (height, width, 4) BGRX."""
        return _cut(self._pixels, self.rect(box))

    def colours(self, box: Box | None) -> Pixels:
        """Return a copy of a box without its unused byte: (height, width, 3) BGR."""
        colours = self._colours.get(box)
        if colours is None:
            copy = cv2.cvtColor(self.crop(box), cv2.COLOR_BGRA2BGR)
            colours = self._colours[box] = np.asarray(copy, np.uint8)
        return colours

    def reference_crop(self, box: Box | None) -> Pixels | None:
        return None if self._reference is None else _cut(self._reference, self.rect(box))

    def mask(self, box: Box | None, colour: Colour, tolerance: int) -> Pixels:
        """Return 255 where a box has the colour within the tolerance of each channel: (height, width)."""
        key = (box, colour, tolerance)
        mask = self._masks.get(key)
        if mask is None:
            mask = _of_colour(self.colours(box), colour, tolerance)
            self._masks[key] = mask
        return mask

    def mask_before(self, box: Box | None, colour: Colour, tolerance: int) -> Pixels:
        """Return the `mask` of the previous step's frame; 255 everywhere if there is none."""
        before = self.reference_crop(box)
        if before is None:
            return np.full_like(self.mask(box, colour, tolerance), 255)
        return _of_colour(before[:, :, :3], colour, tolerance)

    def patches(self, box: Box | None, colour: Colour, tolerance: int) -> list[Patch]:
        """Return the connected patches of a colour, unordered."""
        key = (box, colour, tolerance)
        patches = self._patches.get(key)
        if patches is None:
            patches = self._patches[key] = find_patches(self.mask(*key), self.rect(box))
        return patches

    def obstacle(self, box: Box | None, colour: Colour, tolerance: int, least_px: int) -> Obstacle | None:
        """Return the leftmost obstacle of a colour: columns with at least `least_px` rows (of `screen`)."""
        key = (box, colour, tolerance, least_px)
        if key not in self._obstacles:
            mask = self.mask(box, colour, tolerance)
            self._obstacles[key] = find_obstacle(mask, self.rect(box), least_px * self.scale_y)
        return self._obstacles[key]


def place_values(rect: Rect, x: float, y: float, area_px: float, look: FrameView) -> dict[str, float]:
    """Return the measures of a located object, by the names that fields use: "x", "left", "area" …

    The results are in pixels of the profile's `screen` size.

    Args:
        rect, x, y, area_px: its bounds, middle and area, in pixels of the frame.
    """
    return {
        "x": x / look.scale_x,
        "y": y / look.scale_y,
        "left": rect.x / look.scale_x,
        "right": rect.right / look.scale_x,
        "top": rect.y / look.scale_y,
        "bottom": rect.bottom / look.scale_y,
        "width": rect.width / look.scale_x,
        "height": rect.height / look.scale_y,
        "area": area_px / (look.scale_x * look.scale_y),
    }


def _of_colour(colours: Pixels, colour: Colour, tolerance: int) -> Pixels:
    red, green, blue = colour
    low = tuple(max(0, part - tolerance) for part in (blue, green, red))
    high = tuple(min(255, part + tolerance) for part in (blue, green, red))
    return np.asarray(cv2.inRange(colours, low, high), np.uint8)


def _cut(pixels: Pixels, rect: Rect) -> Pixels:
    return pixels[rect.y : rect.bottom, rect.x : rect.right]


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
        gap: its opening; None for none.
    """

    rect: Rect
    gap: Rect | None


def find_patches(mask: Pixels, rect: Rect) -> list[Patch]:
    """Return the connected patches of a mask (255 where the colour is) cut at `rect`, unordered."""
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
    """Return the first run of columns with the colour in enough rows, and its longest empty run of rows."""
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
