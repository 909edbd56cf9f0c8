"""Double DQN: learning from a replay memory, gradient step by gradient step (SPEC §8).

Double Q-learning with neural networks: van Hasselt, Guez, Silver 2016 (arXiv 1509.06461). Returns over n
steps: Sutton 1988; soft target update: Lillicrap et al. 2015 (arXiv 1509.02971). A share of each batch is
shown play (Ball et al. 2023, arXiv 2302.02948), and where a teacher's action is known, others are to be worth
less by a margin (Hester et al. 2018, arXiv 1704.03732); that fades, so that the pupil may exceed its teacher.

A recipe can ask for three further means against scarce decisions: several critics, of which the target takes
the smaller value of two drawn ones (REDQ, Chen et al. 2021, arXiv 2101.05982); dropout and layer norm (DroQ,
Hiraoka et al. 2022, arXiv 2110.02034); resets with a horizon that shrinks after each (BBF, Schwarzer et al.
2023, arXiv 2305.19452).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.critic import Critic, joined_weights
from pitwall_lab.algorithms.imagination import Imagination
from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, QNetwork, Shape
from pitwall_lab.algorithms.replay import Batch, Outcome, Replay

SHOWN = 0.25
"""Share of a gradient step's transitions that come from shown play."""
_MOST_SHOWN = 20_000
_MARGIN, _MARGIN_FADES = 0.8, 0.9999
"""Margin by which other actions are worth less than the teacher's, and how its weight falls each step."""
_FAR, _SHRINKS = 10, 10_000
"""Rewards summed right after a reset, and the gradient steps within which they become the recipe's number."""


