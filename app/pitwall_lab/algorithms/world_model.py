"""A learned world: an ensemble of networks that predict what a decision leads to.

Each network predicts the change of the state vector, the reward and whether the episode ends. Where they
disagree, too little was played to know (Chua et al. 2018, arXiv 1805.12114).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pitwall_lab.algorithms.policy_network import Array, PolicyInput, Shape
from pitwall_lab.algorithms.replay import Batch

MEMBERS = 3
_WIDTH = 128
_RATE, _SIZE = 1e-3, 256
_SCALE, _BEND = 10.0, 0.3
"""Errors of a tenth count as whole; the loss is square below the bend and even beyond, as positions jump."""
_JUMP = 0.2
_REWARD_GOING, _REWARD_ENDED, _ENDS = range(3)
_BEYOND = 1.5
"""Largest absolute value of a number in a state vector."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Holds the predicted results of decisions, one row each.

    Attributes:
        state: (n, state) float32. reward: (n,). terminal: (n,) drawn with the predicted probability.
        spread: (n,) largest difference between a network's state and the mean of all.
    """

    state: Array
    reward: Array
    terminal: Array
    spread: Array


class WorldModel(nn.Module):
    """Predicts the next state, the reward and the end from the state, the past actions and the action.

    Args:
        shape: of a policy with a state branch and without vision.
        seed: of the first weights and of all drawing.
    """

    def __init__(self, shape: Shape, *, seed: int) -> None:
        super().__init__()
        self.shape = shape
        self._chance = np.random.default_rng(seed)
        seen = shape.state + shape.actions * (shape.history + 1)
        widths = (seen, _WIDTH, _WIDTH, shape.state + 3)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.weights = nn.ParameterList(
                nn.Parameter(torch.randn(MEMBERS, into, out) * math.sqrt(2 / into) * (0.05 if last else 1.0))
                for into, out, last in zip(widths, widths[1:], (False, False, True), strict=False)
            )
            self.biases = nn.ParameterList(nn.Parameter(torch.zeros(MEMBERS, 1, out)) for out in widths[1:])
        self.optimiser = torch.optim.Adam(self.parameters(), lr=_RATE, fused=True)

    def forward(self, seen: Tensor) -> Tensor:
        """Compute (members, n, state + 3) from (members, n, inputs): changes, rewards, logit of the end."""
        *inner, last = zip(self.weights, self.biases, strict=True)
        for weight, bias in inner:
            seen = functional.silu(torch.baddbmm(bias, seen, weight))
        return torch.baddbmm(last[1], seen, last[0])

    def learn(self, batch: Batch) -> None:
        """Take a gradient step: each network learns from its own draw of the transitions, one step each."""
        rows = self._chance.integers(0, len(batch.action), (MEMBERS, _SIZE))
        seen = self._seen(batch.before, batch.action)[rows]
        change = torch.from_numpy(batch.after.state - batch.before.state)[rows]
        reward, ended = torch.from_numpy(batch.reward)[rows], torch.from_numpy(batch.discount == 0)[rows]
        predicted = self(seen)
        moved, rest = predicted[..., : self.shape.state], predicted[..., self.shape.state :]
        paid = torch.where(ended, rest[..., _REWARD_ENDED], rest[..., _REWARD_GOING])
        loss = (
            functional.smooth_l1_loss(moved * _SCALE, change * _SCALE, beta=_BEND)
            + functional.smooth_l1_loss(paid * _SCALE, reward * _SCALE, beta=_BEND)
            + functional.binary_cross_entropy_with_logits(rest[..., _ENDS], ended.float())
        )
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()

    def predict(self, before: PolicyInput, action: Array) -> Prediction:
        """Predict what each decision leads to, each by a network drawn for it."""
        with torch.inference_mode():
            seen = self._seen(before, action)
            predicted = self(seen.expand(MEMBERS, *seen.shape)).numpy()
        moved, rest = predicted[..., : self.shape.state], predicted[..., self.shape.state :]
        count = len(action)
        member, row = self._chance.integers(0, MEMBERS, count), np.arange(count)
        ends = 1.0 / (1.0 + np.exp(-rest[..., _ENDS].mean(axis=0)))
        terminal = self._chance.random(count) < ends
        paid = np.where(terminal, rest[member, row, _REWARD_ENDED], rest[member, row, _REWARD_GOING])
        state = np.clip(before.state + moved[member, row], -_BEYOND, _BEYOND)
        spread = np.abs(moved - moved.mean(axis=0)).max(axis=(0, 2))
        return Prediction(state.astype(np.float32), paid.astype(np.float32), terminal, spread)

    def errors(self, batch: Batch) -> tuple[float, float]:
        """Return how far predicted states lie from those that came, and how far those lie from the last.

        Both are sums over transitions and numbers of the state of absolute differences, of transitions whose
        episode went on. A jump, as of the distance to the next pipe, counts no more than a large step.
        """
        going = batch.discount != 0
        with torch.inference_mode():
            moved = self(self._seen(batch.before, batch.action).expand(MEMBERS, -1, -1))
        change = (batch.after.state - batch.before.state)[going]
        predicted = moved.mean(dim=0).numpy()[going, : self.shape.state]
        missed, moved = (np.abs(array).clip(max=_JUMP).sum() for array in (predicted - change, change))
        return float(missed), float(moved)

    def _seen(self, before: PolicyInput, action: Array) -> Tensor:
        state, *past = before.tensors(self.shape)
        chosen = functional.one_hot(torch.from_numpy(action), self.shape.actions).float()
        return torch.cat([state, *(actions.flatten(1) for actions in past), chosen], dim=1)

    # ---- saving and loading

    def save(self) -> dict[str, Any]:
        """Return the whole state."""
        return {
            "networks": self.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "chance": self._chance.bit_generator.state,
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a world model of the same shape saved."""
        self.load_state_dict(saved["networks"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self._chance.bit_generator.state = saved["chance"]
