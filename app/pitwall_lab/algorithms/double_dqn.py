"""Double DQN: learning from a replay memory, gradient step by gradient step (SPEC §8).

Double Q-learning with neural networks: van Hasselt, Guez, Silver 2016 (arXiv 1509.06461). Returns over n
steps: Sutton 1988; soft target update: Lillicrap et al. 2015 (arXiv 1509.02971). A share of each batch is
shown play (Ball et al. 2023, arXiv 2302.02948), and where a teacher's action is known, others are to be worth
less by a margin (Hester et al. 2018, arXiv 1704.03732); that fades, so that the pupil may exceed its teacher.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.adam import adam

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.imagination import Imagination
from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, QNetwork, Shape
from pitwall_lab.algorithms.replay import Batch, Outcome, Replay

_CLIP = 10.0
"""Longest gradient."""
SHOWN = 0.25
"""Share of a gradient step's transitions that come from shown play."""
_MOST_SHOWN = 20_000
_MARGIN, _MARGIN_FADES = 0.8, 0.9999
"""Margin by which other actions are worth less than the teacher's, and how its weight falls each step."""


class DoubleDQN:
    """The learner: online and target network, replay memory, exploration, gradient steps.

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
            self.online, self.target, self.average = (QNetwork(shape) for _ in range(3))
        for network in (self.target, self.average):
            network.load_state_dict(self.online.state_dict())
        self._weights, self._target_weights, self._average_weights = (
            _joined_weights(network) for network in (self.online, self.target, self.average)
        )
        self._layers = tuple(self.online.parameters())
        self._optimiser = torch.optim.Adam([self._weights], lr=recipe.learning_rate, fused=True)
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
        with torch.inference_mode():
            chosen: Array = network(*seen.tensors(self.shape)).argmax(dim=1).numpy()
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
                played -= round(recipe.imagined * recipe.batch)
        of_shown = round(SHOWN * recipe.batch)
        shown = self._drawn(self.shown, of_shown, gradients) if self.shown is not None else []
        batches = self._drawn(self.replay, played - of_shown * bool(shown), gradients)
        if shown and batches:
            batches = [batch.joined(other) for batch, other in zip(batches, shown, strict=True)]
        if imagination is not None and played < recipe.batch:
            imagined = recipe.batch - played
            batches = [batch.joined(imagination.sample(imagined)) for batch in batches]
        return [self._descend(batch) for batch in batches]

    def _drawn(self, replay: Replay, size: int, batches: int) -> list[Batch]:
        recipe = self.recipe
        return replay.sample(size, batches, n_step=recipe.n_step, gamma=recipe.gamma, chance=self._sampling)

    def _descend(self, batch: Batch) -> tuple[float, float]:
        recipe = self.recipe
        after = batch.after.tensors(self.shape)
        with torch.no_grad():  # the online network chooses, the target network values its choice
            chosen = self.online(*after).argmax(dim=1, keepdim=True)
            value = self.target(*after).gather(1, chosen).squeeze(1)
            wanted = torch.from_numpy(batch.reward) + torch.from_numpy(batch.discount) * value
        values = self.online(*batch.before.tensors(self.shape))
        predicted = values.gather(1, torch.from_numpy(batch.action).unsqueeze(1)).squeeze(1)
        loss = functional.smooth_l1_loss(predicted, wanted)
        if self._urges and (rows := np.flatnonzero(batch.advised != NO_ACTION)).size:
            loss = loss + self._urges * _regret(values[rows], torch.from_numpy(batch.advised[rows]))
        self._urges *= _MARGIN_FADES
        slopes = torch.autograd.grad(loss, self._layers)
        gradient = torch.cat([slope.reshape(-1) for slope in slopes])
        gradient.mul_((_CLIP / (torch.linalg.vector_norm(gradient) + 1e-6)).clamp(max=1.0))
        self._step(gradient)
        with torch.no_grad():  # the target network follows slowly, the average more slowly
            self._target_weights.lerp_(self._weights, recipe.tau)
            self._average_weights.lerp_(self._weights, max(self.averaged, 1.0 / (self.gradients + 1)))
        self.gradients += 1
        return loss.item(), predicted.mean().item()

    def _step(self, gradient: Tensor) -> None:
        """Move the weights by calling Adam directly, because the optimiser's `step` takes longer."""
        moments = self._optimiser.state[self._weights]
        if not moments:  # the first step creates the moments
            self._weights.grad = gradient
            self._optimiser.param_groups[0]["lr"] = self.learning_rate
            self._optimiser.step()
            return
        with torch.no_grad():
            adam(
                [self._weights],
                [gradient],
                [moments["exp_avg"]],
                [moments["exp_avg_sq"]],
                [],
                [moments["step"]],
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=self.learning_rate,
                weight_decay=0.0,
                eps=1e-8,
                maximize=False,
            )

    # ---- saving and loading the whole state

    def save(self, most_replay_bytes: int | None = None) -> dict[str, Any]:
        """Return the whole state as tensors, numbers and strings; loading them runs no code.

        Args:
            most_replay_bytes: a larger replay memory is saved without its oldest rows. A training that
                resumes from it is still correct, but not bit for bit the same.
        """
        return {
            "online": self.online.state_dict(),
            "target": self.target.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "replay": self.replay.save(most_replay_bytes),
            "exploring": self._exploring.bit_generator.state,
            "sampling": self._sampling.bit_generator.state,
            "step": self.step,
            "gradients": self.gradients,
            "urges": self._urges,
            "imagination": None if self.imagination is None else self.imagination.save(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a learner of the same shape and recipe saved."""
        self.online.load_state_dict(saved["online"])
        self.target.load_state_dict(saved["target"])
        self.average.load_state_dict(saved["average"])
        self._optimiser.load_state_dict(saved["optimiser"])
        self.replay.load(saved["replay"])
        self._exploring.bit_generator.state = saved["exploring"]
        self._sampling.bit_generator.state = saved["sampling"]
        self.step, self.gradients = saved["step"], saved["gradients"]
        self._urges = saved.get("urges", 0.0)
        if self.imagination is not None and saved.get("imagination") is not None:
            self.imagination.load(saved["imagination"])


def _regret(values: Tensor, advised: Tensor) -> Tensor:
    """Return how much the best other action, with the margin, is valued above the advised action."""
    wanted = advised.unsqueeze(1)
    raised = values + _MARGIN * torch.ones_like(values).scatter(1, wanted, 0.0)
    return (raised.max(dim=1).values - values.gather(1, wanted).squeeze(1)).mean()


def _joined_weights(network: nn.Module) -> nn.Parameter:
    """Join a network's weights into one vector and make them views of it, so one operation updates all."""
    weights = list(network.parameters())
    joined = torch.cat([weight.detach().reshape(-1) for weight in weights])
    for weight, part in zip(
        weights, torch.split(joined, [weight.numel() for weight in weights]), strict=True
    ):
        weight.data = part.view_as(weight)
    return nn.Parameter(joined)
