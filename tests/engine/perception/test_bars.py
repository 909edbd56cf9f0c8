"""Bars in four directions, by colour and by extent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading

Read = Callable[..., dict[str, Reading]]
Canvas = Callable[..., Pixels]
RED = (200, 20, 30)
BOX = (20, 30, 100, 10)
UPRIGHT = (20, 30, 10, 100)


def _bar(direction: str, by: str = "colour", box: tuple[int, int, int, int] = BOX) -> dict[str, Any]:
    return {
        "kind": "bar",
        "name": "health",
        "unit": "%",
        "box": box,
        "colour": RED,
        "direction": direction,
        "by": by,
    }


@pytest.mark.parametrize("by", ["colour", "extent"])
@pytest.mark.parametrize(
    ("direction", "box", "drawn"),
    [
        ("right", BOX, (20, 30, 37, 10)),
        ("left", BOX, (83, 30, 37, 10)),
        ("down", UPRIGHT, (20, 30, 10, 37)),
        ("up", UPRIGHT, (20, 93, 10, 37)),
    ],
)
def test_directions(
    read: Read,
    canvas: Canvas,
    by: str,
    direction: str,
    box: tuple[int, int, int, int],
    drawn: tuple[int, int, int, int],
) -> None:
    reading = read(canvas(200, 200, (*drawn, RED)), _bar(direction, by, box))["health"]
    assert reading.value == 37.0
    assert (reading.unit, reading.confidence) == ("%", 1.0)
    assert reading.box == Rect(*box)
    assert reading.found == Rect(*drawn)


@pytest.mark.parametrize(("filled", "value"), [(0, 0.0), (1, 1.0), (99, 99.0), (100, 100.0)])
def test_the_ends(read: Read, canvas: Canvas, filled: int, value: float) -> None:
    pixels = canvas(200, 60, (20, 30, filled, 10, RED))
    assert read(pixels, _bar("right"))["health"].value == value
    assert read(pixels, _bar("right", "extent"))["health"].value == value


def test_extent_reaches_over_holes_and_colour_leaves_them_out(read: Read, canvas: Canvas) -> None:
    pixels = canvas(200, 60, (20, 30, 30, 10, RED), (60, 30, 20, 10, RED))
    assert read(pixels, _bar("right", "colour"))["health"].value == 50.0
    assert read(pixels, _bar("right", "extent"))["health"].value == 60.0


def test_red_is_not_blue(read: Read, canvas: Canvas) -> None:
    blue = canvas(200, 60, (20, 30, 50, 10, (30, 20, 200)))
    assert read(blue, _bar("right"))["health"].value == 0.0


@pytest.mark.parametrize(("shade", "value"), [((160, 20, 30), 50.0), ((159, 20, 30), 0.0)])
def test_tolerance_is_for_each_channel(
    read: Read, canvas: Canvas, shade: tuple[int, int, int], value: float
) -> None:
    assert read(canvas(200, 60, (20, 30, 50, 10, shade)), _bar("right"))["health"].value == value


def test_a_line_across_the_box_is_no_bar(read: Read, canvas: Canvas) -> None:
    assert read(canvas(200, 60, (20, 31, 100, 2, RED)), _bar("right"))["health"].value == 0.0
    assert read(canvas(200, 60, (20, 31, 80, 3, RED)), _bar("right"))["health"].value == 80.0


def test_boxes_scale_with_the_window(read: Read, canvas: Canvas) -> None:
    pixels = canvas(400, 120, (40, 60, 74, 20, RED))
    reading = read(pixels, _bar("right"), screen=(200, 60))["health"]
    assert reading.value == 37.0
    assert reading.box == Rect(40, 60, 200, 20)
    assert reading.found == Rect(40, 60, 74, 20)
