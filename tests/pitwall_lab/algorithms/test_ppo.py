"""Proximal policy optimisation against plain calculations, on a task whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.policy_network import NO_ACTION, PolicyInput, Shape
from pitwall_lab.algorithms.ppo import PPO, gae
from pitwall_lab.algorithms.replay import Outcome

SHAPE = Shape(state=2, actions=3, history=0, vision=None, hidden=(16,))
RECIPE = Recipe(
    algorithm="ppo", horizon=16, passes=4, batch=32, learning_rate=1e-2, clip=0.2, entropy=0.0, steps=4_000
)


def played(learner: PPO, turns: int, seed: int = 3, lanes: int = 4) -> float:
    """Reward the action that the state names, in episodes of five decisions; the mean of the last half."""
    chance, got = np.random.default_rng(seed), []
    for turn in range(turns):
        wanted = chance.integers(0, 2, lanes)
        state = np.eye(2, dtype=np.float32)[wanted]
        actions = learner.act(PolicyInput(state, np.zeros((lanes, 0), np.int64), None))
        over = np.full(lanes, turn % 6 == 5)
        actions = np.where(over, NO_ACTION, actions)
        reward = np.where(over, 0.0, (actions == wanted)).astype(np.float32)
        ends = np.full(lanes, turn % 6 == 4)
        learner.remember(Outcome(state, None, actions, reward, ends, np.zeros(lanes, np.int32)))
        learner.step += int((~over).sum())
        learner.learn()
        got.append(float(reward[~over].mean()) if not over.all() else np.nan)
    return float(np.nanmean(got[turns // 2 :]))


def test_the_action_that_is_rewarded_is_learned() -> None:
    learner = PPO(SHAPE, RECIPE, lanes=4, seed=1)
    before = played(PPO(SHAPE, RECIPE.model_copy(update={"horizon": 9_999}), lanes=4, seed=1), 200)
    assert played(learner, 400) > 0.9 > 0.5 > before
    state = np.eye(2, dtype=np.float32)
    assert learner.best(PolicyInput(state, np.zeros((2, 0), np.int64), None)).tolist() == [0, 1]


def test_advantages_look_ahead_to_the_episodes_end_and_no_further() -> None:
    recipe = Recipe(gamma=0.9, gae_lambda=0.5)
    reward = np.array([[1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [5.0, 5.0], [0.0, 0.0]], np.float32)
    value = np.array([[0.5, 0.5], [1.0, 1.0], [4.0, 4.0], [2.0, 2.0], [3.0, 3.0]], np.float32)
    ended = np.zeros((5, 2), bool)
    ended[1, 0] = True  # lane 0 ends for good after row 1, lane 1 is cut there
    action = np.array([[0, 1], [1, 0], [NO_ACTION, NO_ACTION], [0, 0], [1, 1]])
    message = gae(reward, value, ended, action, recipe)
    last = 5.0 + 0.9 * 3.0 - 2.0
    second = 2.0 - 1.0
    assert message[3] == pytest.approx([last, last])
    assert message[1] == pytest.approx([second, second + 0.9 * 4.0])
    first = 1.0 + 0.9 * 1.0 - 0.5
    assert message[0] == pytest.approx([first + 0.45 * message[1, 0], first + 0.45 * message[1, 1]])


def test_a_training_that_goes_on_is_the_one_that_never_stopped() -> None:
    straight, broken = (PPO(SHAPE, RECIPE, lanes=4, seed=7) for _ in range(2))
    for learner in (straight, broken):
        played(learner, 41)
    later = PPO(SHAPE, RECIPE, lanes=4, seed=99)
    later.load(broken.save())
    for learner in (straight, later):
        played(learner, 40, seed=8)
    weights = zip(straight.average.parameters(), later.average.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in weights)


def test_nothing_is_learned_while_nobody_plays() -> None:
    learner = PPO(SHAPE, RECIPE, lanes=2, seed=0)
    state, none = np.zeros((2, 2), np.float32), np.full(2, NO_ACTION)
    for _ in range(RECIPE.horizon + 1):
        learner.act(PolicyInput(state, np.zeros((2, 0), np.int64), None))
        learner.remember(Outcome(state, None, none, np.zeros(2), np.zeros(2, bool), np.zeros(2)))
        assert learner.learn() == []
