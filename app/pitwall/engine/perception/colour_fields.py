"""Reads fields by colour: bars, a colour's share of a box, its patches, gaps and cells, and change."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from pitwall.core.geometry import Rect
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView, Patch, place_values
from pitwall.games.schema.fields import BarField, BlobField, CellsField, ChangeField, ColourField, GapField


def read_colour(field: ColourField, look: FrameView) -> FieldResult:
    """Return the share of the box with the colour, in %; or whether it is at least `at_least`."""
    mask = look.mask(field.box, field.colour, field.tolerance)
    share = 100.0 * cv2.countNonZero(mask) / mask.size
    return FieldResult(round(share, 2) if field.at_least is None else share >= field.at_least)


def read_change(field: ChangeField, look: FrameView) -> FieldResult:
    """Return the mean absolute change of the three colours since the previous step's frame, in %."""
    before = look.reference_crop(field.box)
    if before is None:
        return UNREADABLE
    blue, green, red, _ = cv2.mean(cv2.absdiff(look.crop(field.box), before))
    return FieldResult(round((blue + green + red) / (3 * 2.55), 2))


def read_blob(field: BlobField, look: FrameView) -> FieldResult:
    """Return a coordinate of one patch of the colour, in `screen` pixels."""
    least_px = field.least_px * look.scale_x * look.scale_y
    patches = look.patches(field.box, field.colour, field.tolerance)
    big = [patch for patch in patches if patch.area_px >= least_px]
    if not big:
        return FieldResult(False) if field.value == "seen" else UNREADABLE
    patch = _pick(field.pick, big)
    rect = patch.rect
    values = place_values(rect, patch.x + 0.5, patch.y + 0.5, patch.area_px, look)
    return FieldResult(True if field.value == "seen" else round(values[field.value], 1), 1.0, rect)


def _pick(pick: str, patches: list[Patch]) -> Patch:
    keys: dict[str, Callable[[Patch], float]] = {
        "leftmost": lambda patch: patch.rect.x,
        "rightmost": lambda patch: -patch.rect.right,
        "topmost": lambda patch: patch.rect.y,
        "bottommost": lambda patch: -patch.rect.bottom,
        "largest": lambda patch: -patch.area_px,
    }
    return min(patches, key=keys[pick])


def read_gap(field: GapField, look: FrameView) -> FieldResult:
    """Return an edge of the gap in the leftmost obstacle of a colour, or a side of the obstacle."""
    obstacle = look.obstacle(field.box, field.colour, field.tolerance, field.least_px)
    if obstacle is None:
        return UNREADABLE
    if field.value in ("left", "right"):
        side = obstacle.rect.x if field.value == "left" else obstacle.rect.right
        return FieldResult(round(side / look.scale_x, 1), 1.0, obstacle.rect)
    gap = obstacle.gap
    if gap is None:
        return UNREADABLE
    edges = {"top": gap.y, "bottom": gap.bottom, "centre": (gap.y + gap.bottom) / 2}
    return FieldResult(round(edges[field.value] / look.scale_y, 1), 1.0, gap)


def read_cells(field: CellsField, look: FrameView) -> FieldResult:
    """Return actions on the cells of a board that have the colour, in a scattered order.

    The order changes with the number of cells, so that a successful click is followed by one elsewhere.
    """
    mask = look.mask(field.box, field.colour, field.tolerance)
    height, width = mask.shape
    if height < field.rows or width < field.columns:
        return UNREADABLE
    if field.moving:
        mask = mask & ~look.mask_before(field.box, field.colour, field.tolerance)
    shares = cv2.resize(mask, (4 * field.columns, 4 * field.rows), interpolation=cv2.INTER_AREA)
    middles = shares.reshape(field.rows, 4, field.columns, 4)[:, 1:3, :, 1:3].mean(axis=(1, 3))
    cells = np.argwhere(100.0 * middles / 255 >= field.at_least)
    if field.value == "count":
        return FieldResult(len(cells))
    if not len(cells):
        return UNREADABLE
    order = np.random.default_rng(len(cells)).permutation(len(cells))[: field.most]
    named = (f"{field.action}(column={column}, row={row})" for row, column in cells[order])
    return FieldResult("; ".join(named))


_LEAST_SHARE = 0.25
"""Share of a bar's thickness that must have the colour (bars have borders and shading)."""


def read_bar(field: BarField, look: FrameView) -> FieldResult:
    """Return the filled share of a bar, in %.

    By colour, it is the share of columns (rows of an upright bar) that have the colour;
    by extent, the distance of the farthest such column from the bar's beginning, whatever the holes.
    """
    mask, rect = look.mask(field.box, field.colour, field.tolerance), look.rect(field.box)
    upright = field.direction in ("up", "down")
    thick = np.count_nonzero(mask, axis=1 if upright else 0)
    holds = thick >= max(1.0, _LEAST_SHARE * mask.shape[1 if upright else 0])
    if field.direction in ("left", "up"):
        holds = holds[::-1]
    reach = int(np.flatnonzero(holds)[-1]) + 1 if holds.any() else 0
    filled = int(holds.sum()) if field.by == "colour" else reach
    return FieldResult(round(100.0 * filled / holds.size, 1), 1.0, _filled(rect, field.direction, reach))


def _filled(rect: Rect, direction: str, reach: int) -> Rect | None:
    if not reach:
        return None
    match direction:
        case "left":
            return Rect(rect.right - reach, rect.y, reach, rect.height)
        case "up":
            return Rect(rect.x, rect.bottom - reach, rect.width, reach)
        case "down":
            return Rect(rect.x, rect.y, rect.width, reach)
        case _:
            return Rect(rect.x, rect.y, reach, rect.height)
