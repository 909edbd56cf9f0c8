"""The reader as a whole: order, derived fields, boxes off the frame, status."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import ConditionError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus, Reading, Value
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.schema.profile import Profile, StatusRules

Read = Callable[..., dict[str, Reading]]
Canvas = Callable[..., Pixels]
GOLD = (240, 200, 10)


def _blob(name: str, value: str, **more: object) -> dict[str, object]:
    return {"kind": "blob", "name": name, "colour": GOLD, "value": value, **more}


def _derived(name: str, value: str) -> dict[str, object]:
    return {"kind": "derived", "name": name, "value": value, "unit": "px"}


def test_fields_come_in_order_and_derived_ones_see_those_before(read: Read, canvas: Canvas) -> None:
    pixels = canvas(200, 100, (60, 50, 20, 10, GOLD))
    readings = read(
        pixels,
        _blob("x", "x"),
        _derived("away", "abs(100 - x)"),
        _blob("y", "y"),
        _derived("sum", "away + y"),
        _derived("near", "away < 31 and y > 50"),
    )
    assert list(readings) == ["x", "away", "y", "sum", "near"]
    assert [reading.value for reading in readings.values()] == [70.0, 30.0, 55.0, 85.0, True]
    assert readings["away"].unit == "px"


def test_a_derived_field_of_something_unread_is_none(read: Read, canvas: Canvas) -> None:
    readings = read(canvas(200, 100), _blob("x", "x"), _derived("twice", "x * 2"))
    assert (readings["twice"].value, readings["twice"].confidence) == (None, 0.0)


def test_a_calculation_that_does_not_parse(read: Read, canvas: Canvas) -> None:
    with pytest.raises(ConditionError, match="x \\*"):
        read(canvas(20, 20), _derived("twice", "x *"))


def test_a_box_partly_off_the_frame_is_cut(read: Read, canvas: Canvas) -> None:
    pixels = canvas(100, 100, (90, 90, 10, 10, GOLD))
    reading = read(pixels, {"kind": "colour", "name": "gold", "colour": GOLD, "box": (90, 90, 50, 50)})[
        "gold"
    ]
    assert reading.value == 100.0
    assert reading.box == Rect(90, 90, 10, 10)


@pytest.mark.parametrize("kind", ["bar", "colour", "blob", "gap"])
def test_a_box_off_the_frame_cannot_be_read(read: Read, canvas: Canvas, kind: str) -> None:
    field = {"kind": kind, "name": "gold", "colour": GOLD, "box": (300, 300, 10, 10)}
    reading = read(canvas(100, 100), field, {"kind": "change", "name": "other", "box": (300, 300, 1, 1)})[
        "gold"
    ]
    assert (reading.value, reading.confidence) == (None, 0.0)


def test_text_comes_from_its_own_reader(
    make_profile: Callable[..., Profile],
    make_frame: Callable[..., Frame],
    canvas: Canvas,
    tmp_path: Path,
) -> None:
    profile = make_profile(
        100, 100, {"kind": "text", "name": "score", "number": True}, _derived("left", "10 - score")
    )
    reader, frame = StateReader(profile, tmp_path), make_frame(canvas(100, 100))
    without = reader.read(frame, None)
    assert (without["score"].value, without["left"].value) == (None, None)
    texts = {"score": Reading(name="score", value=4, confidence=0.9, age_ms=300.0)}
    readings = reader.read(frame, None, texts)
    assert readings["score"] is texts["score"]
    assert readings["left"].value == 6


def test_one_reader_follows_a_window_that_changes_its_size(
    make_profile: Callable[..., Profile], make_frame: Callable[..., Frame], canvas: Canvas, tmp_path: Path
) -> None:
    reader = StateReader(make_profile(200, 100, _blob("x", "x", box=(50, 40, 50, 30))), tmp_path)
    sizes: list[tuple[int, int, int]] = [(200, 100, 1), (400, 200, 2), (600, 300, 3), (200, 100, 1)]
    for width, height, scale in sizes:
        pixels = canvas(width, height, (60 * scale, 50 * scale, 20 * scale, 10 * scale, GOLD))
        assert reader.read(make_frame(pixels), None)["x"].value == 70.0


RULES = StatusRules(
    terminal="dead",
    loading="black > 99",
    menu="menu",
    paused="paused",
    ready="waiting",
    playing="health > 0",
)


@pytest.mark.parametrize(
    ("values", "phase"),
    [
        ({}, GameStatus.PLAYING),
        ({"health": 5}, GameStatus.PLAYING),
        ({"waiting": True, "health": 5}, GameStatus.READY),
        ({"paused": True, "waiting": True}, GameStatus.PAUSED),
        ({"menu": True, "paused": True}, GameStatus.MENU),
        ({"black": 100.0, "menu": True}, GameStatus.LOADING),
        ({"dead": True, "black": 100.0, "menu": True}, GameStatus.TERMINAL),
        ({"dead": None, "black": None, "menu": False}, GameStatus.PLAYING),
    ],
)
def test_status_takes_the_first_phase_that_holds(values: dict[str, Value], phase: GameStatus) -> None:
    assert status(RULES, values) is phase


def test_without_rules_a_game_is_playing() -> None:
    assert status(StatusRules(), {"menu": True}) is GameStatus.PLAYING
