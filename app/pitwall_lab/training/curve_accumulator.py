"""Accumulates a training's figures since the last point of its curve."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pitwall.core.observations import Value
from pitwall_lab.rewards.contract import Reward
from pitwall_lab.training_log import Point


@dataclass(slots=True)
class CurveAccumulator:
    """Sums since the last point; plain numbers, so that a checkpoint can keep them.

    Attributes:
        states: numeric field → its sum and how often it was read, over sampled decisions.
    """

    decisions: int = 0
    episodes: int = 0
    returned: float = 0.0
    length: int = 0
    score: float = 0.0
    scored: int = 0
    gradients: int = 0
    loss: float = 0.0
    q: float = 0.0
    seconds: float = 0.0
    actions: dict[int, int] = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)
    states: dict[str, tuple[float, int]] = field(default_factory=dict)

    def decided(self, actions: list[int], rewards: list[Reward]) -> None:
        """Add decisions and their rewards."""
        self.decisions += len(actions)
        for action, count in Counter(actions).items():
            self.actions[action] = self.actions.get(action, 0) + count
        for reward in rewards:
            for name, part in reward.parts.items():
                self.parts[name] = self.parts.get(name, 0.0) + part

    def saw(self, values: Mapping[str, Value]) -> None:
        """Add a sample of the state."""
        for name, value in values.items():
            if isinstance(value, int | float):
                total, count = self.states.get(name, (0.0, 0))
                self.states[name] = (total + value, count + 1)

    def ended(self, returned: float, length: int, score: float | None) -> None:
        """Add an episode. score: None if unknown."""
        self.episodes += 1
        self.returned += returned
        self.length += length
        if score is not None:
            self.score += score
            self.scored += 1

    def learned(self, loss: float, q: float) -> None:
        """Add a gradient step."""
        self.gradients += 1
        self.loss += loss
        self.q += q

    def point(
        self,
        *,
        step: int,
        wall_s: float,
        at: float,
        epsilon: float,
        actions: int,
        explained: float | None = None,
    ) -> Point:
        """Make the point of the curve from these sums.

        Args:
            actions: the module's number of actions. explained: see `Point`.
        """
        episodes, gradients = self.episodes, self.gradients
        states = {name: total / count for name, (total, count) in self.states.items()}
        return Point(
            step=step,
            wall_s=wall_s,
            at=at,
            explained=explained,
            episodes=episodes,
            episode_return=self.returned / episodes if episodes else None,
            length=self.length / episodes if episodes else None,
            score=self.score / self.scored if self.scored else None,
            loss=self.loss / gradients if gradients else None,
            q=self.q / gradients if gradients else None,
            epsilon=epsilon,
            fps=self.decisions / self.seconds if self.seconds > 0 else 0.0,
            actions=tuple(self.actions.get(index, 0) for index in range(actions)),
            states={name: mean for name, mean in states.items() if math.isfinite(mean)},
            rewards={name: part / max(1, self.decisions) for name, part in self.parts.items()},
        )

    def save(self) -> dict[str, Any]:
        """Return the sums as plain numbers."""
        return asdict(self)
