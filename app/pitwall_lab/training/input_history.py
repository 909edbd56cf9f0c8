"""Keeps each lane's recent actions and pictures, which a policy sees beside the present state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, Shape


class InputHistory:
    """The newest actions and pictures of each lane."""

    def __init__(self, shape: Shape, lanes: int) -> None:
        self.history = np.full((lanes, shape.history), NO_ACTION, np.int64)
        self.vision = None if shape.vision is None else np.zeros((lanes, *shape.vision), np.uint8)

    def see(self, state: Array, frames: Array | None, fresh: Array) -> PolicyInput:
        """Add a frame of every lane; return the policy's input. fresh: (lanes,) where an episode begins."""
        self.history[fresh] = NO_ACTION
        if self.vision is not None:
            assert frames is not None
            self.vision[:, :-1] = self.vision[:, 1:]
            self.vision[:, -1] = frames
            self.vision[fresh] = frames[fresh, None]
        return PolicyInput(state, self.history.copy(), None if self.vision is None else self.vision.copy())

    def acted(self, actions: Array) -> None:
        """Add the action of every lane."""
        if self.history.shape[1]:
            self.history[:, :-1] = self.history[:, 1:]
            self.history[:, -1] = actions

    def save(self) -> dict[str, Any]:
        """Return the whole history."""
        return {
            "history": torch.from_numpy(self.history.copy()),
            "vision": None if self.vision is None else torch.from_numpy(self.vision.copy()),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self.history = saved["history"].numpy().copy()
        self.vision = None if saved["vision"] is None else saved["vision"].numpy().copy()
