"""The algorithm against plain calculations: returns over n steps, histories, targets, its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_export import exported
from pitwall_lab.algorithms.policy_network import NO_ACTION, PolicyInput, QNetwork, Shape
from pitwall_lab.algorithms.replay import Batch, Replay
from pitwall_lab.training.input_history import InputHistory

PLAIN = Shape(state=1, actions=2, history=3, vision=None, hidden=(8, 8))
SEEING = Shape(state=1, actions=2, history=2, vision=(3, 9, 11), hidden=(8,))


class Story:
    """Episodes of two lanes by chance, kept plainly beside the replay memory."""

    def __init__(self, shape: Shape, capacity: int, turns: int) -> None:
        self.replay = Replay(shape, lanes=2, capacity=capacity)
        self.recent = InputHistory(shape, 2)
        self.rows: list[list[dict[str, Any]]] = [[], []]
        chance = np.random.default_rng(5)
        age, over, ends = np.zeros(2, int), np.ones(2, bool), np.zeros(2, bool)
        for turn in range(turns):
            fresh, over = over, ends
            age = np.where(fresh, 0, age)
            state = np.array([[turn], [turn + 1000.0]], np.float32)
            size = (0, 0) if shape.vision is None else shape.vision[1:]
            frames = np.full((2, *size), turn % 256, np.uint8) + np.array([0, 7], np.uint8)[:, None, None]
            seen = self.recent.see(state, frames if shape.vision else None, fresh)
            action = np.where(over, NO_ACTION, chance.integers(0, 2, 2))
            reward = np.where(over, 0.0, chance.normal(size=2))
            ends = ~over & (chance.random(2) < 0.2)
            terminal = ends & (chance.random(2) < 0.5)
            self.replay.add(state, frames if shape.vision else None, action, reward, terminal, age)
            for lane in range(2):
                vision = None if seen.vision is None else seen.vision[lane]
                self.rows[lane].append(
                    {
                        "state": state[lane, 0],
                        "history": seen.history[lane],
                        "vision": vision,
                        "action": int(action[lane]),
                        "reward": float(np.float32(reward[lane])),
                        "terminal": bool(terminal[lane]),
                    }
                )
            self.recent.acted(action)
            age += 1

    def expected(self, state: float, n_step: int, gamma: float) -> tuple[float, float, float]:
        """Plainly: the discounted sum from the row of this state, where it ends, and the discount there."""
        lane = int(state >= 1000)
        at = int(state) - 1000 * lane
        rows, total = self.rows[lane], 0.0
        for k in range(n_step):
            total += gamma**k * rows[at + k]["reward"]
            if rows[at + k]["terminal"]:
                return total, rows[at + k + 1]["state"], 0.0
            if rows[at + k + 1]["action"] == NO_ACTION:
                break
        return total, rows[at + k + 1]["state"], gamma ** (k + 1)


def drawn(story: Story, n_step: int = 3) -> Batch:
    (batch,) = story.replay.sample(400, 1, n_step=n_step, gamma=0.9, chance=np.random.default_rng(1))
    return batch


@pytest.mark.parametrize("turns", [60, 333])
@pytest.mark.parametrize("n_step", [1, 3])
def test_returns_over_n_steps_stop_where_the_episode_does(turns: int, n_step: int) -> None:
    story = Story(PLAIN, capacity=200, turns=turns)
    batch = drawn(story, n_step)
    bootstrapped = 0
    for state, action, reward, after, discount in zip(
        batch.before.state[:, 0], batch.action, batch.reward, batch.after.state[:, 0], batch.discount,
        strict=True,
    ):  # fmt: skip
        total, ends_at, factor = story.expected(float(state), n_step, 0.9)
        assert reward == pytest.approx(total, abs=1e-5)
        assert discount == pytest.approx(factor)
        assert factor == 0.0 or after == ends_at
        row = story.rows[int(state >= 1000)][int(state) % 1000]
        assert action == row["action"] != NO_ACTION
        bootstrapped += factor > 0
    assert 0 < bootstrapped < 400


def test_only_rows_that_are_still_there_are_drawn() -> None:
    story = Story(PLAIN, capacity=100, turns=333)
    states = set(drawn(story).before.state[:, 0] % 1000)
    assert min(states) >= 333 - 50 + PLAIN.history
    assert max(states) <= 333 - 1 - 3


@pytest.mark.parametrize("shape", [PLAIN, SEEING])
def test_memory_gives_the_history_and_pictures_that_were_seen(shape: Shape) -> None:
    story = Story(shape, capacity=120, turns=200)
    batch = drawn(story)
    for number, state in enumerate(batch.before.state[:, 0]):
        row = story.rows[int(state >= 1000)][int(state) % 1000]
        assert batch.before.history[number].tolist() == row["history"].tolist()
        if batch.before.vision is not None:
            assert np.array_equal(batch.before.vision[number], row["vision"])


def test_pictures_are_kept_once_and_small() -> None:
    replay = Replay(SEEING, lanes=2, capacity=100)
    assert replay.picture.dtype == np.uint8
    assert replay.picture.nbytes == 100 * 9 * 11


def test_nothing_is_drawn_where_nothing_was_done() -> None:
    replay = Replay(PLAIN, lanes=1, capacity=50)
    nothing = np.zeros(1)
    for age in range(9):
        replay.add(np.zeros((1, 1)), None, np.array([NO_ACTION]), nothing, nothing, np.array([age]))
    assert replay.sample(4, 2, n_step=3, gamma=0.9, chance=np.random.default_rng(0)) == []


def test_the_target_is_what_the_target_network_says_of_what_the_online_one_chooses() -> None:
    learner = filled(Recipe(learning_rate=1e-3, batch=32, n_step=2, gamma=0.9))
    with torch.no_grad():
        for weight in learner.critics[0].target.parameters():
            weight.add_(0.3 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(3)))
    copy = filled(Recipe(learning_rate=1e-3, batch=32, n_step=2, gamma=0.9))
    copy.load(learner.save())
    (batch,) = copy.replay.sample(32, 1, n_step=2, gamma=0.9, chance=copy._sampling)
    with torch.no_grad():
        before, after = batch.before.tensors(PLAIN), batch.after.tensors(PLAIN)
        losses, values = [], []
        for row in range(32):
            chosen = int(learner.online(*after)[row].argmax())
            later = float(learner.critics[0].target(*after)[row][chosen])
            wanted = batch.reward[row] + batch.discount[row] * later
            value = float(learner.online(*before)[row][int(batch.action[row])])
            apart = abs(value - wanted)
            losses.append(0.5 * apart**2 if apart < 1 else apart - 0.5)
            values.append(value)
    (message,) = learner.learn()
    assert message == pytest.approx((np.mean(losses), np.mean(values)), rel=1e-4, abs=1e-5)


def test_the_target_follows_softly() -> None:
    learner = filled(Recipe(batch=16, tau=0.25))
    before = [weight.clone() for weight in learner.critics[0].target.parameters()]
    learner.learn()
    for old, new, online in zip(
        before, learner.critics[0].target.parameters(), learner.online.parameters(), strict=True
    ):
        assert torch.allclose(new, old + 0.25 * (online - old), atol=1e-6)


def test_of_several_critics_the_smaller_value_is_the_target_and_all_descend() -> None:
    recipe = Recipe(batch=16, critics=3)
    learner = filled(recipe)
    before = [critic.weights.detach().clone() for critic in learner.critics]
    assert not torch.equal(before[0], before[1]), "critics begin differently"
    with torch.no_grad():
        for at, critic in enumerate(learner.critics):
            for weight in critic.target.parameters():
                weight.zero_()
            list(critic.target.parameters())[-1].fill_(float(at))
    (batch,) = learner.replay.sample(16, 1, n_step=3, gamma=0.99, chance=np.random.default_rng(2))
    rows, values = batch.discount > 0.0, set[float]()
    for _ in range(30):
        worth = (learner._wanted(batch).numpy() - batch.reward) / batch.discount.clip(min=0.1)
        values |= {round(float(value), 2) for value in worth[rows]}
    assert values == {0.0, 1.0}, "of the values 0, 1 and 2 two are drawn, and the smaller counts"
    learner.learn()
    assert all(
        not torch.equal(old, critic.weights) for old, critic in zip(before, learner.critics, strict=True)
    )
    copy = DoubleDQN(PLAIN, recipe, lanes=2, seed=9)
    copy.load(learner.save())
    assert learner.learn() == copy.learn()


def test_dropout_is_for_learning_alone() -> None:
    shape = replace(PLAIN, dropout=0.5)
    network = QNetwork(shape)
    seen = PolicyInput(np.ones((8, 1), np.float32), np.full((8, 3), NO_ACTION, np.int64), None)
    inputs = seen.tensors(shape)
    assert not torch.equal(network(*inputs), network(*inputs))
    learner = DoubleDQN(shape, Recipe(epsilon_from=0.0, epsilon_to=0.0), lanes=8, seed=1)
    assert len({tuple(learner.act(seen).tolist()) for _ in range(20)}) == 1
    assert learner.online.training, "it learns on with dropout"
    policy = exported(learner.average)
    (value,) = ReferenceEvaluator(onnx.load_model_from_string(policy)).run(
        ["q"], {"state": inputs[0][:1].numpy(), "history": inputs[1][:1].numpy()}
    )
    assert value == pytest.approx(learner.average(*inputs)[:1].detach().numpy(), abs=1e-4)


def test_a_reset_renews_in_part_and_looks_farther_ahead_for_a_while() -> None:
    learner = filled(Recipe(batch=16, n_step=2, reset_every=40))
    weight, *_, decides, _ = learner.online.parameters()
    learner.learn(39)
    assert learner._horizon == 10
    before, last = weight.detach().clone(), decides.detach().clone()
    learner.learn()
    moved = (weight - before).abs().mean() / before.abs().mean()
    assert 0.2 < moved < 1.5, "halfway to fresh weights"
    assert not torch.allclose(decides, last, atol=1e-2)
    assert torch.equal(weight, next(learner.critics[0].target.parameters()))
    learner.learn()
    assert torch.equal(next(learner.average.parameters()), weight), "the average begins anew"
    learner._since_reset = 20_000
    assert learner._horizon == 2


@pytest.mark.parametrize(("imagined", "batch"), [(0.9, 16), (0.8, 128), (0.9, 2), (0.0, 1), (0.5, 32)])
def test_own_play_imagined_play_and_shown_play_share_every_step(imagined: float, batch: int) -> None:
    learner = filled(Recipe(batch=batch, imagined=imagined))
    state, nothing = np.zeros((1, 1), np.float32), np.zeros(1)
    for age in range(40):
        learner.show().add(state, None, np.array([1]), nothing, nothing, np.array([age]))
    if learner.imagination is not None:
        newest = learner.replay.newest(30)
        assert newest is not None
        learner.imagination._keep(newest, np.ones(len(newest.action), np.bool_))
    assert len(learner.learn(3)) == 3


def test_exploration_falls_and_stays() -> None:
    learner = DoubleDQN(PLAIN, Recipe(epsilon_from=0.8, epsilon_to=0.1, epsilon_steps=100), lanes=1, seed=0)
    text = []
    for step in (0, 50, 100, 10_000):
        learner.step = step
        text.append(learner.epsilon)
    assert text == pytest.approx([0.8, 0.45, 0.1, 0.1])


def test_a_learner_that_was_saved_goes_on_as_if_nothing_had_been() -> None:
    straight, broken = filled(Recipe(batch=16)), filled(Recipe(batch=16))
    for learner in (straight, broken):
        for _ in range(5):
            learner.learn()
    later = DoubleDQN(PLAIN, Recipe(batch=16), lanes=2, seed=99)
    later.load(broken.save())
    assert [straight.learn() for _ in range(5)] == [later.learn() for _ in range(5)]
    seen = PolicyInput(np.ones((2, 1), np.float32), np.full((2, 3), NO_ACTION, np.int64), None)
    assert [straight.act(seen).tolist() for _ in range(20)] == [later.act(seen).tolist() for _ in range(20)]


def test_a_large_memory_is_saved_without_its_oldest_rows() -> None:
    story = Story(PLAIN, capacity=100, turns=80)
    saved = story.replay.save(most_bytes=story.replay.save()["state"].nbytes)
    assert 0 < saved["count"] < 50
    later = Replay(PLAIN, lanes=2, capacity=100)
    later.load(saved)
    assert later.state[:, later.count - 1].tolist() == [[79.0], [1079.0]]


@pytest.mark.parametrize(
    "shape", [PLAIN, SEEING, Shape(state=0, actions=4, history=0, vision=(1, 8, 8), hidden=(8,))]
)
def test_a_network_has_the_branches_of_its_shape(shape: Shape) -> None:
    vision = None if shape.vision is None else np.zeros((5, *shape.vision), np.uint8)
    seen = PolicyInput(np.zeros((5, shape.state), np.float32), np.full((5, shape.history), NO_ACTION), vision)
    assert QNetwork(shape)(*seen.tensors(shape)).shape == (5, shape.actions)


def filled(recipe: Recipe) -> DoubleDQN:
    """A learner whose memory holds a story."""
    learner = DoubleDQN(PLAIN, recipe, lanes=2, seed=4)
    learner.replay = Story(PLAIN, capacity=200, turns=90).replay
    return learner