class DoubleDQN:
    """The learner: critics, replay memory, exploration, gradient steps. The first critic acts.

    The exported policy is `average`: the online network's weights averaged over the last few thousand
    gradient steps (Polyak, Juditsky 1992), because the momentary policy swings.

    Args:
        shape: sizes of the policy. recipe: how to train it.
        lanes: environments side by side.
        seed: of the first weights, exploration and sampling.

    Attributes:
        averaged: share of the newest weights in the averaged ones; larger during the first gradient steps.
        shown: play of a person, of rules or of another agent; None without any.
    """

    averaged = 5e-4

    def __init__(self, shape: Shape, recipe: Recipe, *, lanes: int, seed: int) -> None:
        self.shape, self.recipe = shape, recipe
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.critics = [Critic(shape, recipe.learning_rate) for _ in range(recipe.critics)]
            self.average = QNetwork(shape).eval()
        self.average.load_state_dict(self.online.state_dict())
        self._average_weights = joined_weights(self.average)
        self._since_reset = 0
        self.replay = Replay(shape, lanes=lanes, capacity=recipe.replay)
        exploring, sampling = np.random.SeedSequence(seed).spawn(2)
        self._exploring = np.random.default_rng(exploring)
        self._sampling = np.random.default_rng(sampling)
        self.imagination = (
            Imagination(shape, gamma=recipe.gamma, n_step=recipe.n_step, seed=seed)
            if recipe.imagined and shape.state and shape.vision is None
            else None
        )
        self.shown: Replay | None = None
        self._urges = 0.0
        self.step = 0
        self.gradients = 0
        self.price, self.learn_from = float(recipe.train_every), recipe.learn_from

    @property
    def online(self) -> QNetwork:
        """Return the network that acts while it explores."""
        return self.critics[0].online

    @property
    def epsilon(self) -> float:
        """Return the share of random decisions now: it falls linearly, then stays."""
        recipe = self.recipe
        gone = min(1.0, self.step / recipe.epsilon_steps)
        return recipe.epsilon_from + gone * (recipe.epsilon_to - recipe.epsilon_from)

    @property
    def explained(self) -> float | None:
        """Return the share of new play that its learned world predicted; None without such a world."""
        return None if self.imagination is None else self.imagination.explained

    @property
    def learning_rate(self) -> float:
        """Return the rate of the next gradient step: small towards the end, to keep what was learnt."""
        recipe = self.recipe
        gone = min(1.0, self.step / recipe.steps) if recipe.learning_rate_to else 0.0
        return recipe.learning_rate + gone * (recipe.learning_rate_to - recipe.learning_rate)

    def act(self, seen: PolicyInput) -> Array:
        """Choose an action for every lane: the best one, or a random one with probability epsilon."""
        actions, chance = self._best(self.online, seen), self._exploring
        by_chance = chance.random(len(actions)) < self.epsilon
        return np.where(by_chance, chance.integers(0, self.shape.actions, len(actions)), actions)

    def best(self, seen: PolicyInput) -> Array:
        """Choose the averaged network's action in every lane, without exploring."""
        return self._best(self.average, seen)

    def _best(self, network: QNetwork, seen: PolicyInput) -> Array:
        learns = network.training
        network.eval()
        with torch.inference_mode():
            chosen: Array = network(*seen.tensors(self.shape)).argmax(dim=1).numpy()
        network.train(learns)
        return chosen

    def remember(self, came: Outcome) -> None:
        """Add a decision of every lane to the replay memory."""
        self.replay.add(came.state, came.pictures, came.action, came.reward, came.terminal, came.age)

    def urge(self) -> None:
        """Let a teacher's advice count in full again, because more of it came."""
        self._urges = 1.0

    def show(self) -> Replay:
        """Return the memory of shown play, which is learned from beside the learner's own."""
        if self.shown is None:
            self.shown = Replay(self.shape, lanes=1, capacity=_MOST_SHOWN)
        return self.shown

    def learn_shown(self, gradients: int) -> list[tuple[float, float]]:
        """Take gradient steps on shown play alone."""
        return [self._descend(batch) for batch in self._drawn(self.show(), self.recipe.batch, gradients)]

    def learn(self, gradients: int = 1) -> list[tuple[float, float]]:
        """Take some gradient steps on samples of the replay memory.

        Returns:
            The loss and the mean predicted value of each step; empty while nothing can be drawn.
        """
        recipe, imagination, played = self.recipe, self.imagination, self.recipe.batch
        if imagination is not None:
            imagination.turn(self.replay, partial(self._best, self.online), gradients)
            if imagination.count:
                played = max(1, played - round(recipe.imagined * recipe.batch))
        of_shown = min(round(SHOWN * recipe.batch), played // 2)  # its own play has a part in every step
        shown = self._drawn(self.shown, of_shown, gradients) if self.shown is not None and of_shown else []
        batches = self._drawn(self.replay, played - of_shown * bool(shown), gradients)
        if shown and batches:
            batches = [batch.joined(other) for batch, other in zip(batches, shown, strict=True)]
        if imagination is not None and played < recipe.batch:
            imagined = recipe.batch - played
            batches = [batch.joined(imagination.sample(imagined)) for batch in batches]
        return [self._descend(batch) for batch in batches]

    def _drawn(self, replay: Replay, size: int, batches: int) -> list[Batch]:
        gamma, chance = self.recipe.gamma, self._sampling
        return replay.sample(size, batches, n_step=self._horizon, gamma=gamma, chance=chance)

    @property
    def _horizon(self) -> int:
        """Return how many rewards are summed now: with resets, more than the recipe's number after each."""
        near = self.recipe.n_step
        if not self.recipe.reset_every or near >= _FAR:
            return near
        gone = min(1.0, self._since_reset / _SHRINKS)
        return round(_FAR * math.pow(near / _FAR, gone))

    def _descend(self, batch: Batch) -> tuple[float, float]:
        """Take a gradient step with every critic; return the first one's loss and mean predicted value."""
        recipe, rate = self.recipe, self.learning_rate
        wanted, before = self._wanted(batch), batch.before.tensors(self.shape)
        action = torch.from_numpy(batch.action).unsqueeze(1)
        advised = np.flatnonzero(batch.advised != NO_ACTION) if self._urges else np.empty(0, np.int64)
        results: list[tuple[float, float]] = []
        for critic in self.critics:
            values = critic.online(*before)
            predicted = values.gather(1, action).squeeze(1)
            loss = functional.smooth_l1_loss(predicted, wanted)
            if advised.size:
                loss = loss + self._urges * _regret(values[advised], torch.from_numpy(batch.advised[advised]))
            critic.descend(loss, rate, recipe.tau)
            results.append((loss.item(), predicted.mean().item()))
        self._urges *= _MARGIN_FADES
        with torch.no_grad():
            share = max(self.averaged, 1.0 / (self._since_reset + 1))
            self._average_weights.lerp_(self.critics[0].weights, share)
        self.gradients += 1
        self._since_reset += 1
        if recipe.reset_every and self._since_reset >= recipe.reset_every:
            self._reset()
        return results[0]

    def _wanted(self, batch: Batch) -> Tensor:
        """Return the target of each transition: online networks choose, target networks value the choice."""
        critics = self.critics
        if len(critics) > 2:
            critics = [critics[at] for at in self._sampling.choice(len(critics), 2, replace=False)]
        after = batch.after.tensors(self.shape)
        with torch.no_grad():
            together = torch.stack([critic.online(*after) for critic in critics]).sum(dim=0)
            chosen = together.argmax(dim=1, keepdim=True)
            values = [critic.target(*after).gather(1, chosen).squeeze(1) for critic in critics]
            value = values[0] if len(values) == 1 else torch.minimum(*values)
            return torch.from_numpy(batch.reward) + torch.from_numpy(batch.discount) * value

    def _reset(self) -> None:
        """Renew the networks in part; what is remembered stays, and is learned from again."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.gradients)
            for critic in self.critics:
                critic.reset()
        self._since_reset = 0

    # ---- saving and loading the whole state

    def save(self, most_replay_bytes: int | None = None) -> dict[str, Any]:
        """Return the whole state as tensors, numbers and strings; loading them runs no code.

        Args:
            most_replay_bytes: a larger replay memory is saved without its oldest rows. A training that
                resumes from it is still correct, but not bit for bit the same.
        """
        return {
            **self.critics[0].save(),
            "others": [critic.save() for critic in self.critics[1:]],
            "average": self.average.state_dict(),
            "replay": self.replay.save(most_replay_bytes),
            "exploring": self._exploring.bit_generator.state,
            "sampling": self._sampling.bit_generator.state,
            "step": self.step,
            "gradients": self.gradients,
            "since_reset": self._since_reset,
            "urges": self._urges,
            "imagination": None if self.imagination is None else self.imagination.save(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a learner of the same shape and recipe saved."""
        for critic, state in zip(self.critics, [saved, *saved.get("others", [])], strict=True):
            critic.load(state)
        self.average.load_state_dict(saved["average"])
        self.replay.load(saved["replay"])
        self._exploring.bit_generator.state = saved["exploring"]
        self._sampling.bit_generator.state = saved["sampling"]
        self.step, self.gradients = saved["step"], saved["gradients"]
        self._since_reset = saved.get("since_reset", self.gradients)
        self._urges = saved.get("urges", 0.0)
        if self.imagination is not None and saved.get("imagination") is not None:
            self.imagination.load(saved["imagination"])


def _regret(values: Tensor, advised: Tensor) -> Tensor:
    """Return how much the best other action, with the margin, is valued above the advised action."""
    wanted = advised.unsqueeze(1)
    raised = values + _MARGIN * torch.ones_like(values).scatter(1, wanted, 0.0)
    return (raised.max(dim=1).values - values.gather(1, wanted).squeeze(1)).mean()
