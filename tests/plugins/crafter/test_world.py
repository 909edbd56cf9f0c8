"""Crafter's rules are the package's, and one seed gives one world in every process."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import crafter
import numpy as np
import pytest
from crafter_noise import Noise
from crafter_truth import true_state
from crafter_world import LONG_TASK, MOST_STEPS, Env, Life

from pitwall_evaluation.truth.state import TrueState, score

EVENING, STEPS = 170, 120
ACTIONS: list[str] = list(crafter.constants.actions)


def walk(seed: int, steps: int) -> str:
    """A digest of everything that happened in a random life, into a night."""
    chosen, digest, life = random.Random(seed), hashlib.sha256(), Life(seed, 16)
    life._env._step = EVENING
    for _ in range(steps):
        life.act(chosen.choice(ACTIONS))
        digest.update(life.picture.tobytes())
        digest.update(life.world._mat_map.tobytes())
        if life.cause:
            life.begin()
    return digest.hexdigest()


def test_lives_are_equal_in_every_process() -> None:
    code = f"from {Path(__file__).stem} import walk; print(walk(11, {STEPS}))"
    places = [str(Path(__file__).parent), *sys.path]
    others = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": number, "PYTHONPATH": os.pathsep.join(places)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in ("1", "2")
    ]
    mine = walk(11, STEPS)
    assert [other.communicate(timeout=100)[0].strip() for other in others] == [mine] * 2
    assert walk(12, 60) != walk(13, 60)


@pytest.mark.parametrize("daylight", [0.0, 0.13, 0.49, 0.5, 0.77, 0.9973, 1.0])
def test_the_light_is_the_package_s_to_the_last_bit(daylight: float) -> None:
    """Of real views, and of bytes drawn by chance, in which no tile is like another."""
    life = Life(4, 16)
    env = life._env
    views = [np.random.default_rng(5).integers(0, 256, (9 * 16, 7 * 16, 3)).astype(np.uint8)]
    for turn in range(12):
        life.act("move_right" if turn % 2 else "move_down")
        views.append(life.picture.transpose(1, 0, 2)[:, : 7 * 16])
    view = env._local_view
    for canvas in views:
        mine = view._light(canvas, daylight)
        assert mine.dtype == np.uint8
        assert (mine == crafter.engine.LocalView._light(view, canvas, daylight).astype(np.uint8)).all()


def test_looking_changes_nothing() -> None:
    """As shipped, each look at the night draws from the generator that the creatures live by."""
    seen, unseen = Life(3, 16), Life(3, 16)
    for number in range(260):
        action = ACTIONS[number % 5]
        seen.act(action)
        unseen.act(action)
        for _ in range(number % 3):
            seen._env.render()
    assert np.array_equal(seen.picture, unseen.picture)
    assert seen.world.daylight < 0.5
    assert seen.world.random.get_state()[2] == unseen.world.random.get_state()[2]


def test_a_fresh_world_is_the_packages_own() -> None:
    """No rule is changed: the same seed makes the same world as the package, and looks the same by day."""
    ours, theirs = Env(21, 16), crafter.Env(seed=21, size=(144, 144))
    assert np.array_equal(ours.reset(), theirs.reset())
    assert np.array_equal(ours._world._mat_map, theirs._world._mat_map)
    move = ACTIONS.index("move_right")
    for _ in range(3):
        assert ours.step(move)[0].shape == theirs.step(move)[0].shape
    assert (ours._player.pos == theirs._player.pos).all()


def test_the_noise_is_the_packages_own() -> None:
    """Its tables are lists here; as it is shipped they are numpy's."""
    spec = importlib.util.find_spec("opensimplex.internals")
    assert spec is not None
    assert spec.loader is not None
    shipped = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shipped)
    perm, gradients = shipped._init(77)
    assert isinstance(shipped.GRADIENTS3, np.ndarray)
    ours, chosen = Noise(77), random.Random(1)
    for _ in range(500):
        place = [chosen.uniform(-70, 70) for _ in range(3)]
        assert ours.noise3(*place) == shipped._noise3(*place, perm, gradients)


def test_the_true_state_keeps_the_contract_and_tells_the_long_task() -> None:
    life = Life(5, 16)
    state = TrueState.model_validate_json(json.dumps(true_state(life, 200)))
    assert (state.game_id, state.seed, state.status.value, score(state, "metrics.long_task")) == (
        "crafter",
        5,
        "playing",
        0.0,
    )
    for number, name in enumerate(LONG_TASK, start=1):
        life.player.achievements[name] = 1
        state = TrueState.model_validate(true_state(life, 200))
        assert score(state, "metrics.long_task") == pytest.approx(number / 5)
    assert score(state, "game_state.progress") == 1.0
    inventory = state.game_state.player["inventory"]
    assert (inventory["health"], inventory["wood"]) == (9, 0)


def test_death_and_the_end_of_days() -> None:
    life = Life(5, 16)
    life.player.health = 0
    life.act("noop")
    state = TrueState.model_validate(true_state(life, 200))
    assert (life.cause, state.terminal.outcome, state.status.value) == ("death", "loss", "terminal")
    turns = life.turns
    life.act("move_left")
    assert life.turns == turns, "the dead do not move"
    life.begin()
    assert (life.cause, life.worlds, life.step) == ("", 2, 0)
    life._env._step = MOST_STEPS - 1
    life.act("noop")
    state = TrueState.model_validate(true_state(life, 200))
    assert (life.cause, state.terminal.outcome, state.terminal.reason) == ("length", "draw", "length")
