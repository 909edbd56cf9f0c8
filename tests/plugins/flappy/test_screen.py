"""What the state reader makes of Flappy's own pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import flappy_art
import flappy_rules as rules
import numpy as np
import pygame
import pytest
from flappy_rules import Flight
from game import Phase, Session, paint, true_state

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile

FLAPPY = Path(__file__).resolve().parents[3] / "plugins" / "flappy"
Read = Callable[[], dict[str, Value]]


@pytest.fixture
def profile() -> Profile:
    return load_profile(FLAPPY)


@pytest.fixture
def surface() -> pygame.Surface:
    return pygame.Surface((rules.WIDTH, rules.HEIGHT))


@pytest.fixture
def read(profile: Profile, surface: pygame.Surface) -> Read:
    reader = StateReader(profile, FLAPPY)

    def now() -> dict[str, Value]:
        frame = Frame(
            frame_id=1,
            captured_ns=0,
            ready_ns=0,
            pixels=pixels_of(surface),
            window=Rect(0, 0, rules.WIDTH, rules.HEIGHT),
        )
        return {name: reading.value for name, reading in reader.read(frame, None).items()}

    return now


def pixels_of(surface: pygame.Surface) -> Pixels:
    colours = pygame.surfarray.array3d(surface).transpose(1, 0, 2)
    pixels = np.zeros((*colours.shape[:2], 4), np.uint8)
    pixels[..., :3] = colours[..., ::-1]
    return pixels


def test_the_reader_sees_bird_pipes_and_score(surface: pygame.Surface, read: Read) -> None:
    painter = flappy_art.Painter(surface)
    flight = Flight(5)
    flight.step(True)
    compared = 0
    while flight.score < 3:
        near = [pipe for pipe in flight.pipes if pipe.right > 60]
        flight.step(flight.bottom > near[0].gap_bottom - 12)
        flight.cause = ""
        painter.scene(flight, flight.frame)
        painter.score(flight.score)
        values = read()
        speed, low = values["speed"], values["low"]
        assert isinstance(speed, float)
        assert isinstance(low, float)
        assert abs(speed - flight.speed) < 0.7
        assert abs(low - flight.bottom - flight.speed) < 1.5
        assert values["score"] == flight.score
        shown = [pipe for pipe in near if pipe.x + 4 < rules.WIDTH and pipe.right > 60]
        if shown:
            compared += 1
            assert values["gap_bottom"] == shown[0].gap_bottom + 2
            assert values["gap_right"] == min(shown[0].right - 4, rules.WIDTH)
        else:
            assert values["gap_bottom"] is None
        farther = [pipe for pipe in shown if pipe.right - 4 > 184]
        assert values["next_gap_bottom"] == (farther[0].gap_bottom + 2 if farther else None)
    assert compared > 100


def test_the_speed_is_read_at_every_tilt(surface: pygame.Surface, read: Read) -> None:
    painter = flappy_art.Painter(surface)
    flight = Flight(1)
    for y in (20, 211, 360):
        for speed in range(rules.FLAP_SPEED, rules.FASTEST_FALL + 1):
            flight.y, flight.speed = y, speed
            painter.scene(flight, 0)
            values = read()
            assert values["speed"] == pytest.approx(speed, abs=0.7)
            assert values["low"] == pytest.approx(y + rules.BIRD_HEIGHT + speed, abs=1.5)


def test_menu_play_and_crash_are_told_apart(surface: pygame.Surface, read: Read, profile: Profile) -> None:
    painter = flappy_art.Painter(surface)
    session = Session(seed=2)
    expected = {
        Phase.MENU: GameStatus.MENU,
        Phase.PLAYING: GameStatus.PLAYING,
        Phase.PAUSED: GameStatus.PAUSED,
        Phase.TERMINAL: GameStatus.TERMINAL,
    }
    seen = set()
    for frame in range(200):
        if frame in (5, 14, 20, 180):
            session.pause()
        session.step(frame == 10)
        paint(painter, session)
        assert status(profile.status, read()) is expected[session.phase]
        seen.add(session.phase)
    assert seen == set(Phase)


def test_a_pause_changes_nothing_of_the_flight() -> None:
    straight, paused = Session(seed=4), Session(seed=4)
    for frame in range(120):
        if frame == 40:
            paused.pause()
            before = true_state(paused)
            for _ in range(50):
                paused.step(True)
            after = true_state(paused)
            assert {**after, "timestampMs": 0} == {**before, "timestampMs": 0}
            assert after["status"] == "paused"
            paused.pause()
        for session in (straight, paused):
            session.step(frame % 18 == 0)
    ends = [{**true_state(session), "timestampMs": 0} for session in (straight, paused)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("score", [0, 7, 10, 48, 99, 123, 256])
def test_every_score_is_read(surface: pygame.Surface, read: Read, score: int) -> None:
    painter = flappy_art.Painter(surface)
    painter.scene(Flight(3), 0)
    painter.score(score)
    assert read()["score"] == score


@pytest.mark.parametrize("digit", range(10))
def test_the_templates_are_the_digits_as_drawn(digit: int) -> None:
    drawn = flappy_art.digit_picture(digit)
    kept = cv2.imread(str(FLAPPY / "templates" / "score" / f"{digit}.png"), cv2.IMREAD_UNCHANGED)
    assert kept is not None
    assert np.array_equal(kept[..., 2::-1], pygame.surfarray.array3d(drawn).transpose(1, 0, 2))
    assert np.array_equal(kept[..., 3], pygame.surfarray.array_alpha(drawn).T)
