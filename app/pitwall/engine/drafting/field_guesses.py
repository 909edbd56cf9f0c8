"""Guesses the kind of field for a box drawn on the picture: a bar, a colour, a moving thing, a picture.

Text and numbers are recognised elsewhere (`field_reading.py`).
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema import fields

_LONG = 2.5
"""Least ratio of a bar's length to its thickness."""
_STEP = 36.0
"""Least difference of two different colours (root mean square over channels, in levels)."""
_FLAT = 14.0
_EVEN_SHARE = 0.8
"""Share of a bar's columns that must be of one colour from top to bottom."""
_MOST_EDGES = 3
_FRAME_PX = 4
"""Greatest thickness of a bar's frame."""
_LEAST_PATCH_PX, _MOST_PATCHES = 6, 40
_BAR_SURE, _FULL_BAR_SURE, _COLOUR_SURE, _BLOB_SURE, _PICTURE_SURE = 0.85, 0.4, 0.6, 0.7, 0.5
"""Certainty of each guess; a bar of a single colour may also be a line, or empty."""
_SPECK = 0.001
"""Share of a box that may have another colour while the box still counts as a single colour."""
_HIGHEST_TEXT, _LOWEST_TEXT = 120, 5
_MOST_INK = 0.65
_WIDE, _SOLID = 1.2, 0.9
"""Least width by height, and filled share, of a shape that is no letter."""
_MOST_PATCH = 0.3
"""Greatest share of a box that a thing moving in it takes."""

Levels = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldGuess:
    """A field that would read a box.

    Attributes:
        pictures: pictures that it needs: file in the folder → PNG, base64.
        value: its reading, where known already.
        sure: certainty that this kind is right, 0 … 1.
    """

    field: fields.ReaderField
    pictures: dict[str, str]
    value: Value = None
    sure: float = 1.0


