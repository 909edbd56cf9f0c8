"""The protocol of a learning algorithm, and the function that makes the algorithm of a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import Array, PolicyInput, QNetwork, Shape
from pitwall_lab.algorithms.ppo import PPO
from pitwall_lab.algorithms.replay import Outcome


class Learner(Protocol):
    """A learning algorithm over several lanes at once.

    Attributes:
        step: decisions made so far, over all lanes; its caller counts it.
        price: decisions for each gradient step. learn_from: decisions before the first gradient step.
    """

    shape: Shape
    recipe: Recipe
    step: int
    price: float
    learn_from: int

    @property
    def explained(self) -> float | None:
        """Return the share of new play that its learned world predicted; None without such a world."""
        ...

    @property
    def average(self) -> QNetwork:
        """Return the network that is judged and exported."""
        ...

    @property
    def epsilon(self) -> float:
        """Return the share of exploring decisions now."""
        ...

    def act(self, seen: PolicyInput) -> Array:
        """Choose an action in every lane, exploring."""
        ...

    def best(self, seen: PolicyInput) -> Array:
        """Choose an action in every lane, without exploring."""
        ...

    def remember(self, came: Outcome) -> None:
        """Store the results of the newest decisions."""
        ...

    def learn(self, gradients: int = 1) -> list[tuple[float, float]]:
        """Take gradient steps; return the loss and the mean predicted value of each."""
        ...

    def save(self, most_replay_bytes: int | None = None) -> dict[str, Any]:
        """Return the whole state as tensors, numbers and texts."""
        ...

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        ...


def learner_of(shape: Shape, recipe: Recipe, *, lanes: int, seed: int) -> Learner:
    """Make the learner that a recipe names."""
    made = PPO if recipe.algorithm == "ppo" else DoubleDQN
    return made(shape, recipe, lanes=lanes, seed=seed)
