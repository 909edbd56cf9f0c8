"""Detectors without weights, and the fields that read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.detection.detectors import Detectors
from pitwall.engine.perception.frame_view import FrameView
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.templates import TemplateError
from pitwall.games.schema.detectors import Detector, MotionDetector
from pitwall.games.schema.profile import Profile

RED, BLUE = (220, 20, 20), (20, 20, 220)
Make = Callable[..., Profile]
MakeFrame = Callable[..., Frame]
Canvas = Callable[..., Pixels]


def _colour(**more: Any) -> dict[str, Any]:
    colours = {"imp": RED, "key": BLUE}
    return {"name": "things", "kind": "colour", "colours": colours, "tolerance": 10, **more}


def _detected(name: str, value: str, **more: Any) -> dict[str, Any]:
    return {"kind": "detected", "name": name, "detector": "things", "value": value, **more}


@pytest.fixture
def detectors(make_profile: Make, tmp_path: Path) -> Callable[..., Detectors]:
    """(width, height, *tables) → the detectors of a profile."""

    def make(width: int, height: int, *tables: dict[str, Any]) -> Detectors:
        profile = make_profile(width, height, detectors=list(tables))
        return Detectors(profile.detectors, tmp_path, profile.screen)

    return make


def _find(detectors: Detectors, frame: Frame, screen: tuple[int, int]) -> tuple[Detection, ...] | None:
    profile_screen = type("S", (), {"width": screen[0], "height": screen[1]})()
    looked = detectors.boxes(frame, FrameView(frame.pixels, None, profile_screen))
    return looked["things"].boxes if "things" in looked else None


def test_each_label_has_its_colour(
    detectors: Callable[..., Detectors], make_frame: MakeFrame, canvas: Canvas
) -> None:
    pixels = canvas(200, 100, (10, 20, 30, 40, RED), (100, 50, 8, 8, BLUE), (150, 10, 3, 3, RED))
    boxes = _find(detectors(200, 100, _colour()), make_frame(pixels), (200, 100))
    assert boxes is not None
    assert [(box.label, box.box) for box in boxes] == [
        ("imp", Rect(10, 20, 30, 40)),
        ("key", Rect(100, 50, 8, 8)),
    ]


def test_a_speck_too_small_and_one_too_many_are_left_out(
    detectors: Callable[..., Detectors], make_frame: MakeFrame, canvas: Canvas
) -> None:
    spots = [(10 * n, 10, 4 + n % 3, 4, RED) for n in range(15)]
    boxes = _find(
        detectors(200, 100, _colour(least_px=17, most=3)), make_frame(canvas(200, 100, *spots)), (200, 100)
    )
    assert boxes is not None
    assert [box.box.width for box in boxes] == [6, 6, 6]


@pytest.mark.parametrize(("join_px", "count"), [(0, 3), (4, 3), (5, 2), (30, 1)])
def test_patches_near_one_another_are_one_thing(
    detectors: Callable[..., Detectors], make_frame: MakeFrame, canvas: Canvas, join_px: int, count: int
) -> None:
    pixels = canvas(200, 100, (10, 10, 10, 10, RED), (25, 10, 10, 10, RED), (60, 10, 10, 30, RED))
    boxes = _find(detectors(200, 100, _colour(join_px=join_px)), make_frame(pixels), (200, 100))
    assert boxes is not None and len(boxes) == count
    if count == 2:
        assert {box.box for box in boxes} == {Rect(10, 10, 25, 10), Rect(60, 10, 10, 30)}
    if count == 1:
        assert boxes[0].box == Rect(10, 10, 60, 30), "the rectangle is that of the patches, not widened"


def test_motion_is_what_changed_since_the_frame_before(
    detectors: Callable[..., Detectors], make_frame: MakeFrame, canvas: Canvas
) -> None:
    moving = detectors(200, 100, {"name": "things", "kind": "motion", "join_px": 0})
    frames = [
        make_frame(canvas(200, 100, (x, 30, 12, 12, RED), (150, 30, 12, 12, BLUE))) for x in (20, 60, 60)
    ]
    assert _find(moving, frames[0], (200, 100)) is None, "nothing is known of one frame"
    boxes = _find(moving, frames[1], (200, 100))
    assert boxes is not None and _find(moving, frames[1], (200, 100)) == boxes, (
        "the same frame is not a new one"
    )
    assert {box.box for box in boxes} == {Rect(20, 30, 12, 12), Rect(60, 30, 12, 12)}
    assert {box.label for box in boxes} == {"motion"}
    assert _find(moving, frames[2], (200, 100)) == ()
    assert _find(moving, make_frame(canvas(100, 50)), (200, 100)) is None, "another size cannot be compared"


def _sprite(size: int, seed: int, *, round_: bool) -> Pixels:
    """Shapes and fine grain, as pixel art has them."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(20, 235, (size // 6, size // 6, 4)).astype(np.uint8)
    picture = np.asarray(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_NEAREST), np.uint8)
    picture += rng.integers(0, 20, (size, size, 4)).astype(np.uint8)
    picture[..., 3] = 255
    if round_:
        mask = np.zeros((size, size), np.uint8)
        cv2.circle(mask, (size // 2, size // 2), size // 2 - 1, 255, -1)
        picture[..., 3] = mask
    return picture


def _put(pixels: Pixels, sprite: Pixels, x: int, y: int) -> None:
    height, width = sprite.shape[:2]
    opaque = sprite[..., 3] > 0
    pixels[y : y + height, x : x + width][opaque] = sprite[opaque]


@pytest.mark.parametrize("round_", [False, True])
def test_pictures_are_found_in_several_sizes(
    make_profile: Make, make_frame: MakeFrame, tmp_path: Path, *, round_: bool
) -> None:
    sprites = {label: _sprite(24, seed, round_=round_) for seed, label in enumerate(("imp", "key"))}
    for label, sprite in sprites.items():
        assert cv2.imwrite(str(tmp_path / f"{label}.png"), sprite)
    background = np.random.default_rng(9).integers(0, 120, (240, 320, 4)).astype(np.uint8)
    big = np.asarray(cv2.resize(sprites["imp"], (48, 48), interpolation=cv2.INTER_NEAREST), np.uint8)
    _put(background, sprites["imp"], 30, 40)
    _put(background, sprites["key"], 200, 150)
    _put(background, big, 100, 100)
    table = {
        "name": "things",
        "kind": "template",
        "templates": {"imp": "imp.png", "key": "key.png"},
        "scales": [1.0, 2.0],
    }
    profile = make_profile(320, 240, detectors=[table])
    both = Detectors(profile.detectors, tmp_path, profile.screen)
    boxes = _find(both, make_frame(background), (320, 240))
    assert boxes is not None
    assert {(box.label, box.box) for box in boxes} == {
        ("imp", Rect(30, 40, 24, 24)),
        ("imp", Rect(100, 100, 48, 48)),
        ("key", Rect(200, 150, 24, 24)),
    }
    assert all(box.confidence > 0.99 for box in boxes)


def test_a_picture_that_is_missing_is_named(detectors: Callable[..., Detectors]) -> None:
    table = {"name": "things", "kind": "template", "templates": {"imp": "imp.png"}}
    with pytest.raises(
        TemplateError, match=r"detectors\.things\.templates\.imp: there is no file .*imp\.png"
    ):
        detectors(100, 100, table)


# ---- fields


def test_fields_read_the_box_they_pick(
    make_profile: Make, make_frame: MakeFrame, canvas: Canvas, tmp_path: Path
) -> None:
    fields = [
        _detected("x", "x", label="imp"),
        _detected("y", "y", label="imp"),
        _detected("left", "left", label="imp", pick="leftmost"),
        _detected("right", "right", label="imp", pick="rightmost"),
        _detected("top", "top", label="imp", pick="topmost"),
        _detected("bottom", "bottom", label="imp", pick="bottommost"),
        _detected("near_x", "x", label="imp", pick="nearest"),
        _detected("width", "width"),
        _detected("height", "height"),
        _detected("area", "area"),
        _detected("sure", "confidence", pick="surest"),
        _detected("count", "count"),
        _detected("imps", "count", label="imp"),
        _detected("right_half", "count", box=(100, 0, 100, 100)),
        _detected("seen", "seen", label="key"),
        {"kind": "derived", "name": "off", "value": "near_x - 100"},
    ]
    profile = make_profile(200, 100, *fields, detectors=[_colour()])
    boxes = ((10, 20, 30, 40, RED), (90, 5, 10, 10, RED), (160, 60, 12, 30, RED), (100, 50, 8, 8, BLUE))
    expected = {
        "x": 25.0, "y": 40.0, "left": 10.0, "right": 172.0, "top": 5.0, "bottom": 90.0, "near_x": 95.0,
        "width": 30.0, "height": 40.0, "area": 1200.0, "sure": 1.0, "count": 4, "imps": 3, "right_half": 2,
        "seen": True, "off": -5.0,
    }  # fmt: skip
    for scale in (1, 2):  # a window twice as large shows the same in `screen` pixels
        scaled = tuple((x * scale, y * scale, w * scale, h * scale, c) for x, y, w, h, c in boxes)
        readings = StateReader(profile, tmp_path).read(
            make_frame(canvas(200 * scale, 100 * scale, *scaled)), None
        )
        assert {name: reading.value for name, reading in readings.items()} == expected
        assert readings["x"].found == Rect(10 * scale, 20 * scale, 30 * scale, 40 * scale)


def test_nothing_found_is_not_the_same_as_not_looked(
    make_profile: Make, make_frame: MakeFrame, canvas: Canvas, tmp_path: Path
) -> None:
    values = ("x", "area", "confidence", "count", "seen")
    fields = [_detected(value, value) for value in values]
    empty = make_frame(canvas(200, 100))
    reader = StateReader(make_profile(200, 100, *fields, detectors=[_colour()]), tmp_path)
    assert [reading.value for reading in reader.read(empty, None).values()] == [None, None, None, 0, False]
    moving = {"name": "things", "kind": "motion"}
    reader = StateReader(make_profile(200, 100, *fields, detectors=[moving]), tmp_path)
    assert [reading.value for reading in reader.read(empty, None).values()] == [None] * 5


class _Counted:
    def __init__(self) -> None:
        self.times = 0

    def find(self, _look: FrameView) -> tuple[Detection, ...]:
        self.times += 1
        return ()


def test_a_detector_looks_once_at_a_frame_however_often_it_is_read(
    make_profile: Make, make_frame: MakeFrame, canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = _Counted()
    monkeypatch.setattr(Detectors, "_finder", lambda *_: counted)
    fields = [_detected(f"n{number}", "count") for number in range(5)]
    reader = StateReader(make_profile(200, 100, *fields, detectors=[_colour()]), tmp_path)
    for frame in (make_frame(canvas(200, 100)), make_frame(canvas(200, 100))):
        reader.read(frame, None)
        reader.read(frame, None)
    assert counted.times == 2


def test_changed_detectors_take_the_place_of_the_declared_ones(
    make_profile: Make, make_frame: MakeFrame, canvas: Canvas, tmp_path: Path
) -> None:
    profile = make_profile(200, 100, detectors=[_colour()])
    changed: list[Detector] = [
        make_profile(200, 100, detectors=[_colour(colours={"lava": RED}, least_px=2)]).detectors[0],
        MotionDetector(name="unknown", kind="motion"),
    ]
    both = Detectors(profile.detectors, tmp_path, profile.screen)
    frame = make_frame(canvas(200, 100, (10, 10, 2, 2, RED), (50, 50, 10, 10, BLUE)))

    def labels() -> list[str]:
        return [box.label for box in _find(both, frame, (200, 100)) or ()]

    assert labels() == ["key"]
    both.adopt(changed)
    assert labels() == ["lava"] and set(both.labels) == {"things"}
    bad = make_profile(
        200, 100, detectors=[{"name": "things", "kind": "template", "templates": {"a": "gone.png"}}]
    )
    with pytest.raises(TemplateError):
        both.adopt(bad.detectors)
    assert labels() == ["lava"], "a change that cannot be made changes nothing"
    both.adopt(())
    assert labels() == ["key"]
