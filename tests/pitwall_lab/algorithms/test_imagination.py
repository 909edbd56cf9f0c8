"""The learned world and imagined play against a cart whose true motion is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.imagination import Imagination, _joined
from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, Shape
from pitwall_lab.algorithms.replay import Batch, Replay

CART = Shape(state=2, actions=2, history=2, vision=None, hidden=(16, 16))
_EDGE, _PUSH, _FASTEST = 1.0, 0.03, 0.1


def _moved(place: float, speed: float, action: int) -> tuple[float, float]:
    """Push a cart to the left or right; return its place and speed a step later."""
    speed = float(np.clip(speed + (_PUSH if action else -_PUSH), -_FASTEST, _FASTEST))
    return place + speed, speed


def _by_noise(place: float, speed: float, action: int) -> tuple[float, float]:
    del place, speed, action
    return tuple(_noise.uniform(-0.9, 0.9, 2))


_noise = np.random.default_rng(8)


def _state(place: float, speed: float) -> Array:
    return np.array([[place, speed / _FASTEST]], np.float32)


def _played(replay: Replay, steps: int, moved: Callable[..., tuple[float, float]] = _moved) -> None:
    """Play by chance; a cart that leaves its track costs 1 and ends the episode."""
    chance, place, speed, age = np.random.default_rng(3), 0.0, 0.0, 0
    for _ in range(steps):
        action = int(chance.integers(2))
        before = _state(place, speed)
        place, speed = moved(place, speed, action)
        over = abs(place) > _EDGE
        replay.add(
            before, None, np.array([action]), np.array([-float(over)]), np.array([over]), np.array([age])
        )
        age += 1
        if over:
            last = np.array([NO_ACTION])
            replay.add(_state(place, speed), None, last, np.zeros(1), np.array([False]), np.array([age]))
            place, speed, age = 0.0, 0.0, 0


def _imagined(moved: Callable[..., tuple[float, float]]) -> Imagination:
    """Learn a world from play, then let it be judged by play that came later, and imagine."""
    replay = Replay(CART, lanes=1, capacity=4_000)
    imagination = Imagination(CART, gamma=0.9, n_step=1, seed=1)
    for _ in range(3):
        _played(replay, 600, moved)
        imagination.turn(replay, lambda seen: np.zeros(len(seen.state), np.int64), 200)
    return imagination


def test_imagined_play_is_as_the_game_would_have_gone() -> None:
    imagination = _imagined(_moved)
    assert imagination.explained > 0.8
    batch = imagination.sample(2_000)
    place, speed = batch.before.state[:, 0], batch.before.state[:, 1] * _FASTEST
    after = np.array([_moved(*row)[0] for row in zip(place, speed, batch.action, strict=True)])
    assert np.median(np.abs(after - batch.after.state[:, 0])) < 0.02
    ended = batch.discount == 0
    assert np.abs(after[ended]).mean() > 0.85 > np.abs(after[~ended]).mean()
    assert batch.reward[ended].mean() < -0.8 < -0.2 < batch.reward[~ended].mean()
    assert np.array_equal(batch.after.history[:, -1], batch.action)
    assert (batch.action == 0).mean() > 0.8  # the policy's action, but for a tenth by chance


def test_nothing_is_imagined_in_a_world_that_cannot_be_predicted() -> None:
    imagination = _imagined(_by_noise)
    assert imagination.explained < 0.5
    assert imagination.count == 0


def test_steps_are_joined_as_far_as_an_episode_goes() -> None:
    def step(number: int, discount: list[float]) -> Batch:
        rows = len(discount)
        seen = PolicyInput(np.full((rows, 2), number, np.float32), np.zeros((rows, 2), np.int64), None)
        after = PolicyInput(np.full((rows, 2), number + 1, np.float32), np.ones((rows, 2), np.int64), None)
        reward = np.full(rows, 10.0**number, np.float32)
        discounts = np.array(discount, np.float32)
        return Batch(seen, np.zeros(rows, np.int64), reward, after, discounts, np.full(rows, NO_ACTION))

    steps = [step(0, [0.5, 0.5, 0.0]), step(1, [0.5, 0.5, 0.5]), step(2, [0.5, 0.5, 0.5])]
    known = [np.array([True] * 3), np.array([True, True, False]), np.array([True, False, False])]
    joined = _joined(steps, known)
    assert joined.reward.tolist() == [1 + 5 + 25, 1 + 5, 1]
    assert joined.discount.tolist() == [0.125, 0.25, 0.0]
    assert joined.after.state[:, 0].tolist() == [3, 2, 1]


def test_the_newest_transitions_leave_out_ends_and_what_has_no_successor() -> None:
    replay = Replay(CART, lanes=1, capacity=50)
    assert replay.newest(5) is None
    for number, action in enumerate([0, 1, NO_ACTION, 1, 0]):
        state = np.full((1, 2), number, np.float32)
        ends = np.array([number == 1])
        replay.add(state, None, np.array([action]), np.ones(1), ends, np.array([number % 3]))
    newest = replay.newest(3)
    assert newest is not None
    assert newest.before.state[:, 0].tolist() == [3, 1]
    assert newest.discount.tolist() == [1, 0]


def test_a_learner_that_imagines_goes_on_from_its_saved_state() -> None:
    recipe = Recipe(imagined=0.5, batch=32, hidden=[16, 16], replay=4_000)
    learners = [DoubleDQN(CART, recipe, lanes=1, seed=seed) for seed in (1, 2)]
    _played(learners[0].replay, 600)
    assert all(np.isfinite(loss) for loss, _ in learners[0].learn(30))
    learners[1].load(learners[0].save())
    first, second = (learner.imagination for learner in learners)
    assert first is not None
    assert second is not None
    assert second.explained == pytest.approx(first.explained)
    seen = learners[0].replay.newest(20)
    assert seen is not None
    assert np.array_equal(
        first.world.predict(seen.before, seen.action).state,
        second.world.predict(seen.before, seen.action).state,
    )
