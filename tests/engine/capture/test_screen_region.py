"""The screen-region fallback: polled, follows the window, sees what covers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowHealth

if TYPE_CHECKING:
    from tests.engine.capture.conftest import Stage

pytestmark = [pytest.mark.screen, pytest.mark.usefixtures("screen")]

Tool = Callable[..., None]


def bgr(frame: Frame, x: int, y: int) -> list[int]:
    return [int(value) for value in frame.pixels[y, x, :3]]


def test_polled_frames_come_when_the_picture_changes(stage: Stage, tool: Tool) -> None:
    game, window = stage.open_game()
    source = stage.settled(window, "screen")
    assert source.backend == "screen-region"
    quiet = [source.take() for _ in range(20) if stage.ready(source, 1.0)]
    assert quiet == [None] * 20

    game.fill(200, 100, 50)
    frame = stage.frame(source)
    assert bgr(frame, 160, 120) == [50, 100, 200]
    assert bgr(frame, 5, 5) == [0, 0, 255]
    assert frame.pixels.shape == (240, 320, 4)
    fresh = source.fresh()
    assert fresh is not None
    assert fresh.frame_id == frame.frame_id + 1

    tool("windowmove", window.native_id, 400, 300)
    stage.follow(source, lambda: source.window.rect.x > 350)
    game.fill(1, 2, 3)
    assert bgr(stage.frame(source, lambda frame: bgr(frame, 160, 120) == [3, 2, 1]), 5, 5) == [0, 0, 255]

    game.tell("resize", 400, 200)
    frame = stage.frame(source, lambda frame: frame.width == 400 and bgr(frame, 390, 190) == [3, 2, 1])
    assert frame.height == 200


def test_what_lies_off_the_screen_is_black(stage: Stage, tool: Tool) -> None:
    game, window = stage.open_game()
    source = stage.settled(window, "screen")
    tool("windowmove", window.native_id, 1450, 700)
    game.fill(90, 90, 90)
    frame = stage.frame(source, lambda frame: frame.window.x > 1400 and bgr(frame, 20, 120) == [90, 90, 90])
    assert frame.pixels.shape == (240, 320, 4)
    assert bgr(frame, 319, 120) == [0, 0, 0]


def test_minimised_and_closed_windows_are_told(stage: Stage, tool: Tool) -> None:
    game, window = stage.open_game()
    source = stage.settled(window, "screen")
    tool("windowminimize", window.native_id)
    stage.follow(source, lambda: source.health is WindowHealth.MINIMISED)
    assert source.fresh() is None
    tool("windowmap", window.native_id)
    stage.follow(source, lambda: source.health is WindowHealth.VISIBLE)
    assert source.fresh() is not None
    game.end()
    stage.follow(source, lambda: source.health is WindowHealth.GONE)
    assert source.fresh() is None
