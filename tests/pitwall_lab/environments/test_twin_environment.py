"""What lies between a decision and its effect: delay, jitter, lost decisions, noise, seeds, restoring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_lab.tiny_game import write_line

from pitwall.core.errors import PluginFailed
from pitwall.games.schema.profile import Game
from pitwall_lab.environments.twin_environment import (
    Disturbance,
    EnvironmentSpec,
    TwinEnvironment,
    training_spec,
)

STEP_MS = 50.0


def order(game: Game, **how: Any) -> EnvironmentSpec:
    module = game.profile.modules[0]
    assert module.learned is not None
    made = training_spec(game, module, module.learned, module.learned.training, number=0, seed=1)
    return replace(made, disturbance=Disturbance(**how))


def played(lane: TwinEnvironment, decisions: list[int], seed: int = 7) -> list[int]:
    """What reached the game."""
    lane.begin(seed)
    for decision in decisions:
        lane.step(decision)
    reached: list[int] = lane._twin.played
    return reached


def test_without_delay_what_is_decided_is_played(line: Game) -> None:
    assert played(TwinEnvironment(order(line)), [1, 2, 0, 2, 1]) == [1, 2, 0, 2, 1]


def test_a_delay_puts_every_decision_off_by_as_many_steps(line: Game) -> None:
    lane = TwinEnvironment(order(line, delay_ms=2 * STEP_MS))
    assert played(lane, [1, 1, 2, 0, 1, 0, 0]) == [0, 0, 1, 1, 2, 0, 1]


def test_without_an_action_for_nothing_the_last_one_goes_on(line: Game) -> None:
    lane = TwinEnvironment(replace(order(line, delay_ms=STEP_MS), actions=("left", "right")))
    assert played(lane, [1, 0, 0, 1]) == [1, 1, 0, 0]


def test_part_of_a_step_is_the_probability_of_one_more(line: Game) -> None:
    lane = TwinEnvironment(order(line, delay_ms=0.25 * STEP_MS))
    late = decisions = 0
    for seed in range(400):
        late += played(lane, [2], seed) == [0]
        decisions += 1
    assert 0.17 * decisions < late < 0.33 * decisions


def test_jitter_goes_evenly_from_sooner_to_later_and_keeps_the_order(line: Game) -> None:
    lane = TwinEnvironment(order(line, delay_ms=STEP_MS, jitter_ms=STEP_MS))
    waits = {0: 0, 1: 0, 2: 0}
    for seed in range(600):
        reached = played(lane, [2, 0, 0], seed)
        waits[reached.index(2)] += 1
    assert 100 < waits[0] < 200
    assert 240 < waits[1] < 360
    for seed in range(100):
        reached = played(lane, [1, 2, 0, 0, 0], seed)
        assert 2 in reached
        assert 1 not in reached or reached.index(1) < reached.index(2)


def test_a_share_of_decisions_never_arrives(line: Game) -> None:
    lane = TwinEnvironment(order(line, drop=0.3))
    arrived = [played(lane, [2], seed) == [2] for seed in range(400)]
    assert 0.6 < sum(arrived) / 400 < 0.8


def test_noise_is_read_but_not_true(line: Game) -> None:
    lane = TwinEnvironment(order(line, noise={"x": 0.5}))
    moment = lane.begin(3)
    apart = []
    for _ in range(30):
        moment = lane.step(0)
        truth, read = moment.values["x"], moment.read["x"]
        assert isinstance(truth, float) and isinstance(read, float)
        apart.append(read - truth)
        assert moment.state[0] == pytest.approx(min(1.5, max(-1.5, 2 * read / 10 - 1)))
    assert isinstance(truth, float) and truth.is_integer()
    assert 0.2 < max(apart) < 2.5
    assert abs(sum(apart) / 30) < 0.4


def test_an_episode_repeats_itself_and_another_differs(line: Game) -> None:
    lane = TwinEnvironment(order(line, delay_ms=60, jitter_ms=60, drop=0.2, noise={"x": 1.0}))

    def read(seed: int) -> list[object]:
        lane.begin(seed)
        return [lane.step(step % 3).read["x"] for step in range(12)]

    assert read(5) == read(5)
    assert read(5) != read(6)


def test_a_restored_lane_goes_on_alike(line: Game) -> None:
    how: dict[str, Any] = {"delay_ms": 60, "jitter_ms": 60, "drop": 0.1, "noise": {"x": 1.0}}
    lane, later = TwinEnvironment(order(line, **how)), TwinEnvironment(order(line, **how))
    lane.begin()
    for step in range(70):
        lane.step(step % 3)
    moment = later.restore(lane.save())
    assert moment.read == lane._moment.read if lane._moment else False
    assert [lane.step(step % 3).read for step in range(90)] == [
        later.step(step % 3).read for step in range(90)
    ]


def test_an_episode_ends_at_the_goal_the_cap_or_the_clock(line: Game) -> None:
    lane = TwinEnvironment(order(line))
    moment = lane.begin(1)
    while not moment.over:
        moment = lane.step(2)
    assert (moment.terminal, moment.score, moment.values["status"]) == (True, 10.0, "terminal")
    assert lane.step(2).fresh
    capped = TwinEnvironment(replace(order(line), cap=6.0))
    moment = capped.begin(1)
    while not moment.over:
        moment = capped.step(2)
    assert (moment.terminal, moment.score) == (False, 6.0)
    short = TwinEnvironment(replace(order(line), seconds=0.5))
    moment = short.begin(1)
    for _ in range(10):
        assert not moment.over
        moment = short.step(0)
    assert (moment.over, moment.terminal) == (True, False)


def test_training_never_plays_a_held_out_seed(line: Game) -> None:
    lane = TwinEnvironment(replace(order(line), held_out=(0, 1_200_000_000)))
    for _ in range(300):
        lane.begin()
        assert 1_000_000 <= lane._seed < 1_200_000_000 or lane._seed >= 1_201_000_000


def test_what_a_twin_does_wrong_is_told_with_its_file(line: Game, tmp_path: Path) -> None:
    lane = TwinEnvironment(order(line))
    lane.begin(0)
    with pytest.raises(PluginFailed, match=r"line_twin\.py: ValueError: fell off the edge"):
        for _ in range(20):
            lane.step(1)
    broken = write_line(tmp_path / "broken", ("drop = 0.02", 'drop = 0.02\nscenarios = ["broken"]'))
    with pytest.raises(PluginFailed, match="this scenario is broken"):
        TwinEnvironment(order(broken))
