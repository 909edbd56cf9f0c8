"""A network that values actions, with its slowly following target network and its optimiser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.adam import adam

from pitwall_lab.algorithms.policy_network import QNetwork, Shape

_CLIP = 10.0
"""Longest gradient."""
_KEPT = 0.5
"""Share of the former weights that a reset keeps below the last layers."""


class Critic:
    """Values actions.

    Args:
        rate: learning rate of the first step.

    Attributes:
        online: learns. target: follows it slowly. weights: of the online network, joined.
    """

    def __init__(self, shape: Shape, rate: float) -> None:
        self.shape = shape
        self.online, self.target = QNetwork(shape), QNetwork(shape)
        self.target.load_state_dict(self.online.state_dict())
        self.weights, self._target_weights = joined_weights(self.online), joined_weights(self.target)
        self._layers = tuple(self.online.parameters())
        self._optimiser = torch.optim.Adam([self.weights], lr=rate, fused=True)

    def descend(self, loss: Tensor, rate: float, tau: float) -> None:
        """Take a gradient step; the target network follows by a share of `tau`."""
        slopes = torch.autograd.grad(loss, self._layers)
        gradient = torch.cat([slope.reshape(-1) for slope in slopes])
        gradient.mul_((_CLIP / (torch.linalg.vector_norm(gradient) + 1e-6)).clamp(max=1.0))
        self._step(gradient, rate)
        with torch.no_grad():
            self._target_weights.lerp_(self.weights, tau)

    def reset(self) -> None:
        """Move the weights halfway to fresh ones, make the last layers fresh, and forget the moments.

        Shrink and perturb, as in Schwarzer et al. 2023 (BBF, arXiv 2305.19452).
        """
        fresh = QNetwork(self.shape)
        with torch.no_grad():
            for (name, weight), new in zip(self.online.named_parameters(), fresh.parameters(), strict=True):
                weight.lerp_(new, 1.0 if name.startswith("decide.") else 1.0 - _KEPT)
            self._target_weights.copy_(self.weights)
        self._optimiser.state.clear()

    def save(self) -> dict[str, Any]:
        """Return the whole state."""
        return {
            "online": self.online.state_dict(),
            "target": self.target.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self.online.load_state_dict(saved["online"])
        self.target.load_state_dict(saved["target"])
        self._optimiser.load_state_dict(saved["optimiser"])

    def _step(self, gradient: Tensor, rate: float) -> None:
        """Move the weights by calling Adam directly, because the optimiser's `step` takes longer."""
        moments = self._optimiser.state[self.weights]
        if not moments:  # the first step creates the moments
            self.weights.grad = gradient
            self._optimiser.param_groups[0]["lr"] = rate
            self._optimiser.step()
            return
        with torch.no_grad():
            adam(
                [self.weights],
                [gradient],
                [moments["exp_avg"]],
                [moments["exp_avg_sq"]],
                [],
                [moments["step"]],
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=rate,
                weight_decay=0.0,
                eps=1e-8,
                maximize=False,
            )


def joined_weights(network: nn.Module) -> nn.Parameter:
    """Join a network's weights into one vector and make them views of it, so one operation updates all."""
    weights = list(network.parameters())
    joined = torch.cat([weight.detach().reshape(-1) for weight in weights])
    for weight, part in zip(
        weights, torch.split(joined, [weight.numel() for weight in weights]), strict=True
    ):
        weight.data = part.view_as(weight)
    return nn.Parameter(joined)
