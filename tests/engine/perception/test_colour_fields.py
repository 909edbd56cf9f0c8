"""Colour shares, changes, patches and gaps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.engine.perception.reader import StateReader
from pitwall.games.schema.profile import Profile

Read = Callable[..., dict[str, Reading]]
Canvas = Callable[..., Pixels]
GREEN = (115, 190, 45)
GOLD = (240, 200, 10)


def _colour(**more: Any) -> dict[str, Any]:
    return {"kind": "colour", "name": "field", "colour": GREEN, **more}


def _blob(**more: Any) -> dict[str, Any]:
    return {"kind": "blob", "name": "field", "colour": GOLD, **more}


def _gap(value: str, **more: Any) -> dict[str, Any]:
    return {"kind": "gap", "name": "field", "colour": GREEN, "value": value, **more}


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ({"box": (0, 0, 40, 50)}, 25.0),
        ({"box": (0, 0, 20, 25)}, 100.0),
        ({"box": (50, 0, 40, 50)}, 0.0),
        ({}, 5.0),
        ({"at_least": 5}, True),
        ({"at_least": 5.1}, False),
    ],
)
def test_share_of_a_colour(read: Read, canvas: Canvas, more: dict[str, Any], value: Value) -> None:
    reading = read(canvas(100, 100, (0, 0, 20, 25, GREEN)), _colour(**more))["field"]
    assert reading.value == value
    assert type(reading.value) is type(value)


def test_change_of_a_box(read: Read, canvas: Canvas) -> None:
    before, after = canvas(100, 100), canvas(100, 100, (0, 0, 50, 100, (255, 255, 255)))
    field = {"kind": "change", "name": "field"}
    assert read(after, field)["field"].value is None
    assert read(after, field, reference=after.copy())["field"].value == 0.0
    assert read(after, field, reference=before)["field"].value == 50.0
    assert read(after, {**field, "box": (40, 0, 20, 100)}, reference=before)["field"].value == 50.0
    assert read(after, {**field, "box": (60, 0, 20, 100)}, reference=before)["field"].value == 0.0
    assert read(after, field, reference=canvas(90, 100))["field"].value is None


def test_the_unused_byte_is_no_change(read: Read, canvas: Canvas) -> None:
    before, after = canvas(20, 20), canvas(20, 20)
    after[..., 3] = 255
    assert read(after, {"kind": "change", "name": "field"}, reference=before)["field"].value == 0.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x", 70.0),
        ("y", 55.0),
        ("left", 60.0),
        ("right", 80.0),
        ("top", 50.0),
        ("bottom", 60.0),
        ("area", 200.0),
        ("seen", True),
    ],
)
def test_blob_values(read: Read, canvas: Canvas, value: str, expected: Value) -> None:
    pixels = canvas(200, 100, (60, 50, 20, 10, GOLD), (150, 20, 5, 5, GOLD))
    reading = read(pixels, _blob(value=value, box=(10, 5, 180, 90)))["field"]
    assert reading.value == expected
    assert reading.found == Rect(60, 50, 20, 10)


@pytest.mark.parametrize(
    ("pick", "x"),
    [("largest", 100.0), ("leftmost", 22.0), ("rightmost", 182.0), ("topmost", 152.0), ("bottommost", 62.0)],
)
def test_blob_picks(read: Read, canvas: Canvas, pick: str, x: float) -> None:
    pixels = canvas(
        200,
        100,
        (20, 50, 4, 4, GOLD),
        (90, 40, 20, 20, GOLD),
        (180, 50, 4, 4, GOLD),
        (150, 2, 4, 4, GOLD),
        (60, 94, 4, 4, GOLD),
    )
    assert read(pixels, _blob(pick=pick))["field"].value == x


def test_small_patches_are_not_seen(read: Read, canvas: Canvas) -> None:
    speck, patch = canvas(200, 100, (60, 50, 11, 1, GOLD)), canvas(200, 100, (60, 50, 12, 1, GOLD))
    assert read(speck, _blob())["field"].value is None
    assert read(speck, _blob())["field"].confidence == 0.0
    assert read(speck, _blob(value="seen"))["field"].value is False
    assert read(speck, _blob(value="seen"))["field"].confidence == 1.0
    assert read(patch, _blob())["field"].value == 66.0


def test_blob_values_are_in_screen_pixels(read: Read, canvas: Canvas) -> None:
    pixels = canvas(400, 300, (120, 150, 40, 30, GOLD))
    fields = [_blob(value=value) | {"name": value} for value in ("x", "y", "area", "left", "bottom")]
    readings = read(pixels, *fields, screen=(200, 100))
    assert {name: reading.value for name, reading in readings.items()} == {
        "x": 70.0,
        "y": 55.0,
        "area": 200.0,
        "left": 60.0,
        "bottom": 60.0,
    }
    assert readings["x"].found == Rect(120, 150, 40, 30)
    small = canvas(400, 300, (120, 150, 71, 1, GOLD))
    assert read(small, _blob(), screen=(200, 100))["field"].value is None


def _pipes(canvas: Canvas, *lefts: int, scale: int = 1) -> Pixels:
    """Pipes with lips that stand out by 3 px, gap from 150 to 250."""
    parts = []
    for x in lefts:
        parts += [(x + 3, 0, 46, 130), (x, 130, 52, 20), (x, 250, 52, 20), (x + 3, 270, 46, 130)]
    rectangles = [(*(max(0, side * scale) for side in part), GREEN) for part in parts]
    return canvas(288 * scale, 512 * scale, *rectangles)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("top", 150.0), ("bottom", 250.0), ("centre", 200.0), ("left", 90.0), ("right", 142.0)],
)
@pytest.mark.parametrize("scale", [1, 2])
def test_the_gap_in_the_leftmost_obstacle(
    read: Read, canvas: Canvas, value: str, expected: float, scale: int
) -> None:
    pixels = _pipes(canvas, 90, 234, scale=scale)
    reading = read(pixels, _gap(value, box=(60, 0, 228, 400)), screen=(288, 512))["field"]
    assert reading.value == expected
    columns = Rect(90 * scale, 150 * scale, 52 * scale, 100 * scale)
    whole = Rect(90 * scale, 0, 52 * scale, 400 * scale)
    assert reading.found == (whole if value in ("left", "right") else columns)


def test_an_obstacle_behind_the_box_does_not_count(read: Read, canvas: Canvas) -> None:
    pixels = _pipes(canvas, 0, 144)
    assert read(pixels, _gap("left", box=(60, 0, 228, 400)))["field"].value == 144.0
    assert read(pixels, _gap("left", box=(30, 0, 258, 400)))["field"].value == 30.0


def test_grass_is_no_obstacle(read: Read, canvas: Canvas) -> None:
    pixels = canvas(288, 512, (0, 393, 288, 7, GREEN))
    assert read(pixels, _gap("centre", box=(60, 0, 228, 400)))["field"].value is None
    assert read(pixels, _gap("centre", box=(60, 0, 228, 400), least_px=7))["field"].value == 196.5


def test_an_obstacle_without_a_gap(read: Read, canvas: Canvas) -> None:
    pixels = canvas(100, 100, (40, 0, 20, 100, GREEN))
    assert read(pixels, _gap("centre"))["field"].value is None
    assert read(pixels, _gap("left"))["field"].value == 40.0


def test_the_box_bounds_a_gap_too(read: Read, canvas: Canvas) -> None:
    pixels = canvas(100, 100, (40, 60, 20, 40, GREEN))
    assert read(pixels, _gap("bottom", box=(0, 10, 100, 80)))["field"].value == 60.0
    assert read(pixels, _gap("top", box=(0, 10, 100, 80)))["field"].value == 10.0


def test_nothing_anywhere(read: Read) -> None:
    pixels = np.zeros((50, 50, 4), np.uint8)
    assert read(pixels, _gap("left"))["field"].value is None
    assert read(pixels, _blob())["field"].value is None


def test_cells_of_the_colour_are_named_as_actions(read: Read, canvas: Canvas) -> None:
    board = {"kind": "cells", "name": "field", "columns": 3, "rows": 4, "colour": GREEN, "action": "open"}
    at = [(column, row) for column, row in ((0, 0), (2, 1), (2, 3))]
    pixels = canvas(120, 80, *((40 * column, 20 * row, 40, 20, GREEN) for column, row in at))
    named = str(read(pixels, board)["field"].value)
    assert set(named.split("; ")) == {f"open(column={column}, row={row})" for column, row in at}
    assert read(canvas(120, 80), board)["field"].value is None


def test_cells_of_what_moves_leave_what_stood_there_before(read: Read, canvas: Canvas) -> None:
    board = {"kind": "cells", "name": "field", "columns": 3, "rows": 4, "colour": GREEN, "action": "open"}
    before = canvas(120, 80, (0, 0, 40, 20, GREEN), (40, 0, 40, 20, GREEN))
    now = canvas(120, 80, (0, 0, 40, 20, GREEN), (40, 20, 40, 20, GREEN))
    board |= {"moving": True}
    assert read(now, board, reference=before)["field"].value == "open(column=1, row=1)"
    assert read(now, board, reference=now)["field"].value is None
    assert read(now, board)["field"].value is None


def test_what_moves_is_looked_at_anew_on_the_same_frame(
    make_profile: Callable[..., Profile], make_frame: Callable[..., Frame], canvas: Canvas, tmp_path: Path
) -> None:
    board = {"kind": "cells", "name": "field", "columns": 3, "rows": 4, "colour": GREEN, "action": "open"}
    reader = StateReader(make_profile(120, 80, {**board, "moving": True}), tmp_path)
    before = canvas(120, 80, (0, 0, 40, 20, GREEN))
    frame = make_frame(canvas(120, 80, (40, 20, 40, 20, GREEN)))
    assert reader.read(frame, before)["field"].value == "open(column=1, row=1)"
    assert reader.read(frame, frame.pixels)["field"].value is None
