"""Flappy's headless twin against the game itself: the same rules, the fields that the state reader reads."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import flappy_art
import flappy_rules as rules
import numpy as np
import pygame
import pytest
from flappy_rules import Flight
from flappy_twin import FlappyTwin, make_twin
from game import Session

from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect
from pitwall.core.observations import Value
from pitwall.engine.perception.reader import StateReader
from pitwall.games.manifest import load_profile
from pitwall_lab.environments.twin import values_of
from pitwall_lab.rewards.contract import RewardCall
from pitwall_lab.rewards.reward_function import RewardFunction, check

FLAPPY = Path(__file__).resolve().parents[3] / "plugins" / "flappy"
ACTIONS = ("", "flap")


@pytest.fixture
def twin() -> FlappyTwin:
    return make_twin(module="fly", scenario="", actions=ACTIONS, render=True)


@pytest.fixture
def read() -> Callable[[FlappyTwin], dict[str, Value]]:
    reader = StateReader(load_profile(FLAPPY), FLAPPY)

    def now(twin: FlappyTwin) -> dict[str, Value]:
        picture = twin.render()
        assert picture is not None
        pixels = np.zeros((*picture.shape[:2], 4), np.uint8)
        pixels[..., :3] = picture[..., ::-1]
        window = Rect(0, 0, rules.WIDTH, rules.HEIGHT)
        frame = Frame(frame_id=1, captured_ns=0, ready_ns=0, pixels=pixels, window=window)
        return {name: reading.value for name, reading in reader.read(frame, None).items()}

    return now


def sensible(values: Mapping[str, Any], slack: float) -> int:
    """Flaps so that the flight goes on for a while."""
    above = values["above"]
    low = values["low"]
    return int((above if not math.isnan(above) else 260 - low) < slack)


def test_its_fields_are_what_the_reader_reads(
    twin: FlappyTwin, read: Callable[[FlappyTwin], dict[str, Value]]
) -> None:
    compared = 0
    for seed in range(3):
        values, info = twin.reset(seed=seed)
        over = False
        while not over and info["score"] < 3:
            seen = read(twin)
            for name, value in values_of(values).items():
                if value is None:
                    assert seen[name] is None, name
                else:
                    assert seen[name] == pytest.approx(value, abs=0.06), name
            compared += 1
            values, _, over, _, info = twin.step(sensible(values, 14))
    assert compared > 200


def test_a_bird_that_is_out_of_the_picture_is_not_read(
    twin: FlappyTwin, read: Callable[[FlappyTwin], dict[str, Value]]
) -> None:
    twin.reset(seed=1)
    hidden = 0
    for step in range(40):
        values = values_of(twin.step(step % 2)[0])
        seen = read(twin)
        if twin._flight.y <= -21:
            hidden += 1
            assert values["bird_y"] is None and seen["bird_y"] is None
        elif values["bird_y"] is not None and seen["bird_y"] is not None:
            assert seen["bird_y"] == pytest.approx(values["bird_y"], abs=5)
    assert hidden > 5


def told(flight: Flight) -> tuple[object, ...]:
    """All that a flight is at this frame."""
    return flight.y, flight.speed, flight.score, flight.frame, flight.cause, flight.pipes


def test_it_is_the_flight_of_the_window(twin: FlappyTwin) -> None:
    for seed in range(5):
        session = Session(seed=seed)
        session.step(True)
        values, _ = twin.reset(seed=seed)
        over = flap = False
        while not over:
            flap = bool(sensible(values, 12))
            values, _, over, _, info = twin.step(int(flap))
            session.step(flap)
            assert told(twin._flight) == told(session.flight)
            assert info["score"] == session.flight.score
        assert session.flight.over
        assert info["outcome"] == "loss"
        assert info["why"] == session.flight.cause


def test_each_flap_counts_also_on_the_very_next_frame(twin: FlappyTwin) -> None:
    twin.reset(seed=1)
    for _ in range(4):
        twin.step(1)
        assert twin._flight.speed == rules.FLAP_SPEED


def test_the_seed_decides_the_course(twin: FlappyTwin) -> None:
    chance = random.Random(2)
    actions = [int(chance.random() < 0.3) for _ in range(60)]

    def told(seed: int) -> list[object]:
        begun = twin.reset(seed=seed)[0]
        return [values_of(begun), *(values_of(twin.step(action)[0]) for action in actions)]

    assert told(8) == told(8)
    assert told(8) != told(9)


def test_its_picture_is_the_game_s() -> None:
    twin = make_twin(module="fly", scenario="", actions=ACTIONS, render=True)
    twin.reset(seed=6)
    for step in range(50):
        twin.step(int(step % 17 == 0))
    surface = pygame.Surface((rules.WIDTH, rules.HEIGHT))
    painter = flappy_art.Painter(surface)
    flight = Flight(6)
    flight.step(True)
    for step in range(50):
        flight.step(step % 17 == 0)
    painter.scene(flight, flight.frame)
    painter.score(flight.score)
    drawn = twin.render()
    assert drawn is not None
    assert np.array_equal(drawn, pygame.surfarray.array3d(surface).transpose(1, 0, 2))
    assert make_twin(module="fly", scenario="", actions=ACTIONS, render=False).render() is None


def test_its_reward_passes_the_check_and_tells_good_from_bad(twin: FlappyTwin) -> None:
    source = (FLAPPY / "rewards" / "fly.py").read_text(encoding="utf-8")
    calls = []
    values, _ = twin.reset(seed=3)
    over = False
    while not over:
        after, _, over, _, _ = twin.step(sensible(values, 12))
        calls.append(
            RewardCall(prev_state=values_of(values), next_state=values_of(after), action_idx=0, done=over)
        )
        values = after
    assert check(source, calls).passed
    with RewardFunction(source) as function:
        given = function.batch(calls)
    assert given[-1].total == -1.0
    assert all(reward.total >= 0 for reward in given[:-1])
