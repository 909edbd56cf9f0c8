"""Dino's eyes, on frames of the page as Chromium draws it: by day, by night, and in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dino_eyes import reader
from dino_eyes.pace import Pace
from numpy.typing import NDArray
from PIL import Image

FRAMES = Path(__file__).parent / "dino"


def frame(name: str) -> NDArray[np.uint8]:
    grey = np.asarray(Image.open(FRAMES / f"{name}.png").convert("L"))
    return np.repeat(grey[:, :, None], 4, axis=2)


def seen(pixels: NDArray[np.uint8]) -> dict[str, Any]:
    return reader(FRAMES).read(pixels)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("menu", {"menu": True, "game_over": False, "score": None}),
        ("over", {"menu": False, "game_over": True, "score": 47}),
        ("day", {"night": False, "score": 45, "obstacle": "low", "obstacle_left": 129, "obstacle_width": 25}),
        ("bird", {"score": 520, "obstacle": "bird", "obstacle_left": 177, "airborne": False}),
        ("dusk", {"score": 700, "obstacle": "low", "obstacle_left": 337, "obstacle_width": 79}),
        ("night", {"night": True, "obstacle": "low", "obstacle_left": 235, "obstacle_width": 45}),
        ("high_bird", {"night": True, "score": 767, "obstacle": "low"}),
        ("score_22225", {"score": 22225}),
        ("score_77779", {"score": 77779}),
        ("score_88890", {"score": 88890}),
    ],
)
def test_what_a_frame_shows(name: str, fields: dict[str, Any]) -> None:
    values = seen(frame(name))
    assert {field: values.get(field) for field in fields} == fields


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("name", ["day", "bird"])
def test_it_reads_the_same_while_the_picture_turns(name: str, share: float) -> None:
    """The page inverts its picture bit by bit (a filter of the style sheet)."""
    bright = frame(name).astype(float)
    turned = (bright * (1 - share) + (255 - bright) * share).round().astype(np.uint8)
    expected, values = seen(frame(name)), seen(turned)
    assert values.pop("night") is (share > 0.5)
    expected.pop("night")
    assert values == expected


def test_where_nothing_stands_out_it_says_nothing_of_what_comes() -> None:
    values = seen(np.full((300, 600, 4), 127, np.uint8))
    assert "obstacle" not in values


def test_pixels_of_another_size_are_not_read() -> None:
    assert seen(np.zeros((100, 100, 4), np.uint8)) == {}


def test_a_blinking_meter_keeps_its_number() -> None:
    eyes = reader(FRAMES)
    eyes.read(frame("day"))
    blank = frame("day").copy()
    blank[30:48, 500:] = 255
    assert eyes.read(blank)["score"] == 45


def test_pace_is_the_middle_of_what_was_measured() -> None:
    pace = Pace()
    at_s, left = 0.0, 590.0
    for turn in range(12):
        pace.seen(round(left), at_s)
        step_s = 0.05 if turn != 5 else 0.06  # one frame came late, with the obstacle where it was due
        at_s, left = at_s + step_s, left - 500 * 0.05
    assert 480 <= pace.px_s <= 520


def test_a_new_obstacle_is_no_movement() -> None:
    pace = Pace()
    for turn in range(5):
        pace.seen(300 - 25 * turn, 0.05 * turn)
    before = pace.px_s
    pace.seen(580, 0.25)
    assert pace.px_s == before