def guess_bar(crop: Pixels, box: fields.Box, name: str) -> FieldGuess | None:
    """Return the box as a bar; None if it does not look like a bar.

    Args:
        crop: (height, width, 3) uint8 BGR, the box.
    """
    height, width = crop.shape[:2]
    upright = height > width
    if max(height, width) < _LONG * min(height, width):
        return None
    lines = crop.transpose(1, 0, 2) if upright else crop
    quarter = lines.shape[0] // 4
    core = lines[quarter : max(quarter + 1, 3 * lines.shape[0] // 4)].astype(np.float32)
    columns: Levels = np.median(core, axis=0)
    even = _distance(core, columns[None]).max(axis=0) < _STEP
    if even.mean() < _EVEN_SHARE:
        return None
    edges = np.flatnonzero(_distance(columns[1:], columns[:-1]) >= _STEP) + 1
    runs = [run for run in np.split(np.arange(len(columns)), edges) if len(run) > 1]
    if not runs or len(runs) > _MOST_EDGES:
        return None
    colours = [np.median(columns[run], axis=0) for run in runs]
    vivid = max(range(len(runs)), key=lambda at: _vividness(colours[at]))
    if _vividness(colours[vivid]) < _FLAT:
        return None
    amid = len(runs) == 3 and vivid == 1 and _distance(colours[0], colours[2]) < _STEP
    if amid and min(len(runs[0]), len(runs[2])) > _FRAME_PX:
        return None  # a thing with background on both sides
    at_end = vivid == len(runs) - 1 and len(runs) > 1
    forward, backward = ("down", "up") if upright else ("right", "left")
    filled = _colour(colours[vivid])
    # Bars have shading: the tolerance reaches half the way to the nearest other colour.
    apart = [float(np.abs(colours[vivid] - other).max()) for at, other in enumerate(colours) if at != vivid]
    tolerance = int(min(60, max(12, min(apart, default=120.0) / 2)))
    field = fields.BarField(
        kind="bar",
        name=name,
        unit="%",
        box=box,
        colour=filled,
        tolerance=tolerance,
        direction=backward if at_end or (upright and len(runs) == 1) else forward,
    )
    return FieldGuess(field=field, pictures={}, sure=_BAR_SURE if len(runs) > 1 else _FULL_BAR_SURE)


def guess_colour(crop: Pixels, box: fields.Box, name: str, *, always: bool = False) -> FieldGuess | None:
    """Return the box as a colour field, true while most of it has the colour; None if it has several."""
    levels = crop.astype(np.float32)
    middle = _most_common(crop)
    patch = _largest_patch(levels, middle)
    if not always and patch is not None and patch[1] > max(_LEAST_PATCH_PX, _SPECK * levels[..., 0].size):
        return None
    field = fields.ColourField(
        kind="colour", name=name, box=box, colour=_colour(middle), tolerance=30, at_least=50.0
    )
    return FieldGuess(field=field, pictures={}, sure=_COLOUR_SURE)


def guess_blob(crop: Pixels, box: fields.Box, name: str, *, always: bool = False) -> FieldGuess | None:
    """Return the box as the place of a thing whose colour stands out; None if nothing does."""
    levels = crop.astype(np.float32)
    ground = _most_common(crop)
    patch = _largest_patch(levels, ground)
    if patch is None:
        return None
    colour, area = patch
    height, width = crop.shape[:2]
    if not always and area > _MOST_PATCH * height * width:
        return None
    field = fields.BlobField(
        kind="blob",
        name=name,
        unit="px",
        box=box,
        colour=_colour(colour),
        tolerance=30,
        least_px=max(_LEAST_PATCH_PX, area // 4),
        value="x" if width >= height else "y",
    )
    return FieldGuess(field=field, pictures={}, sure=_BLOB_SURE)


def guess_picture(crop: Pixels, box: fields.Box, name: str) -> FieldGuess:
    """Return the box as a picture that is seen or not, searched in the box and a little around."""
    file, kept = _picture(crop, name)
    field = fields.TemplateField(kind="template", name=name, box=box, template=file)
    return FieldGuess(field=field, pictures=kept, sure=_PICTURE_SURE)


def guess_sprite(crop: Pixels, box: fields.Box, name: str) -> FieldGuess:
    """Return the box as the picture of a thing that is searched everywhere."""
    file, kept = _picture(crop, name)
    field = fields.SpriteField(kind="sprite", name=name, unit="px", box=box, template=file)
    return FieldGuess(field=field, pictures=kept)


def _picture(crop: Pixels, name: str) -> tuple[str, dict[str, str]]:
    if crop.reshape(-1, 3).std(axis=0).max() < 1.0:
        raise PitwallError(
            "The box is all of one colour.", "Read it as a colour, or draw it around something."
        )
    done, data = cv2.imencode(".png", crop)
    assert done
    file = f"templates/{name}.png"
    return file, {file: base64.b64encode(data.tobytes()).decode("ascii")}


def may_be_text(crop: Pixels) -> bool:
    """Return whether a box may contain a line or two of text: low, with ink of a letter's height."""
    height, width = crop.shape[:2]
    if height > _HIGHEST_TEXT or height < _LOWEST_TEXT:
        return False
    levels = crop.astype(np.float32)
    ink = (_distance(levels, _most_common(crop)[None, None]) >= _STEP).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    widths, heights = stats[1:count, cv2.CC_STAT_WIDTH], stats[1:count, cv2.CC_STAT_HEIGHT]
    high = heights >= max(_LOWEST_TEXT, 0.2 * height)
    narrow = widths <= max(2 * height, width // 2)
    solid = stats[1:count, cv2.CC_STAT_AREA] >= _SOLID * widths * heights
    block = (widths >= _WIDE * heights) & solid
    return bool((high & narrow & ~block).any()) and float(ink.mean()) < _MOST_INK


def guess_change(box: fields.Box, name: str) -> FieldGuess:
    return FieldGuess(field=fields.ChangeField(kind="change", name=name, unit="%", box=box), pictures={})


def _distance(a: Levels, b: Levels) -> Levels:
    """Return the root mean square difference of colours, in levels."""
    return np.asarray(np.sqrt(((a - b) ** 2).mean(axis=-1)), np.float32)


def _vividness(colour: NDArray[np.floating]) -> float:
    """Return how much a colour stands out, by its saturation and a little by its brightness."""
    return float(colour.max() - colour.min() + 0.25 * colour.max())


def _colour(levels: NDArray[np.floating]) -> fields.Colour:
    blue, green, red = (round(float(part)) for part in levels)
    return red, green, blue


def _most_common(crop: Pixels, *, vivid: bool = False) -> Levels:
    """Return the commonest colour; `vivid`: pixels that stand out count more."""
    coarse = (crop >> 4).astype(np.int32)
    keys = (coarse[..., 0] << 8) | (coarse[..., 1] << 4) | coarse[..., 2]
    values, counts = np.unique(keys, return_counts=True)
    weights = counts.astype(np.float64)
    if vivid:
        parts = np.stack([values >> 8, (values >> 4) & 15, values & 15], axis=-1) * 16.0 + 8.0
        weights *= parts.max(axis=-1) - parts.min(axis=-1) + 0.25 * parts.max(axis=-1)
    held = keys == values[int(weights.argmax())]
    return np.asarray(np.median(crop[held].astype(np.float32), axis=0), np.float32)


def _largest_patch(levels: Levels, ground: Levels) -> tuple[Levels, int] | None:
    """Return colour and area of the patch that stands out most from the background, by size and vividness."""
    other = (_distance(levels, ground[None, None]) >= _STEP).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(other, connectivity=8)
    best: tuple[float, Levels, int] | None = None
    for at in 1 + np.argsort(-stats[1:count, cv2.CC_STAT_AREA])[:_MOST_PATCHES]:
        inside = levels[labels == at]
        if len(inside) < _LEAST_PATCH_PX:
            break
        colour = _most_common(inside[None].astype(np.uint8), vivid=True)
        area = int((_distance(inside, colour[None]) < _STEP).sum())
        weight = area * _vividness(colour)
        if best is None or weight > best[0]:
            best = weight, colour, area
    return (best[1], best[2]) if best is not None else None
