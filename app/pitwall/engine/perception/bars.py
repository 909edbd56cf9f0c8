"""Bars: health, stamina, progress, drawn as a strip of one colour."""

from __future__ import annotations

import numpy as np

from pitwall.core.geometry import Rect
from pitwall.engine.perception.frame_view import FieldResult, FrameView
from pitwall.games.schema.fields import BarField

_LEAST_SHARE = 0.25
"""Part of a bar's thickness that must hold the colour (bars have borders and shading)."""


def read_bar(field: BarField, look: FrameView) -> FieldResult:
    """Filled share of a bar, in %.

    By colour, it is the share of columns (rows, for one that stands upright) that hold the colour;
    by extent, how far from its beginning the farthest one is, so holes in it do not matter.
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
