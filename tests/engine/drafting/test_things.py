"""What moves is found by what tells it apart: a paddle with a shadow, under bricks of its own colour."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from pitwall.core.actions import InputEvent
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.filmstrip import Filmstrip
from pitwall.engine.drafting.finding.played_minute import PlayedMinute
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.engine.drafting.finding.things import find_things
from pitwall.engine.perception.colour_fields import read_blob
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.fields import BlobField
from pitwall.games.schema.profile import Screen
from pitwall.models.host_requests import TextLine

SCREEN = Screen(width=320, height=240)
MENU, FRAMES, SERVED = 3, 100, 70
YELLOW, GREEN = (60, 170, 200), (90, 200, 110)
SHADOW_PX = (12, 8)


def _ground(level: int) -> Pixels:
    """A pattern of its own for each level, in its own colour."""
    y, x = np.mgrid[:240, :320]
    waves = 14 * np.sin(x / (9 + 4 * level)) * np.cos(y / (13 - 3 * level))
    return np.asarray(
        np.clip(np.array([(60, 90, 55), (140, 90, 95)][level]) + waves[..., None], 0, 255), np.uint8
    )


def _picture(level: int, paddle: float, ball: tuple[float, float]) -> Pixels:
    view, light = _ground(level), np.ones((240, 320, 1), np.float32)
    for at in range(24):
        x, y = 8 + 38 * (at % 8), 30 + 18 * (at // 8)
        cv2.rectangle(view, (x, y), (x + 35, y + 15), GREEN if (at + level) % 3 == 0 else YELLOW, -1)
    x, (left, top) = round(paddle), np.round(ball).astype(int)
    for dx, dy, shade in (*SHADOW_PX, 0.45), (0, 0, None):
        if shade is not None:
            cv2.rectangle(light, (x - 18 + dx, 205 + dy), (x + 18 + dx, 213 + dy), (shade,), -1)
            cv2.circle(light, (left + dx, top + dy), 4, (shade,), -1)
            view = np.asarray(view * light, np.uint8)
    cv2.rectangle(view, (x - 18, 205), (x + 18, 213), (120, 125, 120), -1)
    cv2.rectangle(view, (x - 12, 205), (x + 12, 213), YELLOW, -1)
    cv2.circle(view, (left, top), 4, GREEN, -1)
    return np.dstack([view, np.full((240, 320), 255, np.uint8)])


def _played() -> tuple[PlayedMinute, list[float]]:
    """A menu, then two levels; ArrowLeft and ArrowRight for half a second by turns; where the paddle was.

    The ball lies on the paddle until it is served.
    """
    strip, paddle, places = Filmstrip(), 160.0, list[float]()
    ball, speed = np.array([90.0, 120.0]), np.array([9.0, 6.5])
    for at in range(MENU):
        strip.take((at - MENU) / 9.5, np.full((240, 320, 4), at, np.uint8))
    for at in range(FRAMES):
        phase, key = at % 9, ("ArrowLeft", "ArrowRight")[at // 9 % 2]
        if phase in (1, 6):
            strip.press(at / 9.5, InputEvent(kind="key_down" if phase == 1 else "key_up", key=key))
        if 1 <= phase < 6:
            paddle += -16 if key == "ArrowLeft" else 15.5
        ball = np.array([paddle, 198.0]) if at < SERVED else ball + speed
        speed = np.where((ball < (10, 95)) | (ball > (310, 200)), -speed, speed)
        strip.take(at / 9.5, _picture(at * 2 // FRAMES, paddle, (ball[0], ball[1])))
        places.append(paddle)
    minute = PlayedMinute(strip, SCREEN)
    list(minute.prepare(None))
    minute.lines = {0: (TextLine(text="Options", confidence=0.9, box=Rect(40, 100, 240, 130)),)}
    return minute, places


@pytest.fixture(scope="module")
def played() -> tuple[PlayedMinute, list[float]]:
    return _played()


@pytest.fixture(scope="module")
def proposals(played: tuple[PlayedMinute, list[float]]) -> dict[str, Proposal]:
    made = [turn for turn in find_things(played[0], []) if turn is not None][-1]
    return {proposal.role: proposal for proposal in reversed(made)}


def test_a_paddle_is_followed_under_bricks_of_its_colour_on_every_ground(
    proposals: dict[str, Proposal], played: tuple[PlayedMinute, list[float]]
) -> None:
    read = proposals["player"].field
    assert isinstance(read, BlobField)
    assert read.value == "x"
    assert read.colour == pytest.approx(YELLOW[::-1], abs=6)
    for at, at_s in list(enumerate(played[0].at_s))[MENU:]:
        place = played[1][round(at_s * 9.5)]
        pixels = np.dstack([played[0].frame(at), np.zeros((240, 320), np.uint8)])
        assert read_blob(read, FrameView(pixels, None, SCREEN)).value == pytest.approx(place, abs=3), at


def test_a_ball_of_some_bricks_colour_moves_by_itself(proposals: dict[str, Proposal]) -> None:
    read = proposals["mover"].field
    assert isinstance(read, BlobField)
    assert read.colour == pytest.approx(GREEN[::-1], abs=12)
    assert "without a key" in proposals["mover"].why
